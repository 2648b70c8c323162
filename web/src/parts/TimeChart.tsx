/// One question over time: bars of parts, or lines. The same figures stand in a table below the charts.
import type { ReactNode } from "react";
import { type Box, lineOf, placeOf, STEP_MS, stacked, type TimeRange } from "../format/figures.ts";
import type { Tone } from "../format/states.ts";
import { clockTime } from "../format/time.ts";
import { Brush } from "./Brush.tsx";
import { useNow, useZone } from "./settings.ts";

const WIDTH = 1200;
const HEIGHT = 96;

export interface Range {
  from_at: string;
  to_at: string;
  step: keyof typeof STEP_MS;
}

interface FrameProps {
  title: string;
  range: Range;
  /** What the highest place stands for. */
  top: string;
  legend: ReactNode;
  /** What a stroke over the chart chooses. */
  choose?: ((range: TimeRange) => void) | undefined;
  /** What a press on the chart opens, by its instant. */
  press?: ((atMs: number) => void) | undefined;
  children: ReactNode;
}

export function ChartFrame({ title, range, top, legend, choose, press, children }: FrameProps) {
  const zone = useZone();
  const now = useNow();
  const box = { fromMs: Date.parse(range.from_at), toMs: Date.parse(range.to_at) };
  const time = (iso: string) => clockTime(iso, zone, now).replace(/:00$/, "");
  return (
    <figure className="chart">
      <figcaption>
        <b>{title}</b> {legend}
      </figcaption>
      <div className="top soft small" aria-hidden="true">
        {top}
      </div>
      <Brush box={box} choose={choose} press={press}>
        {children}
      </Brush>
      <div className="scale" aria-hidden="true">
        <span>{time(range.from_at)}</span>
        <span>{time(range.to_at)}</span>
      </div>
    </figure>
  );
}

interface DrawnProps extends Omit<FrameProps, "children"> {
  children: (box: Box) => ReactNode;
}

/** A chart that is drawn as shapes in a box. */
function Drawn({ children, ...frame }: DrawnProps) {
  const { range, title } = frame;
  const box = {
    fromMs: Date.parse(range.from_at),
    toMs: Date.parse(range.to_at),
    stepMs: STEP_MS[range.step],
    width: WIDTH,
    height: HEIGHT,
  };
  return (
    <ChartFrame {...frame}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={title}>
        {children(box)}
      </svg>
    </ChartFrame>
  );
}

export interface Bar {
  start: string;
  parts: number[];
  says: string;
}

interface BarsProps {
  title: string;
  range: Range;
  tones: readonly Tone[];
  bars: Bar[];
  legend: ReactNode;
  top: (value: number) => string;
  choose?: FrameProps["choose"];
  press?: FrameProps["press"];
}

export function BarChart({ title, range, tones, bars, legend, top, choose, press }: BarsProps) {
  const most = Math.max(1, ...bars.map((bar) => bar.parts.reduce((sum, value) => sum + value, 0)));
  return (
    <Drawn title={title} range={range} top={top(most)} legend={legend} choose={choose} press={press}>
      {(box) =>
        bars.map((bar) => {
          const { x, width } = placeOf(bar.start, box);
          const gap = width > 4 ? 1 : 0;
          return (
            <g key={bar.start}>
              <title>{bar.says}</title>
              {stacked(bar.parts, most, HEIGHT).map(({ part, y, height }) => (
                <rect
                  key={part}
                  className={`fill-${tones[part] ?? "idle"}`}
                  x={x + gap}
                  y={y}
                  width={Math.max(1, width - 2 * gap)}
                  height={height}
                />
              ))}
            </g>
          );
        })
      }
    </Drawn>
  );
}

export interface Line {
  name: string;
  values: { start: string; value: number | null }[];
}

interface LinesProps {
  title: string;
  range: Range;
  lines: Line[];
  top: (value: number) => string;
  choose?: FrameProps["choose"];
}

/** Lines differ by their strokes, too: solid, dashed, dotted. */
export function LineChart({ title, range, lines, top, choose }: LinesProps) {
  const most = Math.max(0, ...lines.flatMap((line) => line.values.map(({ value }) => value ?? 0)));
  const legend = lines.map((line, index) => (
    <span key={line.name} className="nowrap small">
      <svg className="stroke" viewBox="0 0 24 8" aria-hidden="true">
        <path className={`line line-${index}`} d="M0 4H24" />
      </svg>{" "}
      {line.name}
    </span>
  ));
  return (
    <Drawn title={title} range={range} top={top(most)} legend={legend} choose={choose}>
      {(box) =>
        lines.map((line, index) => (
          <path key={line.name} className={`line line-${index}`} d={lineOf(line.values, most, box)} />
        ))
      }
    </Drawn>
  );
}
