/// A small line: how a figure went while the page was open. The figure itself stands beside it as text.
import { points } from "../format/history.ts";

const WIDTH = 120;
const HEIGHT = 24;

export function Spark({ values, max, label }: { values: number[]; max: number; label: string }) {
  if (values.length < 2)
    return <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" />;
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <polyline points={points(values, max, WIDTH, HEIGHT - 2)} />
    </svg>
  );
}
