import { invalid, type Rational } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { boundsPair } from "../declaration/check-declaration.ts";
import type { Column, Declaration } from "../declaration/declaration.ts";
import type { JoinedColumn, TakeName, Taken } from "../declaration/join-type.ts";
import { declaredColumn, isOrdered, predicateText } from "../declaration/predicate.ts";
import { readPredicate } from "../declaration/predicate-text.ts";
import { columnText } from "../declaration/token.ts";
import { entries, type Fields, oneOf, own, record } from "../input/check.ts";
import { isWhole } from "../plan/groups.ts";
import type { Range, Ticks } from "../plan/task.ts";
import { ticksOf, wholeTicks } from "../plan/ticks.ts";

interface Take {
  readonly label: string;
  /** Fields next to `take`; those in `needs` must be there. */
  readonly needs: readonly (keyof JoinedColumn)[];
  readonly may: readonly (keyof JoinedColumn)[];
  /** What its column may be; null where it has none. */
  readonly fits: ((column: Column) => boolean) | null;
  readonly want?: string;
  readonly column: (taken: Taken, of: Column) => Column;
  readonly words: (taken: Taken) => string;
}

const nameOf = ({ column = "" }: Taken): string => columnText(column);
const isNumeric = ({ type }: Column): boolean => type === "integer" || type === "number";
const asItIs = (_: Taken, of: Column): Column => withoutRequired(of);
const bounds = ({ lower, upper }: Taken) => (lower === undefined || upper === undefined ? {} : { lower, upper });
const placed = { needs: ["column", "by"], may: ["where"], fits: () => true, column: asItIs } as const;
const extreme = {
  needs: ["column"],
  may: ["where"],
  fits: isOrdered,
  want: "numbers or dates",
  column: asItIs,
} as const;

/** What can be taken of the rows of one person. */
const takes = {
  one: {
    label: "the value of one row",
    needs: ["column"],
    may: [],
    fits: () => true,
    column: asItIs,
    words: (taken) => `${nameOf(taken)} of one row`,
  },
  count: {
    label: "number of rows",
    needs: [],
    may: ["where", "lower", "upper"],
    fits: null,
    column: (taken) => ({ type: "integer", ...bounds(taken), provenance: "asserted" }),
    words: () => "number of rows",
  },
  sum: {
    label: "sum",
    needs: ["column", "lower", "upper"],
    may: ["where"],
    fits: isNumeric,
    want: "numbers",
    column: (taken, of) => {
      const { step } = ticksTaken(of, "");
      return {
        type: of.type,
        ...bounds(taken),
        ...(of.type === "integer" && step.numerator === 1n ? {} : { granularity: of.granularity ?? powerOfTen(step) }),
        ...present({ unit: of.unit }),
        provenance: of.provenance === "public" ? "asserted" : of.provenance,
        ...present({ release: of.release }),
      };
    },
    words: (taken) => `sum of ${nameOf(taken)}`,
  },
  min: { label: "least", ...extreme, words: (taken) => `least ${nameOf(taken)}` },
  max: { label: "greatest", ...extreme, words: (taken) => `greatest ${nameOf(taken)}` },
  first: { label: "first", ...placed, words: (taken) => `first ${nameOf(taken)} by ${columnText(taken.by ?? "")}` },
  last: { label: "last", ...placed, words: (taken) => `last ${nameOf(taken)} by ${columnText(taken.by ?? "")}` },
  any: {
    label: "whether any row",
    needs: ["where"],
    may: [],
    fits: null,
    column: () => ({ type: "boolean", provenance: "public" }),
    words: () => "whether any row is there",
  },
} as const satisfies Record<TakeName, Take>;

export const takeNames = Object.keys(takes) as readonly TakeName[];
/** How people choose what to take: its name, and the fields that stand next to it. */
export const takeOf = (name: TakeName): Pick<Take, "label" | "needs" | "may"> => takes[name];
const rowOf = (name: TakeName): Take => takes[name];

/** The columns of a table of which it can be taken; never the one that names people. */
export function columnsToTake(take: TakeName, { columns, privacyUnit }: Declaration): readonly string[] {
  const { fits } = rowOf(take);
  const unit = privacyUnit === "row" ? null : privacyUnit.column;
  return fits === null ? [] : Object.keys(columns).filter((name) => name !== unit && fits(columns[name] as Column));
}

/** A step that is a power of ten, as the number that is written like it: never just below it. */
const powerOfTen = ({ numerator, denominator }: Rational): number =>
  Number(`1e${String(numerator).length - String(denominator).length}`);

const withoutRequired = ({ required: _, ...column }: Column): Column => column;

/** A joined column from outside: the name of a column is that of one row. */
export function checkTaken(json: unknown, theirs: Declaration, path: string): Taken {
  const given: Fields = typeof json === "string" ? { take: "one", column: json } : record(json, path);
  const take = oneOf(own(given, "take"), `${path}.take`, takeNames);
  const { needs, may, fits, want = "" } = rowOf(take);
  entries(given, path, ["take", ...needs, ...may]);
  const column = fits === null ? null : declaredColumn(own(given, "column"), theirs, `${path}.column`);
  if (column !== null && fits?.(column) === false)
    invalid(`${path}.column`, own(given, "column"), `a column of ${want}; it is ${column.type}`);
  const written = own(given, "where");
  if (written === undefined && needs.includes("where")) invalid(`${path}.where`, written, "which rows count");
  const by = own(given, "by");
  if (needs.includes("by") && !isOrdered(declaredColumn(by, theirs, `${path}.by`)))
    invalid(`${path}.by`, by, "a column of numbers or dates, to tell which row is first");
  return {
    take,
    ...(column === null ? {} : { column: own(given, "column") as string }),
    ...(by === undefined ? {} : { by: by as string }),
    ...(written === undefined ? {} : { where: readPredicate(written, theirs, `${path}.where`) }),
    ...boundsTaken(given, { take, column, needs }, path),
  };
}

function boundsTaken(
  given: Fields,
  { take, column, needs }: { readonly take: TakeName; readonly column: Column | null; readonly needs: Take["needs"] },
  path: string,
): Pick<Taken, "lower" | "upper"> {
  const [lower, upper] = [own(given, "lower"), own(given, "upper")];
  if (lower === undefined && upper === undefined && !needs.includes("lower")) return {};
  if (take === "count") return boundsPair(lower ?? 0, upper, path, true);
  const pair = boundsPair(lower, upper, path, column !== null && isWhole(column));
  const ticks = ticksTaken(column ?? { type: "integer", provenance: "asserted" }, path);
  wholeTicks(pair.lower, ticks, `${path}.lower`);
  wholeTicks(pair.upper, ticks, `${path}.upper`);
  return pair;
}

/** The grid on which the values of a column are summed. */
export function ticksTaken(column: Column, path: string): Ticks {
  return ticksOf({ ...rangeTaken(column, path), granularity: column.granularity, integer: isWhole(column) }, path);
}

/** The declared bounds, to which each value is clamped before it is summed. */
export function rangeTaken({ lower, upper }: Column, path: string): Range {
  if (lower === undefined || upper === undefined)
    return invalid(`${path}.column`, undefined, "a column with declared bounds: they are never read from the data");
  return { lower, upper };
}

export function columnTaken(taken: Taken, theirs: Declaration): Column {
  const of = taken.column === undefined ? undefined : theirs.columns[taken.column];
  return rowOf(taken.take).column(taken, of ?? { type: "integer", provenance: "asserted" });
}

/** What a joined column is, in words: "sum of cost where year = 2024". */
export function takenWords(taken: Taken): string {
  const where = taken.where === undefined ? "" : ` where ${predicateText(taken.where)}`;
  return `${rowOf(taken.take).words(taken)}${where}`;
}
