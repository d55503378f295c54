import { countText } from "@dosimeter/core/internal";
import type { ColumnFit, Fit, Misfit, MisfitKind, StoredValue } from "./engine.ts";

/** What a check compares rows with, as its words name it. */
export interface FitTo {
  readonly columns: Readonly<Record<string, { readonly type: string; readonly isRequired: boolean }>>;
  /** Whom a row is about, the column that names them, and how many rows each may have. */
  readonly unit: { readonly one: string; readonly many: string; readonly column: string; readonly rows: string };
  /** The number of rows that was declared; NaN for none. */
  readonly size: number;
}

type FitKind =
  | MisfitKind
  | ("gaps" | "apart" | "within" | "points" | "rare" | "unheld")
  | ("unit missing" | "unit over" | "broken" | "size");

/** One thing that does not fit, or that fits few rows, in words. */
export interface FitSentence {
  readonly kind: FitKind;
  /** "" where it is about units and rows. */
  readonly column: string;
  readonly text: string;
  readonly values: readonly StoredValue[];
  /** How many more different values there are. */
  readonly more: number;
}

const rowsText = (count: number): string => countText(count, "row");
/** "1 row holds", "2 rows hold". */
const rowsThat = (count: number, verb: string): string => `${rowsText(count)} ${verb}${count === 1 ? "s" : ""}`;
const bare = { column: "", values: [], more: 0 } as const;

/** What a check says, in the words of pages and commands: as secret as the rows. Nothing where everything fits. */
export function fitSentences(fit: Fit, to: FitTo, fewerThan: number): readonly FitSentence[] {
  return [
    ...unitSentences(fit, to),
    ...sizeSentences(fit, to),
    ...fit.broken.map(({ says, rows }) => ({
      ...{ ...bare, kind: "broken" as const },
      text: `${rowsThat(rows, "break")} what you declared impossible: ${says}. Tables show such cells as 0, so these rows are counted elsewhere or not at all; correct them, or the declaration.`,
    })),
    ...fit.columns.flatMap((column) => {
      const declared = to.columns[column.name];
      return declared === undefined ? [] : columnSentences(column, declared, { all: fit.rows, fewerThan });
    }),
  ];
}

function columnSentences(
  fit: ColumnFit,
  declared: FitTo["columns"][string],
  { all, fewerThan }: { readonly all: number; readonly fewerThan: number },
): readonly FitSentence[] {
  const { name: column, apart, within, marksThousands, rare, rareCount } = fit;
  const lacking = fit.empty + fit.marked;
  const [none, few] = [rare.filter(({ rows }) => rows === 0), rare.filter(({ rows }) => rows > 0)];
  const more = rareCount - rare.length;
  const of = (is: boolean, sentence: Omit<FitSentence, "column" | "values" | "more"> & Partial<FitSentence>) =>
    is ? [{ ...bare, ...sentence, column }] : [];
  return [
    ...fit.misfits.map((misfit) => ({
      ...{ kind: misfit.kind, column, text: misfitText(misfit, declared, all - lacking) },
      ...{ values: misfit.frequent, more: misfit.values - misfit.frequent.length },
    })),
    ...of(declared.isRequired && lacking > 0, {
      kind: "gaps",
      text: `${rowsThat(lacking, "hold")} no value, but it is declared as never missing.`,
    }),
    ...of(apart.length > 0, {
      kind: "apart",
      text: "Many rows hold the least or the largest value, apart from all others. Where it stands for a missing value, mark it: else it counts as it is.",
      values: apart,
    }),
    ...of(within !== undefined, {
      kind: "within",
      text: `All values ${within?.lower === within?.upper ? `are ${within?.lower}` : `lie between ${within?.lower} and ${within?.upper}`}, a small part of your bounds: are they in another unit, or does a point mark thousands? The noise is as large as the bounds are wide.`,
    }),
    ...of(marksThousands === true, {
      kind: "points",
      text: "All points stand before three digits: do they mark thousands? A point is read as the start of a fraction.",
    }),
    ...of(few.length > 0, {
      kind: "rare",
      text: `Fewer than ${fewerThan} rows hold these categories. Everyone who plans reads that such people are in the data: put rare categories together in the file, or remove them here.`,
      ...{ values: few, more },
    }),
    ...of(none.length > 0, {
      kind: "unheld",
      text: "No row holds these categories.",
      ...{ values: none, more: few.length > 0 ? 0 : more },
    }),
  ];
}

function misfitText(
  { kind, rows, range }: Misfit,
  { type, isRequired }: FitTo["columns"][string],
  held: number,
): string {
  if (kind === "unreadable") return `${rowsText(rows)} cannot be read as declared: the file will be refused.`;
  if (kind === "offStep") return `${rowsThat(rows, "lie")} between two steps: the value is rounded.`;
  if (type === "category")
    return isRequired
      ? `${rowsThat(rows, "hold")} no declared category, which is never missing: no answer counts a row without one.`
      : `${rowsThat(rows, "hold")} no declared category, and so no group counts ${rows === 1 ? "it" : "them"}.`;
  const unit = rows === held && rows > 1 ? " No row has a value within them: are they in another unit?" : "";
  return `${rowsThat(rows, "lie")} outside the bounds: the value counts as the nearer bound.${
    range === undefined ? "" : ` All values go from ${range.lower} to ${range.upper}.`
  }${unit}`;
}

function unitSentences({ unit: fit }: Fit, { unit }: FitTo): readonly FitSentence[] {
  if (fit === null) return [];
  const { missing, over, cut } = fit;
  const many = `${countText(over, "value")} of ${unit.column} ${over === 1 ? "has" : "have"} more rows than ${unit.rows}: ${rowsText(cut)} above it ${cut === 1 ? "is" : "are"} left out.`;
  const twice = unit.rows.trim() === "1" ? ` You promised one row for each of the ${unit.many}.` : "";
  const lacking = `${rowsThat(missing, "name")} no ${unit.one} in ${unit.column}: no answer counts ${missing === 1 ? "it" : "them"}.`;
  return [
    ...(missing === 0 ? [] : [{ ...bare, kind: "unit missing" as const, text: lacking }]),
    ...(over === 0 ? [] : [{ ...bare, kind: "unit over" as const, text: `${many}${twice}` }]),
  ];
}

/** Where a number of rows is declared that the file does not have by far. */
function sizeSentences({ rows }: Fit, { size }: FitTo): readonly FitSentence[] {
  if (!(size > 0) || (rows <= 2 * size && size <= 2 * rows)) return [];
  return [{ ...bare, kind: "size", text: `The file has ${rowsText(rows)}; you said about ${size}.` }];
}
