/// Calls of the REST API by operation id, with its answers typed and its errors as `ProblemError`.
import { fingerprint } from "../format/fingerprint.ts";
import { setReplicaAge } from "../live/status.ts";
import { type Operations, type Problem, ROUTES } from "./types.ts";

type Name = keyof Operations;

export interface Given<K extends Name> {
  path?: Operations[K]["path"];
  query?: Operations[K]["query"];
  body?: Operations[K]["body"];
  /** The same key means the same intent: what is sent twice with it is done once. */
  key?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** What the server says when it refuses; `status` 0 when it does not answer at all. */
export class ProblemError extends Error {
  readonly status: number;
  readonly problem: Partial<Problem>;

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? `HTTP ${status}`);
    this.status = status;
    this.problem = problem;
  }
}

let language = "en";
let whenLoggedOut: () => void = () => undefined;
let aheadMs = 0;
let namespace = "";

export function speak(wanted: string): void {
  language = wanted;
}

/** Which namespace lists are of; "": all of them. */
export function lookAt(wanted: string): void {
  namespace = wanted;
}

/** Lists of many namespaces, and what is done with all of a list. One that is asked for by name has its own namespace. */
const LISTS: ReadonlySet<Name> = new Set([
  "get_overview",
  "get_ahead",
  "list_jobs",
  "list_runs",
  "list_journal",
  "list_skips",
  "list_locks",
  "list_limits",
  "list_alerts",
  "list_backfills",
  "list_checks",
  "search",
  "pause_jobs",
  "resume_jobs",
  "trigger_jobs",
  "delete_jobs",
]);

export function onLoggedOut(listener: () => void): void {
  whenLoggedOut = listener;
}

/** The server's time: instants are compared with it, not with the clock of this machine. */
export function serverNow(): number {
  return Date.now() + aheadMs;
}

export async function call<K extends Name>(name: K, given: Given<K> = {}): Promise<Operations[K]["answer"]> {
  const response = await send(name, given);
  if (!response.ok) throw await problemOf(response, name);
  if (response.status === 204) return undefined as Operations[K]["answer"];
  return (await response.json()) as Operations[K]["answer"];
}

/** An answer that is read as it comes. */
export async function stream<K extends Name>(
  name: K,
  given: Given<K> = {},
): Promise<ReadableStream<Uint8Array>> {
  const response = await send(name, given);
  if (!response.ok || !response.body) throw await problemOf(response, name);
  return response.body;
}

async function send<K extends Name>(name: K, given: Given<K>): Promise<Response> {
  const [method] = ROUTES[name];
  const headers: Record<string, string> = { "Accept-Language": language, ...given.headers };
  const init: RequestInit = { method, headers, credentials: "same-origin" };
  if (given.signal) init.signal = given.signal;
  if (method !== "GET") headers["X-Foliot-Csrf"] = "1";
  const address = addressOf(name, given);
  if (given.key) headers["Idempotency-Key"] = keyOf(given.key, address, given.body);
  if (given.body !== undefined) {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(given.body);
  }
  const response = await answered(address, init);
  noteTime(response);
  noteAge(response);
  return response;
}

/** Whoever writes another reason after an answer was lost sends something else: the server refuses that under the same key. */
function keyOf(intent: string, address: string, body: unknown): string {
  return `${intent}-${fingerprint(`${address} ${JSON.stringify(body ?? null)}`)}`;
}

async function answered(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ProblemError(0, {});
  }
}

export function addressOf<K extends Name>(name: K, given: Given<K>): string {
  const [, path] = ROUTES[name];
  const parts = (given.path ?? {}) as Record<string, string | number>;
  const filled = path.replace(/\{(\w+)\}/g, (_, part: string) =>
    encodeURIComponent(String(parts[part] ?? "")),
  );
  const query = new URLSearchParams();
  if (namespace !== "" && LISTS.has(name)) query.set("namespace", namespace);
  for (const [field, value] of Object.entries((given.query ?? {}) as Record<string, unknown>)) {
    if (value === undefined || value === null || value === "" || value === false) continue;
    if (field === "namespace") query.delete(field); // its own goes first
    for (const one of Array.isArray(value) ? value : [value]) query.append(field, String(one));
  }
  const text = query.toString();
  return text ? `${filled}?${text}` : filled;
}

/** Calls that are refused with 401 because what was given is wrong, not because the session is over. */
const WAYS_IN: ReadonlySet<Name> = new Set(["login", "start_session"]);

async function problemOf(response: Response, name: Name): Promise<ProblemError> {
  if (response.status === 401 && !WAYS_IN.has(name)) whenLoggedOut();
  let problem: Partial<Problem> = {};
  try {
    problem = (await response.json()) as Partial<Problem>;
  } catch {
    // A proxy in between may answer with a page of its own: the status alone is known then.
  }
  return new ProblemError(response.status, problem);
}

function noteTime(response: Response): void {
  const said = Date.parse(response.headers.get("Date") ?? "");
  if (Number.isNaN(said)) return;
  const ahead = said - Date.now();
  // The header has whole seconds: a smaller difference says nothing.
  aheadMs = Math.abs(ahead) < 2000 ? 0 : ahead;
}

/** A refusal says nothing of the data: what is on the screen stays as old as it was. */
function noteAge(response: Response): void {
  const said = response.headers.get("Foliot-Replica-Age");
  if (said !== null) setReplicaAge(Number(said));
  else if (response.ok) setReplicaAge(null);
}

/** A fresh key for one intent of the user. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
