import { z } from "zod";

/** A JSON schema, as far as this folder looks at it. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly [keyword: string]: unknown;
}

export const outputSchemaOf = (schema: z.ZodType): JsonSchema => ({ type: "object", ...jsonSchema(schema, "output") });

/** The schema of a tool's arguments, without references: many clients pass it on to models that do not follow them. */
export function inputSchemaOf(schema: z.ZodObject): JsonSchema {
  const { $defs = {}, ...whole } = jsonSchema(schema, "input");
  return { type: "object", ...inlined(whole, $defs) };
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, id: __, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest as JsonSchema;
}

/** No schema of the wire holds itself. */
function inlined<T>(part: T, defs: Readonly<Record<string, JsonSchema>>): T {
  if (Array.isArray(part)) return part.map((each) => inlined(each, defs)) as T;
  if (typeof part !== "object" || part === null) return part;
  const { $ref, ...rest } = part as JsonSchema;
  const own = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, inlined(value, defs)]));
  if (typeof $ref !== "string") return own as T;
  return { ...inlined(defs[$ref.replace("#/$defs/", "")], defs), ...own } as T;
}

const NUMBER = /^\s*-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;
/** A longer text is no number that anyone writes. */
const MAX_DIGITS = 400;
const isNumber = (text: string): boolean => text.length <= MAX_DIGITS && NUMBER.test(text);

/**
 * The value with each number as its schema takes it, as models send now the one and now the other: a text becomes a number
 * where only numbers are taken, and a number becomes its shortest decimal where an exact amount is, so that a key that is sent
 * again names the same request. Everything else stays for the schema to refuse.
 */
export function numbersAsTaken(value: unknown, schema: JsonSchema | undefined): unknown {
  if (schema === undefined) return value;
  if (typeof value === "string") return takesOnlyNumbers(schema) && isNumber(value) ? Number(value) : value;
  if (typeof value === "number") return takesAmounts(schema) ? String(value) : value;
  if (Array.isArray(value)) return value.map((each) => numbersAsTaken(each, partOf(schema, "items")));
  if (typeof value !== "object" || value === null) return value;
  const properties = partOf(schema, "properties") as Readonly<Record<string, JsonSchema>> | undefined;
  const others = partOf(schema, "additionalProperties");
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      numbersAsTaken(each, properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : others),
    ]),
  );
}

/** The schema of an amount on the wire: a decimal text or a number. */
const takesAmounts = ({ anyOf = [] }: JsonSchema): boolean =>
  anyOf.length === 2 && anyOf[0]?.type === "string" && anyOf[1]?.type === "number";

function takesOnlyNumbers({ type, anyOf = [] }: JsonSchema): boolean {
  if (typeof type === "string") return type === "number" || type === "integer";
  const texts = anyOf.filter((one) => typeof one.type !== "string" || one.type === "string");
  return type === undefined && texts.length === 0 && anyOf.some(takesOnlyNumbers);
}

/** A keyword of the schema, or of the only alternative that has it. */
function partOf(schema: JsonSchema, keyword: "items" | "properties" | "additionalProperties"): JsonSchema | undefined {
  const [found] = [schema, ...(schema.anyOf ?? [])].flatMap((one) => {
    const part = one[keyword];
    return typeof part === "object" ? [part as JsonSchema] : [];
  });
  return found;
}
