/// A share of something as a bar, with its figure beside it.
interface Props {
  label: string;
  value: number;
  max: number;
  text: string;
}

export function Meter({ label, value, max, text }: Props) {
  const whole = Math.max(max, value, 0);
  const share = whole === 0 ? 0 : Math.min(1, value / whole);
  const tone = share >= 0.9 ? "bad" : share >= 0.75 ? "wait" : "busy";
  return (
    <span className="row tightrow">
      <span
        className="meter"
        role="meter"
        aria-label={label}
        aria-valuenow={value}
        aria-valuemin={0}
        aria-valuemax={whole}
      >
        <i className={`bar-${tone}`} style={{ width: `${share * 100}%` }} />
      </span>
      <span className="nowrap">{text}</span>
    </span>
  );
}
