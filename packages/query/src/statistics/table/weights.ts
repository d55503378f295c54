import { invalid } from "@dosimeter/core";
import { isRecord, typedNumber } from "@dosimeter/core/internal";
import type { TableTask } from "../../plan/task.ts";

/** The most that a column or pair matters; of two such columns the pair has its square. */
const MAX_WEIGHT = 100;
/** The most weights of one request: of 64 columns all pairs, and the columns. */
const MAX_WEIGHTS = 2080;
const WANT = `a whole number from 0 to ${MAX_WEIGHT}`;

/** As people write them: `age = 3, age+sex = 5`. */
export const weightsText = (weights: Readonly<Record<string, number>>): string =>
  Object.entries(weights)
    .map(([name, weight]) => `${name} = ${weight}`)
    .join(", ");

/** The pairs of a weight above 0, and their weights where these are not alike. */
export function weighted(
  pairs: TableTask["pairs"],
  columns: readonly string[],
  { given, path }: { readonly given: unknown; readonly path: string },
): Pick<TableTask, "pairs" | "weights"> {
  if (given === undefined) return { pairs };
  const ofColumn = new Map<number, number>();
  const ofPair = new Map<string, number>();
  for (const [name, weight] of weightsOf(given, path)) {
    const place = `${path}.${name}`;
    if (typeof weight !== "number" || !Number.isSafeInteger(weight) || weight < 0 || weight > MAX_WEIGHT)
      return invalid(place, weight, WANT);
    const at = columns.indexOf(name);
    const pair = at < 0 ? pairNamed(name, columns) : null;
    if (at < 0 && pair === null)
      return invalid(place, name, "a column of the table, or two of them with + between them");
    const isNew = pair === null ? !ofColumn.has(at) : !ofPair.has(pair);
    if (!isNew) return invalid(place, name, "named once");
    if (pair === null) ofColumn.set(at, weight);
    else ofPair.set(pair, weight);
  }
  const weightOf = ([a, b]: readonly [number, number]): number =>
    ofPair.get(`${a} ${b}`) ?? (ofColumn.get(a) ?? 1) * (ofColumn.get(b) ?? 1);
  const kept = pairs.filter((pair) => weightOf(pair) > 0);
  const weights = kept.map(weightOf);
  return { pairs: kept, ...(weights.every((weight) => weight === weights[0]) ? {} : { weights }) };
}

/** Names with their weights, as an object or as text. */
export function weightsOf(given: unknown, path: string): readonly (readonly [string, unknown])[] {
  if (typeof given !== "string" && !isRecord(given))
    return invalid(path, given, "columns or pairs with their weights, such as age = 3, age+sex = 5");
  const found =
    typeof given === "string"
      ? given.split(",").map((part) => {
          const [, name, weight] = /^(.*\S)\s*=\s*(\S+)$/.exec(part.trim()) ?? [];
          if (name === undefined || weight === undefined) return invalid(path, part.trim(), "such as age = 3");
          return [
            name,
            typedNumber(weight, { min: 0, max: MAX_WEIGHT, isWhole: true }, `${path}.${name}`).value,
          ] as const;
        })
      : Object.entries(given);
  if (found.length > MAX_WEIGHTS) return invalid(path, found.length, `at most ${MAX_WEIGHTS} of them`);
  return found;
}

/** The places of two columns, the lower first; a name may have a + itself. */
function pairNamed(name: string, columns: readonly string[]): string | null {
  for (let at = name.indexOf("+"); at >= 0; at = name.indexOf("+", at + 1)) {
    const [a, b] = [name.slice(0, at), name.slice(at + 1)].map((part) => columns.indexOf(part.trim()));
    if (a !== undefined && b !== undefined && a >= 0 && b >= 0 && a !== b) return `${Math.min(a, b)} ${Math.max(a, b)}`;
  }
  return null;
}
