/** One sentence of a source document, the part of the product that does it, and the value that shows it. */
export interface SourceRow {
  readonly document: SourceDocument;
  /** The line of the document, from 1. */
  readonly line: number;
  /** Words of that line, or a summary of its requirement. */
  readonly says: string;
  /** The command, function, route or page. */
  readonly where: string;
  readonly walk: () => string | Promise<string>;
  readonly expected: string;
}

export const documents = {
  agent: "AGENT, privacy budget",
  fdp: "fdp, epsdelta",
  risk: "Differential privacy at risk",
  psi: "Privacy Budgeting Interface",
} as const;
export type SourceDocument = keyof typeof documents;

/** Rows of one document. */
export const rowsOf =
  (document: SourceDocument) =>
  (line: number, says: string, where: string, expected: string, walk: SourceRow["walk"]): SourceRow => ({
    document,
    line,
    says,
    where,
    expected,
    walk,
  });

/** Numbers rounded to these significant digits, one after the other. */
export const shown = (digits: number, ...values: readonly number[]): string =>
  values.map((value) => String(Number(value.toPrecision(digits)))).join(" ");

/** The message of the error that a call throws. */
export function refusalOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "not refused";
}
