/// A value as JSON, to read and to copy.
import { Copy } from "./Command.tsx";

export function Json({ value, label }: { value: unknown; label: string }) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <div className="command">
      <pre translate="no" role="region" tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <Copy text={text} />
    </div>
  );
}
