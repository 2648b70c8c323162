/// A part of the console that comes in a file of its own when it is needed. One that did not come can be asked for again.
import {
  type ComponentProps,
  type ComponentType,
  createElement,
  type ReactNode,
  Suspense,
  use,
  useState,
} from "react";
import { Boundary } from "./Boundary.tsx";
import { Coming } from "./coming.ts";

type Load<P> = () => Promise<ComponentType<P>>;

interface Around {
  /** What stands there while it is on its way, and what when it did not come. */
  waiting?: ReactNode;
  instead?: ComponentProps<typeof Boundary>["instead"];
}

/** A part within a page: what keeps it from coming takes nothing else away. */
export function lazyPart<P extends object>(load: Load<P>, around: Around = {}): ComponentType<P> {
  const coming = new Coming(load);
  const Part = partOf(coming);
  return function Bounded(props: P) {
    useState(() => coming.forgetFailure()); // who opens it again asks again
    return (
      <Boundary instead={around.instead}>
        <Suspense fallback={around.waiting}>
          <Part {...props} />
        </Suspense>
      </Boundary>
    );
  };
}

/** A page: the router awaits it while the page before is still shown. The frame keeps its errors. */
export function lazyPage(load: Load<object>): (() => ReactNode) & { preload: () => Promise<void> } {
  const coming = new Coming(load);
  const Part = partOf(coming);
  const Page = () => (
    <Suspense fallback={null}>
      <Part />
    </Suspense>
  );
  return Object.assign(Page, { preload: () => coming.again() });
}

function partOf<P extends object>(coming: Coming<ComponentType<P>>): ComponentType<P> {
  return function Part(props: P) {
    return createElement(coming.here ?? use(coming.ask()), props);
  };
}
