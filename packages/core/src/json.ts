/** An object from outside whose fields are not checked yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** An object with fields, and not a list. */
export const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Without the fields that are undefined. */
export const defined = <T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

/**
 * The JSON text of a value with the keys of every object sorted and undefined fields left out, so equal values have
 * equal texts.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (!isRecord(value)) return value === undefined ? "null" : JSON.stringify(value);
  let members = "";
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) members += `${members === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}
