/// A definition while it is edited: text in YAML. The form changes single fields of it; comments and order stay.
import { isMap, parseDocument } from "yaml";

export type Path = readonly (string | number)[];

/** The value of a field; undefined when it is not set, or when the text is no YAML. */
export function fieldOf(text: string, path: Path): unknown {
  const document = parseDocument(text);
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  const value: unknown = document.toJS();
  return path.reduce<unknown>((found, part) => (isObject(found) ? found[String(part)] : undefined), value);
}

/** The text with one field set, or taken out where the value is undefined. A text that is no YAML stays as it is. */
export function withField(text: string, path: Path, value: unknown): string {
  const document = parseDocument(text === "" ? "{}" : text);
  if (document.errors.length > 0 || !isMap(document.contents)) return text;
  if (document.contents.items.length === 0) document.contents.flow = false;
  if (value === undefined) {
    if (document.hasIn(path)) document.deleteIn(path);
    const parent = document.getIn(path.slice(0, -1));
    if (path.length > 1 && isMap(parent) && parent.items.length === 0) document.deleteIn(path.slice(0, -1));
  } else {
    document.setIn(path, document.createNode(value));
  }
  return document.toString({ lineWidth: 100 });
}

export type ScheduleKind = "none" | "cron" | "every" | "words" | "other";

/** Which kind of schedule a form can show; `other` stands in the YAML alone. */
export function scheduleKindOf(schedule: unknown): ScheduleKind {
  if (schedule === undefined || schedule === null) return "none";
  if (typeof schedule === "string") return "words";
  if (!isObject(schedule)) return "other";
  if ("cron" in schedule) return "cron";
  return "every" in schedule ? "every" : "other";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
