/// The settings of a channel as fields of a form, out of the JSON Schema of its kind; and what was written as settings again.

export interface SettingField {
  name: string;
  kind: "secret" | "list" | "choice" | "number" | "text";
  isNeeded: boolean;
  choices: string[];
  usual: string;
  example: string;
  description: string;
}

type Schema = Record<string, unknown>;

/** What must be written comes first. */
export function settingsOf(schema: Schema): SettingField[] {
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const needed = new Set((schema.required ?? []) as string[]);
  const fields = Object.entries(properties).map(([name, one]) => fieldOf(name, one, needed.has(name)));
  return [...fields.filter((one) => one.isNeeded), ...fields.filter((one) => !one.isNeeded)];
}

function fieldOf(name: string, one: Schema, isNeeded: boolean): SettingField {
  const choices = Array.isArray(one.enum) ? one.enum.map(String) : [];
  const examples = Array.isArray(one.examples) ? one.examples : [];
  return {
    name,
    kind: kindOf(one, choices),
    isNeeded,
    choices,
    usual: one.default === undefined ? "" : String(one.default),
    example: examples.length > 0 ? String(examples[0]) : "",
    description: typeof one.description === "string" ? one.description : "",
  };
}

function kindOf(one: Schema, choices: string[]): SettingField["kind"] {
  if (one.secret === true) return "secret";
  if (choices.length > 0) return "choice";
  if (one.type === "array") return "list";
  return one.type === "integer" || one.type === "number" ? "number" : "text";
}

const REFERENCE = /^\$\{secret:(.+)\}$/;

/** What stands in the form for a setting. Of a secret only its name is ever here. */
export function writtenSetting(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.join(", ");
  const text = String(value);
  return REFERENCE.exec(text)?.[1] ?? text;
}

/** The settings that the form says; what is empty is left out. */
export function settingsFrom(
  fields: readonly SettingField[],
  values: Record<string, string>,
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const field of fields) {
    const value = (values[field.name] ?? "").trim();
    if (value !== "") found[field.name] = settingFrom(field, value);
  }
  return found;
}

function settingFrom(field: SettingField, value: string): unknown {
  switch (field.kind) {
    case "secret":
      return `\${secret:${REFERENCE.exec(value)?.[1] ?? value}}`;
    case "list":
      return value
        .split(/[,，\s]+/)
        .map((one) => one.trim())
        .filter((one) => one !== "");
    case "number":
      return Number.isFinite(Number(value)) ? Number(value) : value;
    default:
      return value;
  }
}

/** The names of the secrets that settings refer to. */
export function secretsIn(settings: Record<string, unknown>): string[] {
  return Object.values(settings)
    .map((value) => (typeof value === "string" ? REFERENCE.exec(value)?.[1] : undefined))
    .filter((name) => name !== undefined);
}

/** What a server's file says so that it has these secrets. */
export function secretsFile(names: readonly string[]): string {
  return names.map((name) => `[secrets.${name}]\nenv = "${name}"\nnamespaces = ["*"]`).join("\n\n");
}
