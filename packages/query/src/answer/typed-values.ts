import { isRecord } from "@dosimeter/core/internal";
import type { Key } from "../declaration/key.ts";
import { literalText, readTokens, tokenPattern } from "../declaration/token.ts";
import type { Plan } from "../statistics/request.ts";

const PATTERN = tokenPattern({ sign: "-?", symbols: "-+*/=<>≤≥≠().,;" });
/** What stands for a value in a condition or a formula that is written as JSON. */
const VALUES: ReadonlySet<string> = new Set(["value", "values", "lower", "upper"]);
/** Names of columns, tables and operations. */
const NAMES: ReadonlySet<string> = new Set(["op", "column", "take", "by", "dataset", "on"]);

/**
 * The texts and numbers that someone typed into the conditions and derived columns of a plan, and the texts among its bins, each once: a title, a
 * label or a note may show them. A text that cannot be read is one of them as a whole.
 */
export function typedValues({
  join,
  let: derived,
  statistics,
}: Pick<Plan, "join" | "let" | "statistics">): readonly string[] {
  const derivations = [join?.columns, derived].flatMap((columns) => Object.values(columns ?? {}));
  const conditions = statistics.flatMap(({ where, impossible }) => [where, impossible]);
  const bins = statistics.flatMap((row) => (isRecord(row.bins) ? Object.values(row.bins) : [row.bins]));
  return [
    ...new Set([
      ...[...derivations, ...conditions].flatMap(valuesIn),
      ...bins.flatMap((part) => (typeof part === "string" && !/[=,]/.test(part) ? [] : textsIn(part))),
    ]),
  ];
}

function valuesIn(part: unknown): readonly string[] {
  if (typeof part === "string") return literalsOf(part);
  if (Array.isArray(part)) return part.flatMap(valuesIn);
  if (!isRecord(part)) return [];
  return Object.entries(part).flatMap(([name, below]) => {
    if (VALUES.has(name)) return [below].flat().flatMap((value) => (isTyped(value) ? [literalText(value)] : []));
    return NAMES.has(name) ? [] : valuesIn(below);
  });
}

/** True and false say nothing that the column does not. */
const isTyped = (value: unknown): value is Key => typeof value === "string" || typeof value === "number";

const textsIn = (part: unknown): readonly string[] =>
  [part].flat().flatMap((one) => (typeof one === "string" ? [literalText(one)] : []));

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
