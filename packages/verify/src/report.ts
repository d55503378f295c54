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
