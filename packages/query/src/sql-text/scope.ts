import type { Declaration } from "../declaration/declaration.ts";
import type { Predicate } from "../declaration/predicate.ts";
import { checkPredicate } from "../declaration/predicate.ts";
import { type Formula, formulaText, type Operation } from "../expression/formula.ts";
import type { SqlQuery, SqlStatement } from "./query.ts";
import { named, refuseAt, refusedAt } from "./refusal.ts";

/** The columns of one statement: those of the dataset, and those that the text derives. */
export interface Scope {
  readonly query: SqlQuery;
  readonly statement: SqlStatement;
  readonly declaration: Declaration;
  /** The column that a formula is, or a derived one; `alias` is what a new one is called where it can be. */
  readonly columnOf: (formula: Formula, at: number, alias?: string | null) => string;
  /** The same formula over names of columns. */
  readonly resolved: (formula: Formula) => Formula;
  readonly isColumn: (name: string) => boolean;
  /** The derived column that a formula already is. */
  readonly derivedName: (formula: Formula) => string | null;
}

/** Derived columns of all statements of a text, with where each was written. */
export interface Derived {
  readonly formulas: Map<string, Formula>;
  readonly texts: Map<string, string>;
  readonly places: Map<string, number>;
}

export const noDerived = (): Derived => ({ formulas: new Map(), texts: new Map(), places: new Map() });

export function scopeOf(query: SqlQuery, statement: SqlStatement, declaration: Declaration, derived: Derived): Scope {
  const known = (): readonly string[] => [...Object.keys(declaration.columns), ...derived.formulas.keys()];
  const lower = new Map(known().map((name) => [name.toLowerCase(), name]));
  for (const { name } of statement.derived) lower.set(name.toLowerCase(), name);
  const find = (name: string): string | null => {
    if (Object.hasOwn(declaration.columns, name) || derived.formulas.has(name)) return name;
    return lower.get(name.toLowerCase()) ?? null;
  };
  const nameOf = (written: string, at: number): string => {
    const name = written.normalize("NFC");
    const prefix = statement.prefixes.find((each) => name.toLowerCase().startsWith(`${each.toLowerCase()}.`));
    const found = find(name) ?? (prefix === undefined ? null : find(name.slice(prefix.length + 1)));
    if (found !== null) return found;
    return refuseAt(
      query.source,
      at,
      `no column is called ${named(name)}; there are ${listed(known())}`,
      "UNKNOWN_COLUMN",
    );
  };
  const resolved = (formula: Formula): Formula => {
    if ("column" in formula) return { column: nameOf(formula.column, query.places.get(formula) ?? statement.at) };
    return "op" in formula ? { op: formula.op, of: formula.of.map(resolved) } : formula;
  };
  const derive = (name: string, formula: Formula, at: number): string => {
    const text = formulaText(formula);
    const before = derived.formulas.get(name);
    if (before !== undefined && formulaText(before) !== text)
      return refuseAt(query.source, at, `${JSON.stringify(name)} is derived in two ways; give each its own name`);
    derived.formulas.set(name, formula);
    if (!derived.texts.has(text)) derived.texts.set(text, name);
    derived.places.set(name, at);
    lower.set(name.toLowerCase(), name);
    return name;
  };
  const columnOf = (formula: Formula, at: number, alias: string | null = null): string => {
    const own = resolved(formula);
    if ("column" in own) return own.column;
    const text = formulaText(own);
    const before = derived.texts.get(text);
    if (before !== undefined) return before;
    return derive(alias !== null && find(alias) === null ? alias : text, own, at);
  };
  for (const { name, formula, at } of statement.derived) derive(name.normalize("NFC"), resolved(formula), at);
  const isKnown = (formula: Formula): boolean =>
    "column" in formula ? find(formula.column) !== null : !("op" in formula) || formula.of.every(isKnown);
  const derivedName = (formula: Formula): string | null =>
    "op" in formula && isKnown(formula) ? (derived.texts.get(formulaText(resolved(formula))) ?? null) : null;
  return { query, statement, declaration, columnOf, resolved, isColumn: (name) => find(name) !== null, derivedName };
}

const listed = (names: readonly string[]): string =>
  names.length <= 12 ? names.join(", ") : `${names.slice(0, 12).join(", ")} and ${names.length - 12} more`;

const FLIPPED: Readonly<Partial<Record<Operation, Operation>>> = {
  "=": "=",
  "!=": "!=",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

/** A filter: what a plan's filter can say is said so, and any other condition becomes a derived column that is true. */
export function predicateOf(formula: Formula, at: number, scope: Scope): Predicate | null {
  if ("value" in formula && formula.value === true) return null;
  return lowered(formula, at, scope);
}

function lowered(formula: Formula, at: number, scope: Scope): Predicate {
  if ("op" in formula) {
    const { op, of } = formula;
    const [first, second] = of;
    if (scope.query.pairs.has(formula)) {
      const between = betweenOf(of, scope);
      if (between !== null) return between;
    }
    if (op === "and" || op === "or") {
      const parts = of.map((part) => lowered(part, at, scope));
      return scope.query.pairs.has(formula) ? withoutNeedless(parts, scope.declaration) : { op, of: parts };
    }
    if (op === "not" && first !== undefined) return { op, of: lowered(first, at, scope) };
    if (op === "isNull" && first !== undefined && "column" in first) return { op, column: nameIn(first, scope) };
    if (op === "in" && first !== undefined && "column" in first) {
      const values = of.slice(1).flatMap((each) => ("value" in each ? [each.value] : []));
      if (values.length === of.length - 1) return { op, column: nameIn(first, scope), values };
    }
    const flipped = FLIPPED[op];
    if (flipped !== undefined && first !== undefined && second !== undefined) {
      if ("column" in first && "value" in second)
        return { op: op as "=", column: nameIn(first, scope), value: second.value };
      if ("value" in first && "column" in second)
        return { op: flipped as "=", column: nameIn(second, scope), value: first.value };
    }
  }
  return { op: "=", column: scope.columnOf(formula, at), value: true };
}

const nameIn = (formula: Formula, scope: Scope): string => {
  const own = scope.resolved(formula);
  return "column" in own ? own.column : "";
};

function betweenOf([from, to]: readonly Formula[], scope: Scope): Predicate | null {
  if (from === undefined || to === undefined || !("op" in from) || !("op" in to)) return null;
  const [column, lower] = from.of;
  const upper = to.of[1];
  if (column === undefined || !("column" in column)) return null;
  if (lower === undefined || upper === undefined || !("value" in lower) || !("value" in upper)) return null;
  if (typeof lower.value !== "number" || typeof upper.value !== "number" || lower.value > upper.value) return null;
  return { op: "between", column: nameIn(column, scope), lower: lower.value, upper: upper.value };
}

/** NOT IN of SQL also says that there is a value, which goes without saying where the column never lacks one. */
function withoutNeedless(of: readonly Predicate[], { columns }: Declaration): Predicate {
  const [first, second] = of;
  const isNeedless = second?.op === "not" && second.of.op === "isNull" && columns[second.of.column]?.required === true;
  return isNeedless && first !== undefined ? first : { op: "and", of };
}

/** Refused at its place when a value does not fit its column. */
export const checkedFilter = (predicate: Predicate, at: number, source: string, declaration: Declaration): Predicate =>
  refusedAt(source, at, () => checkPredicate(predicate, declaration));
