/// While a part fills the window, nothing beside it can be reached: not by keys, and not by readers aloud.
import { type RefObject, useEffect } from "react";

export function useAlone(part: RefObject<HTMLElement | null>, isAlone: boolean): void {
  useEffect(() => {
    if (!isAlone) return;
    const hidden: Element[] = [];
    for (let here = part.current; here?.parentElement; here = here.parentElement) {
      for (const beside of here.parentElement.children) {
        if (beside === here || beside.hasAttribute("inert")) continue;
        beside.setAttribute("inert", "");
        hidden.push(beside);
      }
    }
    return () => {
      for (const one of hidden) one.removeAttribute("inert");
    };
  }, [part, isAlone]);
}
