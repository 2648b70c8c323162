/// The same trigger as a command, as curl and as Python, to copy.

export interface Trigger {
  job: string;
  namespace: string;
  params: Record<string, unknown>;
  server: string;
}

/** One word of a POSIX shell, whatever is in it. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function asCommand({ job, namespace, params }: Trigger): string {
  const words = ["foliot job trigger", shellWord(job)];
  for (const [name, value] of Object.entries(params)) {
    const written = typeof value === "string" ? value : JSON.stringify(value);
    words.push("-p", shellWord(`${name}=${written}`));
  }
  if (namespace !== "default") words.push("-n", shellWord(namespace));
  return words.join(" ");
}

export function asCurl({ job, namespace, params, server }: Trigger): string {
  const query = namespace === "default" ? "" : `?namespace=${encodeURIComponent(namespace)}`;
  const url = `${server}/api/v1/jobs/${encodeURIComponent(job)}:trigger${query}`;
  const body = shellWord(JSON.stringify({ params }));
  return `curl -X POST ${shellWord(url)} \\\n  -H "Authorization: Bearer $FOLIOT_TOKEN" \\\n  -H "Content-Type: application/json" \\\n  -d ${body}`;
}

export function asPython({ job, namespace, params, server }: Trigger): string {
  const place = namespace === "default" ? "" : `, namespace=${python(namespace)}`;
  const given = Object.keys(params).length === 0 ? "" : `, ${python(params)}`;
  return `from foliot import Foliot\n\nwith Foliot(${python(server)}) as client:\n    run = client.jobs.trigger(${python(job)}${given}${place})`;
}

/** A JSON value as Python writes it. */
export function python(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value === "object") {
    const entries = Object.entries(value).map(([key, one]) => `${python(key)}: ${python(one)}`);
    return `{${entries.join(", ")}}`;
  }
  return JSON.stringify(value);
}
