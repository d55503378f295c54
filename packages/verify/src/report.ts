/** Lists what is wrong with a part of an export. */
export type Report = (where: string, problem: string) => void;

/** Runs the check of a part. What cannot be read is a problem of that part, and ends it: then null. */
export async function attempt<T>(where: string, report: Report, part: () => T | Promise<T>): Promise<T | null> {
  try {
    return await part();
  } catch (error) {
    report(where, error instanceof SyntaxError ? `cannot be read: ${error.message}` : "cannot be read");
    return null;
  }
}

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
