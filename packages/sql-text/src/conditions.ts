import type { Formula, Operation } from "@dosimeter/query/declaration";

/** What the reader knows of the conditions of a text. */
export interface Truths {
  /** Of `a between b and c` and `a not in (b, c)`, which are two conditions on one column: what NOT makes of them. */
  readonly pairs: WeakMap<Formula, Formula>;
  /** Read from IS TRUE or IS FALSE: never missing. */
  readonly totals: WeakSet<Formula>;
}

export const op = (name: Operation, ...of: readonly Formula[]): Formula => ({ op: name, of });
export const constant = (value: string | number | boolean): Formula => ({ value });

const OPPOSITE: Readonly<Partial<Record<Operation, Operation>>> = {
  "=": "!=",
  "!=": "=",
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
};

/**
 * True exactly where SQL's NOT is: a comparison with a missing value stays false, negated or not, while
 * `not` of a formula is true there. `IS NOT TRUE` of SQL is that `not`.
 */
export function negated(formula: Formula, { pairs, totals }: Truths): Formula {
  if (totals.has(formula)) return op("not", formula);
  if ("value" in formula && typeof formula.value === "boolean") return constant(!formula.value);
  if (!("op" in formula)) return op("=", formula, constant(false));
  const [first, second] = formula.of;
  const opposite = OPPOSITE[formula.op];
  if (opposite !== undefined) return op(opposite, ...formula.of);
  if (formula.op === "not" && first !== undefined) {
    totals.add(first);
    return first;
  }
  if (formula.op === "isNull") return op("not", formula);
  const pair = pairs.get(formula);
  if (pair !== undefined) return pair;
  if (formula.op === "and" || formula.op === "or") {
    const parts = formula.of.map((part) => negated(part, { pairs, totals }));
    return op(formula.op === "and" ? "or" : "and", ...parts);
  }
  if (formula.op === "in" && first !== undefined && second !== undefined) {
    const both = op("and", op("not", formula), op("not", op("isNull", first)));
    pairs.set(both, formula);
    return both;
  }
  return op("=", formula, constant(false));
}

/** A condition that is false where it would be missing: IS TRUE. */
export function isTrue(formula: Formula, isWanted: boolean, truths: Truths): Formula {
  const asked = isWanted
    ? "op" in formula && isCondition(formula.op)
      ? formula
      : op("=", formula, constant(true))
    : negated(formula, truths);
  truths.totals.add(asked);
  return asked;
}

const isCondition = (name: Operation): boolean =>
  OPPOSITE[name] !== undefined ||
  name === "and" ||
  name === "or" ||
  name === "in" ||
  name === "not" ||
  name === "isNull";

/** Whether a part of an operation only counts where it is true, so that missing is as good as false. */
export const takesCondition = (name: Operation, place: number): boolean =>
  name === "and" || name === "or" || name === "not" || (name === "if" && place === 0);

/** Whether SQL has it missing where a column is missing, while a formula has it false. */
export const canLack = (
  formula: Formula,
  isRequired: (column: string) => boolean,
  { totals }: Pick<Truths, "totals">,
): boolean =>
  "op" in formula &&
  !totals.has(formula) &&
  formula.op !== "not" &&
  formula.op !== "isNull" &&
  isCondition(formula.op) &&
  !isNeverMissing(formula, isRequired);

const isNeverMissing = (formula: Formula, isRequired: (column: string) => boolean): boolean =>
  "column" in formula
    ? isRequired(formula.column)
    : "value" in formula ||
      (!["if", "ratio", "map"].includes(formula.op) && formula.of.every((part) => isNeverMissing(part, isRequired)));
