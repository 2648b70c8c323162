/// The part of a chart that can be dragged over: what is marked becomes the range of the page.
import { type PointerEvent, type ReactNode, useRef, useState } from "react";
import { brushed, type TimeRange } from "../format/figures.ts";

const LEAST = 0.01; // a shorter stroke is a click

interface Props {
  box: { fromMs: number; toMs: number };
  choose?: ((range: TimeRange) => void) | undefined;
  /** A press on no link: at which instant. */
  press?: ((atMs: number) => void) | undefined;
  children: ReactNode;
}

export function Brush({ box, choose, press, children }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [stroke, setStroke] = useState<[number, number] | null>(null);
  if (!choose) return <div className="plot">{children}</div>;
  const shareOf = (event: PointerEvent) => {
    const { left, width } = (place.current as HTMLDivElement).getBoundingClientRect();
    return (event.clientX - left) / Math.max(1, width);
  };
  const begin = (event: PointerEvent) => {
    if (event.button !== 0 || event.pointerType === "touch") return; // a thumb scrolls
    event.preventDefault(); // nothing is selected as text
    place.current?.setPointerCapture(event.pointerId);
    setStroke([shareOf(event), shareOf(event)]);
  };
  const end = (event: PointerEvent) => {
    if (stroke === null) return;
    setStroke(null);
    const share = shareOf(event);
    if (Math.abs(share - stroke[0]) >= LEAST) choose(brushed(box, stroke[0], share));
    else if (!pressBelow(place.current, event)) press?.(box.fromMs + share * (box.toMs - box.fromMs));
  };
  return (
    <div
      ref={place}
      className="plot brush"
      onPointerDown={begin}
      onPointerMove={(event) => stroke && setStroke([stroke[0], shareOf(event)])}
      onPointerUp={end}
      onPointerCancel={() => setStroke(null)}
    >
      {children}
      {stroke && (
        <i
          className="marked"
          style={{
            left: `${100 * Math.min(...stroke)}%`,
            width: `${100 * Math.abs(stroke[1] - stroke[0])}%`,
          }}
        />
      )}
    </div>
  );
}

/** Presses the link below the pointer, which was captured: the link's own click would be lost. False: there is none. */
function pressBelow(place: HTMLElement | null, event: PointerEvent): boolean {
  const below = document.elementsFromPoint(event.clientX, event.clientY);
  const link = below.find((one) => one instanceof HTMLAnchorElement && place?.contains(one));
  if (!(link instanceof HTMLElement)) return false;
  link.click();
  return true;
}
