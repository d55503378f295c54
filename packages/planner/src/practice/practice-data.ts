import { calendarUnits, formatPeriod, parsePeriod, periodOfDay, type Random, toDouble } from "@dosimeter/core";
import type { Column, Declaration, Key } from "@dosimeter/query/declaration";
import { evaluate } from "@dosimeter/query/expression";

/** A row of synthetic values, one for each declared column. */
export type PracticeRow = Readonly<Record<string, Key | null>>;

/** A small seeded random generator, for charts and practice data, never for a release. */
export function practiceRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    uint32() {
      state = (state + 0x9e3779b9) >>> 0;
      let word = state;
      word = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
      word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
      return (word ^ (word >>> 15)) >>> 0;
    },
  };
}

/**
 * A table made from a declaration alone: bell-shaped numbers between the bounds, categories of falling size, columns
 * independent of each other. It is not made from data, and resembles the real table in its columns and bounds only.
 */
export function practiceData(declaration: Declaration, rows: number, seed: number): readonly PracticeRow[] {
  const random = practiceRandom(seed);
  const share = (): number => random.uint32() / 2 ** 32;
  const all = Object.entries(declaration.columns);
  const columns = all.flatMap(([name, column]) =>
    column.derived === undefined ? [[name, valuesOf(column)] as const] : [],
  );
  const derived = all.flatMap(([name, column]) => (column.derived === undefined ? [] : [[name, column] as const]));
  return Array.from({ length: rows }, () => {
    const row: Record<string, Key | null> = Object.fromEntries(columns.map(([name, value]) => [name, value(share)]));
    const plain = { ...row };
    for (const [name, column] of derived) row[name] = derivedValue(column, (of) => readBy(declaration, of, plain));
    return row;
  });
}

/** A date as the period that SQL would give. */
function readBy({ columns }: Declaration, name: string, row: PracticeRow): Key | null | undefined {
  const { calendar } = columns[name] ?? {};
  const value = row[name];
  return calendar === undefined || typeof value !== "string" ? value : parsePeriod(value, calendar);
}

function derivedValue(
  { derived, type, calendar }: Column,
  row: (column: string) => Key | null | undefined,
): Key | null {
  if (derived === undefined) return null;
  const value = evaluate(derived.code, row);
  if (typeof value !== "bigint") return value;
  if (calendar !== undefined) return formatPeriod(Number(value), calendar);
  const { step } = derived;
  if (step === null) return type === "boolean" ? value !== 0n : Number(value);
  return toDouble({ numerator: value * step.numerator, denominator: step.denominator }, "down");
}

/** Words of a text column: few are frequent, many are rare. */
const WORDS = 50;

/** Where a date column declares no bounds: some time before 2020. */
const CENTURY = Object.fromEntries(
  calendarUnits.map((unit) => [unit, { lower: periodOfDay(0, unit), upper: periodOfDay(18_262, unit) }]),
);

function valuesOf(column: Column): (share: () => number) => Key | null {
  const { lower = 0, upper = 1, categories = [] } = column;
  switch (column.type) {
    case "date": {
      const { calendar = "day" } = column;
      const day = valuesOf({ ...column, type: "integer", ...(column.lower === undefined ? CENTURY[calendar] : {}) });
      return (share) => formatPeriod(Number(day(share)), calendar);
    }
    case "integer":
      return (share) => Math.min(upper, Math.floor(lower + bell(share) * (upper - lower + 1)));
    case "number":
      return (share) => lower + bell(share) * (upper - lower);
    case "boolean":
      return (share) => share() < 0.5;
    case "category": {
      const weights = categories.map((_, index) => 1 / (index + 1));
      const total = weights.reduce((a, b) => a + b, 0);
      return (share) => {
        let left = share() * total;
        const found = weights.findIndex((weight) => {
          left -= weight;
          return left < 0;
        });
        return categories[found] ?? categories.at(-1) ?? null;
      };
    }
    case "text":
      return (share) => `word ${Math.floor(WORDS ** share())}`;
    default:
      return column.type satisfies never;
  }
}

/** Between 0 and 1, most often near the middle. */
const bell = (share: () => number): number => (share() + share() + share()) / 3;
