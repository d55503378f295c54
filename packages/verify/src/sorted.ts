/** What a ledger states nests less. */
const MAX_DEPTH = 200;

/** JSON with the fields of every object in the order of their names. SyntaxError where it nests deeper than `MAX_DEPTH` levels. */
export function sorted(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) throw new SyntaxError(`it nests deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return value.map((one) => sorted(one, depth + 1));
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field, depth + 1)]));
}
