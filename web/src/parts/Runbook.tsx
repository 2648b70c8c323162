/// What to do when something is wrong. An address is a link; only such that a browser opens as a page.
import { Raw } from "./Raw.tsx";

export function Runbook({ text }: { text: string }) {
  if (!/^https?:\/\//.test(text)) return <Raw>{text}</Raw>;
  return (
    <a href={text} target="_blank" rel="noreferrer" className="accented" translate="no">
      {text}
    </a>
  );
}
