/// What a page does or shows as a command, as curl and as Python, to copy.

/** One word of a POSIX shell, whatever is in it. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A request of the API, as the console sends it. */
export interface Asked {
  method: string;
  /** With its query. */
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export function asCurl({ method, path, body, headers = {} }: Asked, server: string): string {
  const lines = [`curl -X ${method} ${shellWord(server + path)}`, '-H "Authorization: Bearer $FOLIOT_TOKEN"'];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${shellWord(`${name}: ${value}`)}`);
  if (body !== undefined) {
    lines.push('-H "Content-Type: application/json"', `-d ${shellWord(JSON.stringify(body))}`);
  }
  return lines.join(" \\\n  ");
}

/** A method of the client, such as `jobs.pause`, and what it is given. */
export interface Method {
  name: string;
  given: readonly unknown[];
  /** By their names; those that are undefined or empty are left out. */
  options?: Record<string, unknown>;
  /** What its answer is kept as. */
  answer?: string;
}

export function asPython({ name, given, options = {}, answer }: Method, server: string): string {
  const words = given.map(python);
  for (const [option, value] of Object.entries(options)) {
    if (option === "namespace" && value === "default") continue;
    if (value !== undefined && value !== "") words.push(`${option}=${python(value)}`);
  }
  const kept = answer === undefined ? "" : `${answer} = `;
  return `from foliot import Foliot\n\nwith Foliot(${python(server)}) as client:\n    ${kept}client.${name}(${words.join(", ")})`;
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
  /** What it does, as the command line names it: `job pause`. Absent: there is no such command. */
  verb?: string;
  /** What it does it to: a job, a run, a node; a limit and its number. */
  of?: string | readonly string[];
  namespace?: string;
  /** Options with their values; those without a value stand alone, a list repeats its option, empty ones are left out. */
  options?: Record<string, string | true | readonly string[] | undefined>;
  /** The same as a request. */
  asked?: Asked;
  /** The same in Python. */
  method?: Method;
}

/** What a dialog does, as a command; undefined: there is none. */
export function asAct({ verb, of, namespace = "default", options = {} }: Act): string | undefined {
  if (verb === undefined) return undefined;
  const words = [`foliot ${verb}`, ...[of ?? []].flat().map(shellWord)];
  for (const [name, value] of Object.entries(options)) {
    const option = name.length === 1 ? `-${name}` : `--${name}`;
    for (const one of [value ?? []].flat()) {
      if (one === true) words.push(option);
      else if (one !== "") words.push(option, shellWord(one));
    }
  }
  return words.join(" ") + within(namespace);
}

/** Fields as options of the command line give them: `name=value`. */
export function asFields(fields: Record<string, unknown>): string[] {
  return Object.entries(fields).map(([name, value]) => {
    return `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`;
  });
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
