/** Plain JSON: stored and given back, never interpreted here. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One text for one value: the keys of every object in order, nothing else changed. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join()}}`;
}
