/// A check of a job outside of Foliot as a form, and the form as a check again.
import { readLabels, writeLabels } from "./place.ts";

export interface CheckForm {
  rhythm: "every" | "cron";
  every: string;
  cron: string;
  timezone: string;
  grace: string;
  longest: string;
  /** Empty: as the rule says. */
  level: string;
  to: string[];
  owner: string;
  description: string;
  runbook: string;
  tags: string;
}

type Document = Record<string, unknown>;

export function emptyCheck(zone: string): CheckForm {
  return {
    rhythm: "every",
    every: "1d",
    cron: "0 2 * * *",
    timezone: zone,
    grace: "",
    longest: "",
    level: "",
    to: [],
    owner: "",
    description: "",
    runbook: "",
    tags: "",
  };
}

export function checkForm(written: Document, zone: string): CheckForm {
  const usual = emptyCheck(zone);
  const isCron = written.cron !== undefined;
  return {
    ...usual,
    rhythm: isCron ? "cron" : "every",
    every: text(written.every) || usual.every,
    cron: text(written.cron) || usual.cron,
    timezone: isCron ? text(written.timezone) || "UTC" : zone,
    grace: text(written.grace),
    longest: text(written.longest),
    level: text(written.level),
    to: Array.isArray(written.to) ? written.to.map(String) : [],
    owner: text(written.owner),
    description: text(written.description),
    runbook: text(written.runbook),
    tags: writeLabels(written.tags) ?? "",
  };
}

/** The check that the form says; null: its tags are no list of labels. */
export function checkDocument(form: CheckForm): Document | null {
  const tags = readLabels(form.tags);
  if (tags === null) return null;
  const rhythm =
    form.rhythm === "every"
      ? { every: form.every.trim() }
      : { cron: form.cron.trim(), timezone: form.timezone.trim() };
  const fields = {
    ...rhythm,
    grace: form.grace.trim(),
    longest: form.longest.trim(),
    owner: form.owner.trim(),
    description: form.description.trim(),
    runbook: form.runbook.trim(),
    level: form.level,
    to: form.to.length > 0 ? form.to : "",
    tags: tags ?? "",
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

function text(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}
