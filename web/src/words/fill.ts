/// A sentence with its values. Lists say some thousand of them: a look into the words each time would be seen.

export type Values = Record<string, string | number>;

/** `{{name}}` stands for the value of this name. What is in a value is text, whatever it looks like. */
export function filled(sentence: string, values: Values): string {
  return sentence.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name] ?? ""));
}
