/** Plain JSON: stored and given back, never interpreted here. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One text for one value: the keys of every object in order, nothing else changed. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  let members = "";
  for (const key of Object.keys(value).sort()) {
    const member = (value as { readonly [key: string]: Json | undefined })[key];
    if (member !== undefined) members += `${members === "" ? "" : ","}${JSON.stringify(key)}:${canonical(member)}`;
  }
  return `{${members}}`;
}
