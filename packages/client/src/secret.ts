import { z } from "zod";

const secrets = z.registry<{ readonly isSecret: true }>();

/** Marks a field that opens something: no refusal repeats it, nor anything else of its body. */
export const secret = (text: z.ZodString): z.ZodString => text.register(secrets, { isSecret: true });

/** What a secret is where the server made it: a token, a link, an invitation. */
export const secretText = secret(z.string().min(1).max(200));

/** The names of the secret fields in a schema, at any depth. */
export function secretFieldsOf(schema: unknown): readonly string[] {
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, field]) => [
      ...(isSecret(field) ? [name] : []),
      ...secretFieldsOf(field),
    ]);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(secretFieldsOf);
  if (schema instanceof z.ZodArray) return secretFieldsOf(schema.element);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return secretFieldsOf(schema.unwrap());
  return [];
}

const isSecret = (schema: unknown): boolean =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? isSecret(schema.unwrap())
    : schema instanceof z.ZodType && secrets.get(schema) !== undefined;
