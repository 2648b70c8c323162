/// The way to the page of one thing, in the header: `Jobs / billing / settle`.
import { useLocation } from "@tanstack/react-router";
import { type Crumb, crumbsOf } from "../format/crumbs.ts";
import { RowLink } from "../parts/links.tsx";
import { Raw } from "../parts/Raw.tsx";
import { useSay } from "../words/say.ts";
import { WORDS } from "./places.ts";

export function Crumbs() {
  const say = useSay();
  const crumbs = crumbsOf(useLocation({ select: ({ pathname }) => pathname }));
  if (crumbs.length === 0) return null;
  return (
    <nav className="crumbs" aria-label={say("nav.way")}>
      <ol>
        {crumbs.map((crumb, at) => (
          <li key={at}>
            <Step crumb={crumb} isWord={at === 0 || at === 3 || crumbs.length === 2} />
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** A place and what is done there have words; other parts are names. */
function Step({ crumb, isWord }: { crumb: Crumb; isWord: boolean }) {
  const say = useSay();
  const word = isWord ? WORDS[crumb.text] : undefined;
  const text = word === undefined ? <Raw>{crumb.text}</Raw> : say(word);
  return crumb.to === undefined ? (
    <span aria-current="page">{text}</span>
  ) : (
    <RowLink to={crumb.to}>{text}</RowLink>
  );
}
