/// A rule of alerts as a form, and the form as a rule again. What has no field of its own stays as YAML.
import { fromYaml, toYaml } from "./yaml.ts";

export interface RuleForm {
  when: string;
  job: string;
  group: string;
  node: string;
  level: string;
  lasts: string;
  after: string;
  to: string[];
  remind: string;
  runbook: string;
  isOn: boolean;
  /** Everything else: hours, escalate, do, recover, tags. */
  rest: string;
}

export const EMPTY_RULE: RuleForm = {
  when: "failed",
  job: "",
  group: "",
  node: "",
  level: "warning",
  lasts: "",
  after: "",
  to: [],
  remind: "",
  runbook: "",
  isOn: true,
  rest: "",
};

type Document = Record<string, unknown>;

export function ruleForm(written: Document): RuleForm {
  const { when, of, level, for: lasts, after, to, remind, runbook, on, ...others } = written;
  const { job, group, node, ...further } = (of ?? {}) as Document;
  const rest: Document = { ...others, ...(Object.keys(further).length > 0 && { of: further }) };
  return {
    when: text(when),
    job: text(job),
    group: text(group),
    node: text(node),
    level: text(level) || "warning",
    lasts: text(lasts),
    after: text(after),
    to: Array.isArray(to) ? to.map(String) : [],
    remind: text(remind),
    runbook: text(runbook),
    isOn: on !== false,
    rest: Object.keys(rest).length > 0 ? toYaml(rest) : "",
  };
}

/** The rule that the form says; `line`: where the YAML in it stops being YAML. */
export function ruleDocument(form: RuleForm): { rule: Document } | { line: number } {
  const read = fromYaml(form.rest);
  if ("line" in read) return { line: read.line };
  const of = given({
    ...((read.value.of ?? {}) as Document),
    job: form.job.trim(),
    group: form.group.trim(),
    node: form.node.trim(),
  });
  const rule = given({
    ...read.value,
    when: form.when.trim(),
    of: Object.keys(of).length > 0 ? of : "",
    level: form.level === "warning" ? "" : form.level,
    for: form.lasts.trim(),
    after: countOr(form.after.trim()),
    to: form.to.length > 0 ? form.to : "",
    remind: form.remind.trim(),
    runbook: form.runbook.trim(),
    on: form.isOn ? "" : false,
  });
  return { rule };
}

/** `3` is a number of times, `2 in 24h` a text. */
function countOr(written: string): string | number {
  return /^\d+$/.test(written) ? Number(written) : written;
}

function given(fields: Document): Document {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== "" && value !== undefined),
  );
}

function text(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}
