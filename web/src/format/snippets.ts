/// What a page does or shows as a command, as curl and as Python, to copy.

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
  return words.join(" ") + within(namespace);
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

export interface Act {
  /** What it does, as the command line names it: `job pause`. */
  verb: string;
  /** What it does it to: a job, a run, a node. */
  of?: string;
  namespace?: string;
  /** Options with their values; those without a value stand alone, empty ones are left out. */
  options?: Record<string, string | true | undefined>;
}

/** What a dialog does, as a command. */
export function asAct({ verb, of, namespace = "default", options = {} }: Act): string {
  const words = [`foliot ${verb}`, ...(of === undefined ? [] : [shellWord(of)])];
  for (const [name, value] of Object.entries(options)) {
    if (value === true) words.push(`--${name}`);
    else if (value) words.push(`--${name}`, shellWord(value));
  }
  return words.join(" ") + within(namespace);
}

export interface PingedCheck {
  name: string;
  namespace: string;
  server: string;
}

/** A line of cron with its check around it: start before the command, ok or fail after it. */
export function asCheckRun({ name, namespace, server }: PingedCheck, command: string): string {
  return `foliot check run ${shellWord(name)}${within(namespace)} --server ${shellWord(server)} -- ${command}`;
}

export function asPing({ name, namespace, server }: PingedCheck): string {
  return `foliot check ping ${shellWord(name)} ok${within(namespace)} --server ${shellWord(server)}`;
}

export function asPingCurl({ name, namespace, server }: PingedCheck): string {
  const place = namespace === "default" ? "" : `&namespace=${encodeURIComponent(namespace)}`;
  const url = `${server}/api/v1/checks/${encodeURIComponent(name)}:ping?kind=ok${place}`;
  return `curl -fsS -m 10 --retry 5 -X POST \\\n  -H "Authorization: Bearer $FOLIOT_TOKEN" \\\n  ${shellWord(url)}`;
}

interface AskedReport {
  kind: string;
  date: string | undefined;
  tz: string;
  namespace: string | undefined;
}

export function asReport({ kind, date, tz, namespace }: AskedReport): string {
  const day = date === undefined ? "" : ` --date ${shellWord(date)}`;
  return `foliot report ${kind}${day} --tz ${shellWord(tz)}${namespace ? ` -n ${shellWord(namespace)}` : ""}`;
}

/** A schedule of reports as it is written; `namespace` null: of the whole cluster. */
export function asReportSchedule(
  name: string,
  namespace: string | null,
  written: Record<string, unknown>,
): string {
  const words = ["foliot report schedule set", shellWord(name)];
  for (const field of ["kind", "at", "weekday"]) {
    if (written[field] !== undefined) words.push(`--${field}`, shellWord(String(written[field])));
  }
  words.push("--tz", shellWord(String(written.timezone)));
  for (const channel of Array.isArray(written.to) ? written.to : [])
    words.push("--to", shellWord(String(channel)));
  if (written.language) words.push("--language", shellWord(String(written.language)));
  if (written.on === false) words.push("--off");
  if (namespace !== null) words.push("-n", shellWord(namespace));
  return words.join(" ");
}

function within(namespace: string): string {
  return namespace === "default" ? "" : ` -n ${shellWord(namespace)}`;
}
