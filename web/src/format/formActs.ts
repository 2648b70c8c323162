/// What the forms of checks, rules, channels and tokens save, as commands, as requests and in Python.
import { type Act, type Asked, asFields, type Method } from "./snippets.ts";

type Document = Record<string, unknown>;

interface Saved {
  name: string;
  /** As it is sent. */
  asked: Asked;
  /** Of what was there before; 0: it is new. */
  version: number;
  reason?: string;
}

/** A command says a new one whole. Of a changed one it could not say what was taken out, so there is none. */
export function checkAct(check: Document, namespace: string, { name, asked, version, reason }: Saved): Act {
  const { to, tags, ...plain } = check;
  const options = { ...textsOf(plain), to: listOf(to), tag: asFields((tags ?? {}) as Document), reason };
  const more = { reason, namespace };
  if (version > 0)
    return { asked, method: saving("checks.put", name, check, { if_version: version, ...more }) };
  const method = saving("checks.create", name, check, more);
  return { verb: "check create", of: name, namespace, options, asked, method };
}

const RULE_OPTIONS = ["when", "of", "level", "for", "after", "to", "remind", "runbook", "on"];

/** `namespace` null: of the whole cluster. What the form takes as YAML has no options: then there is no command. */
export function ruleAct(
  rule: Document,
  namespace: string | null,
  { name, asked, version, reason }: Saved,
): Act {
  const { of, to, on, ...plain } = rule;
  const place = namespace === null ? { everywhere: true } : { namespace };
  const more = { if_version: version || undefined, ...place, reason };
  const act: Act = { asked, method: saving("rules.put", name, rule, more) };
  const patterns = Object.values((of ?? {}) as Document);
  const isPlain = patterns.every((one) => typeof one === "string");
  if (version > 0 || !isPlain || Object.keys(rule).some((field) => !RULE_OPTIONS.includes(field))) return act;
  const options = {
    ...textsOf(plain),
    of: asFields((of ?? {}) as Document),
    to: listOf(to),
    off: on === false || undefined,
    everywhere: namespace === null || undefined,
    reason,
  };
  return { ...act, verb: "alert rule set", of: name, namespace: namespace ?? "default", options };
}

/** A new channel belongs to the whole cluster. */
export function channelAct(
  channel: Document,
  namespace: string | undefined,
  { name, asked, version }: Saved,
): Act {
  // One of the namespace `default` is told from the cluster's by the request alone.
  if (namespace === "default") return { asked };
  const more = { if_version: version || undefined, namespace };
  const act: Act = { asked, method: saving("channels.put", name, channel, more) };
  if (version > 0 || namespace !== undefined) return act;
  const { kind, settings, level, language, default: isDefault, on } = channel;
  const options = {
    ...textsOf({ kind }),
    set: asFields((settings ?? {}) as Document),
    ...textsOf({ level, language }),
    [isDefault === false ? "no-default" : "default"]: true as const,
    off: on === false || undefined,
  };
  return { ...act, verb: "alert channel add", of: name, options };
}

interface NewToken {
  name: string;
  scopes: string[];
  expires: string;
  namespace: string;
  group: string;
}

export function tokenAct({ name, scopes, expires, namespace, group }: NewToken, asked: Asked): Act {
  return {
    verb: "token create",
    of: name,
    options: { scope: scopes, expires, "for-namespace": namespace, "for-group": group },
    asked,
    method: {
      name: "tokens.create",
      given: [name, scopes],
      options: { expires, for_namespace: namespace, group },
      answer: "made",
    },
  };
}

function saving(name: string, of: string, document: Document, options: Document): Method {
  return { name, given: [of, document], options };
}

function textsOf(fields: Document): Record<string, string> {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(said.map(([field, value]) => [field, String(value)]));
}

function listOf(values: unknown): string[] {
  return Array.isArray(values) ? values.map(String) : [];
}
