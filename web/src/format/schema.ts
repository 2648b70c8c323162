/// The fields of a form out of a JSON Schema, and what the user wrote as JSON again.

export type FieldKind = "text" | "integer" | "number" | "switch" | "choice" | "date" | "json";

export interface FormField {
  name: string;
  kind: FieldKind;
  title: string;
  description: string;
  isNeeded: boolean;
  choices: string[];
  initial: string;
}

type Schema = Record<string, unknown>;

export function fieldsOf(schema: Schema | null): FormField[] {
  const properties = (schema?.properties ?? {}) as Record<string, Schema>;
  const needed = new Set((schema?.required ?? []) as string[]);
  return Object.entries(properties).map(([name, property]) => fieldOf(name, property, needed.has(name)));
}

function fieldOf(name: string, property: Schema, isNeeded: boolean): FormField {
  const kind = kindOf(property);
  const choices = choicesOf(property);
  return {
    name,
    kind,
    title: typeof property.title === "string" ? property.title : name,
    description: typeof property.description === "string" ? property.description : "",
    isNeeded,
    choices,
    initial: written(property.default, kind),
  };
}

function choicesOf(property: Schema): string[] {
  const words = property.enum ?? plain(property).enum;
  return Array.isArray(words) ? words.filter((word) => word !== null).map(String) : [];
}

/** `X or null` is asked for like X: what is left empty is not sent. */
function plain(property: Schema): Schema {
  const options = (property.anyOf ?? property.oneOf) as Schema[] | undefined;
  const others = options?.filter((option) => option.type !== "null");
  return others?.length === 1 && others[0] ? others[0] : property;
}

function kindOf(property: Schema): FieldKind {
  if (choicesOf(property).length > 0) return "choice";
  const { type, format } = plain(property);
  if (type === "string") return format === "date" ? "date" : "text";
  if (type === "integer" || type === "number") return type;
  if (type === "boolean") return "switch";
  return "json";
}

function written(value: unknown, kind: FieldKind): string {
  if (value === undefined || value === null) return kind === "switch" ? "false" : "";
  return typeof value === "string" && kind !== "json" ? value : JSON.stringify(value);
}

export interface Filled {
  params: Record<string, unknown>;
  errors: Record<string, "needed" | "number" | "json">;
}

/** What the form says, as parameters. Empty fields are left out: the handler's own default counts. */
export function filled(fields: FormField[], values: Record<string, string>): Filled {
  const params: Record<string, unknown> = {};
  const errors: Filled["errors"] = {};
  for (const field of fields) {
    const value = values[field.name] ?? field.initial;
    if (value === "" && field.kind !== "text") {
      if (field.isNeeded) errors[field.name] = "needed";
      continue;
    }
    if (value === "" && !field.isNeeded) continue;
    if (value === field.initial && !field.isNeeded) continue;
    const read = parsed(field.kind, value);
    if ("error" in read) errors[field.name] = read.error;
    else params[field.name] = read.value;
  }
  return { params, errors };
}

function parsed(kind: FieldKind, value: string): { value: unknown } | { error: "number" | "json" } {
  switch (kind) {
    case "switch":
      return { value: value === "true" };
    case "integer":
    case "number": {
      const found = Number(value);
      const isWrong =
        value.trim() === "" || !Number.isFinite(found) || (kind === "integer" && !Number.isInteger(found));
      return isWrong ? { error: "number" } : { value: found };
    }
    case "json":
      try {
        return { value: JSON.parse(value) };
      } catch {
        return { error: "json" };
      }
    default:
      return { value };
  }
}
