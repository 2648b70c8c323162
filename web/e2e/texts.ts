/// Every text that a request may hold, by the API's own document: a new one is on the list as soon as it is there.

interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  type?: string;
  format?: string;
  pattern?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
}

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, { schema: Schema }> };
}

export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** A text in the body of a request. `at`: the way to it; `[]` is an item of a list, `*` a key that the user chooses. */
export interface Text {
  operation: string;
  method: string;
  path: string;
  at: string[];
}

/** Words of a list, dates and what has a pattern hold no markup: the server reads them. */
export function textsOf(document: Document): Text[] {
  const found: Text[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { operationId, requestBody }] of Object.entries(methods)) {
      const ways = new Map<string, string[]>();
      for (const { schema } of Object.values(requestBody?.content ?? {})) {
        for (const at of within(document, schema, [], [])) ways.set(at.join("."), at);
      }
      const of = { operation: operationId, method: method.toUpperCase(), path };
      found.push(...[...ways.values()].map((at) => ({ ...of, at })));
    }
  }
  return found;
}

function within(document: Document, schema: Schema, at: string[], inside: string[]): string[][] {
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    const model = document.components.schemas[name];
    return model && !inside.includes(name) ? within(document, model, at, [...inside, name]) : [];
  }
  if (schema.enum || "const" in schema) return [];
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const found = parts.flatMap((part) => within(document, part, at, inside));
  if (schema.type === "string" && !schema.format && !schema.pattern) found.push(at);
  if (schema.items) found.push(...within(document, schema.items, [...at, "[]"], inside));
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    found.push(...within(document, field, [...at, name], inside));
  }
  if (typeof schema.additionalProperties === "object") {
    found.push(...within(document, schema.additionalProperties, [...at, "*"], inside));
  }
  return found;
}

/** A body that has this text there, and else is as it was. A key that the user chooses is `key`. */
export function withText(body: unknown, at: readonly string[], text: string, key = "odd"): unknown {
  const [step, ...rest] = at;
  if (step === undefined) return text;
  if (step === "[]") return [withText(Array.isArray(body) ? body[0] : undefined, rest, text, key)];
  const name = step === "*" ? key : step;
  const fields = typeof body === "object" && !Array.isArray(body) ? body : {};
  return { ...fields, [name]: withText((fields as Record<string, unknown> | null)?.[name], rest, text, key) };
}
