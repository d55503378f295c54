import { calendarUnits, clockUnits } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import { columnText, literalText, readTokens, tokenPattern } from "../declaration/token.ts";
import type { Plan } from "../statistics/request.ts";

const PATTERN = tokenPattern({ sign: "-?", symbols: "-+*/=<>≤≥≠().,;" });
/** Fields whose values are words of the program, names of columns, blocks or tables that are checked against them, or a part of the price. */
const KNOWN: ReadonlySet<string> = new Set([
  ...["op", "take", "statistic", "noise", "keys", "adjacency"],
  ...["column", "by", "on", "with", "groupBy", "tables", "dataset", "version", "window", "horizon", "keysFrom"],
  ...["epsilon", "rho", "delta", "keyShare", "sample", "confidence"],
]);
/** Fields with a value for each column; of some, the plan itself names these columns. */
const BY_COLUMN: ReadonlyMap<string, "named" | "new"> = new Map([
  ["let", "new"],
  ["columns", "new"],
  ["bins", "named"],
  ["weights", "named"],
]);

type Reading = (text: string) => readonly string[];
const whole: Reading = (text) => [literalText(text)];
/** How a text in a field is read; any other one is a value. */
const READ: ReadonlyMap<string, Reading> = new Map([
  ...["let", "columns", "where", "impossible"].map((name) => [name, literalsOf] as const),
  ["bins", (text: string) => (PERIODS.has(text) ? [] : whole(text))],
  ["id", (text: string) => (/^s\d+$/.test(text) ? [] : [columnText(text)])],
]);
const PERIODS: ReadonlySet<string> = new Set([...calendarUnits, ...clockUnits]);

/** The most numbers of a list that are one value. */
const NUMBERS = 100;

/**
 * What someone typed into a plan and everyone would read, each once: texts and numbers of conditions, derived columns, bins, bounds and shares, names
 * of rows and of columns that the plan makes. Whatever is in no field that is known to say nothing is one of them, and so is, as a whole, a text that
 * cannot be read.
 */
export const typedValues = (plan: Plan): readonly string[] => [...new Set(valuesIn(plan, whole))];

/** True and false say nothing that the column does not. */
function valuesIn(part: unknown, read: Reading): readonly string[] {
  if (typeof part === "string") return read(part);
  if (typeof part === "number") return [literalText(part)];
  if (Array.isArray(part))
    return part.every((one) => typeof one === "number") ? lists(part) : part.flatMap((one) => valuesIn(one, read));
  return isRecord(part) ? Object.entries(part).flatMap(([name, below]) => valuesOfField(name, below)) : [];
}

function valuesOfField(name: string, below: unknown): readonly string[] {
  if (KNOWN.has(name)) return [];
  const read = READ.get(name) ?? whole;
  const columns = BY_COLUMN.get(name);
  if (columns === undefined || !isRecord(below)) return valuesIn(below, read);
  return Object.entries(below).flatMap(([column, of]) => [
    ...(columns === "new" ? [columnText(column)] : []),
    ...valuesIn(of, read),
  ]);
}

const lists = (numbers: readonly number[]): readonly string[] =>
  Array.from({ length: Math.ceil(numbers.length / NUMBERS) }, (_, at) =>
    numbers.slice(at * NUMBERS, (at + 1) * NUMBERS).join(", "),
  );

function literalsOf(text: string): readonly string[] {
  try {
    const tokens = readTokens(text, { path: "", pattern: PATTERN, words: new Set() });
    const found: string[] = [];
    for (let token = tokens.take(); token.kind !== "end"; token = tokens.take()) {
      if (token.kind === "number") found.push(token.value);
      if (token.kind === "text") found.push(literalText(token.value));
    }
    return found;
  } catch {
    return [text];
  }
}
