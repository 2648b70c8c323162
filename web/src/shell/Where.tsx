/// Where one is: the title of the window, which readers aloud hear when another page is there.
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { subjectOf, titleOf } from "../format/title.ts";
import { useSay } from "../words/say.ts";
import { WORDS } from "./places.ts";

export function Where() {
  const say = useSay();
  const path = useRouterState({ select: (router) => router.resolvedLocation?.pathname ?? "" });
  const opened = useRef(path); // the browser itself tells of the page that it opens; "": it is on its way
  if (opened.current === "") opened.current = path;
  const hasGone = useRef(false);
  if (path !== opened.current) hasGone.current = true;
  const subject = subjectOf(path);
  const word = WORDS[subject.place];
  const title = titleOf(subject, word ? say(word) : "");
  useEffect(() => {
    document.title = title;
    return () => {
      document.title = "Foliot"; // who is logged out is at no page
    };
  }, [title]);
  return (
    <span className="hidden" role="status" translate="no">
      {hasGone.current && title}
    </span>
  );
}
