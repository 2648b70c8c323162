/// A schedule of reports as a form, and the form as a schedule again; days of a report.
import { dayAfter } from "./day.ts";

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export const KINDS = ["daily", "weekly"] as const;
export type Kind = (typeof KINDS)[number];

export interface ScheduleForm {
  kind: string;
  at: string;
  weekday: string;
  timezone: string;
  to: string[];
  /** Empty: that of each channel. */
  language: string;
  isOn: boolean;
}

type Document = Record<string, unknown>;

export function scheduleForm(written: Document, zone: string): ScheduleForm {
  return {
    kind: text(written.kind) || "daily",
    at: text(written.at) || "08:00",
    weekday: text(written.weekday) || "mon",
    timezone: text(written.timezone) || zone,
    to: Array.isArray(written.to) ? written.to.map(String) : [],
    language: text(written.language),
    isOn: written.on !== false,
  };
}

export function scheduleDocument(form: ScheduleForm): Document {
  return {
    kind: form.kind,
    at: form.at,
    ...(form.kind === "weekly" && { weekday: form.weekday }),
    timezone: form.timezone.trim(),
    to: form.to,
    ...(form.language !== "" && { language: form.language }),
    ...(!form.isOn && { on: false }),
  };
}

/** A day of the period before (-1) or after (1) the one that begins on this day. */
export function periodBeside(kind: Kind, date: string, step: 1 | -1): string {
  return dayAfter(date, kind === "weekly" ? 7 * step : step);
}

/** How a figure changed: `+12 %`, `−3 %`; empty where there is nothing to compare with. */
export function changeOf(now: number | null, before: number | null | undefined): string {
  if (now === null || before === null || before === undefined || before === 0 || now === before) return "";
  const share = (now - before) / before;
  const value = Math.round(Math.abs(share) * 100);
  if (value === 0) return "";
  return `${share > 0 ? "+" : "−"}${value} %`;
}

function text(value: unknown): string {
  return value === undefined || value === null ? "" : String(value);
}
