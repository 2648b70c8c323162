/// The fields of a form out of a JSON Schema, and what the user wrote as JSON again.

export type FieldKind = "text" | "integer" | "number" | "switch" | "choice" | "date" | "json";

export interface FormField {
  name: string;
  kind: FieldKind;
  title: string;
  description: string;
  isNeeded: boolean;
  /** What can be chosen, by the words it is shown with. */
  choices: ReadonlyMap<string, unknown>;
  initial: string;
  /** Whether there may be none of it, whatever its default is. */
  isNullable: boolean;
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
    isNullable: isNullable(property),
  };
}

function choicesOf(property: Schema): Map<string, unknown> {
  const values = property.enum ?? plain(property).enum;
  const some = Array.isArray(values) ? values.filter((value) => value !== null) : [];
  return new Map(some.map((value) => [written(value, "choice"), value]));
}

function isNullable(property: Schema): boolean {
  const options = (property.anyOf ?? property.oneOf ?? [property]) as Schema[];
  return options.some((option) => [option.type].flat().includes("null"));
}

/** `X or null` is asked for like X: what is left empty is not sent. */
function plain(property: Schema): Schema {
  const options = (property.anyOf ?? property.oneOf) as Schema[] | undefined;
  const others = options?.filter((option) => option.type !== "null");
  return others?.length === 1 && others[0] ? others[0] : property;
}

function kindOf(property: Schema): FieldKind {
  if (choicesOf(property).size > 0) return "choice";
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

/** What an emptied field says; undefined: nothing, the handler's own default counts. */
function emptied(field: FormField): "" | null | undefined {
  if (field.initial === "") return undefined; // it was empty from the start
  if (field.isNullable) return null;
  return field.kind === "text" ? "" : undefined;
}

/** What the form says, as parameters. What is empty as it was, or as it began, is left out. */
export function filled(fields: FormField[], values: Record<string, string>): Filled {
  const params: Record<string, unknown> = {};
  const errors: Filled["errors"] = {};
  for (const field of fields) {
    const value = values[field.name] ?? field.initial;
    if (value === "" && !(field.isNeeded && field.kind === "text")) {
      const none = emptied(field);
      if (none !== undefined) params[field.name] = none;
      else if (field.isNeeded) errors[field.name] = "needed";
      continue;
    }
    if (value === field.initial && !field.isNeeded) continue;
    const read = parsed(field, value);
    if ("error" in read) errors[field.name] = read.error;
    else params[field.name] = read.value;
  }
  return { params, errors };
}

function parsed(
  { kind, choices }: FormField,
  value: string,
): { value: unknown } | { error: "number" | "json" } {
  switch (kind) {
    case "choice":
      return { value: choices.has(value) ? choices.get(value) : value };
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
