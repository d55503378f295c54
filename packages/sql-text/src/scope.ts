import { readPeriod } from "@dosimeter/core";
import { meantText } from "@dosimeter/core/internal";
import {
  checkPredicate,
  type Declaration,
  type Formula,
  formulaText,
  type Key,
  type Operation,
  type Predicate,
} from "@dosimeter/query/declaration";
import { MAX_DERIVED } from "@dosimeter/query/expression";
import { canLack, constant, negated, op, takesCondition } from "./conditions.ts";
import type { SqlQuery, SqlStatement } from "./query.ts";
import { named, refuseAt, refusedAt } from "./refusal.ts";

/** The columns of one statement: those of the dataset, and those that the text derives. */
export interface Scope {
  readonly query: SqlQuery;
  readonly statement: SqlStatement;
  readonly declaration: Declaration;
  /** The column that a formula is, or a derived one; `alias` is what a new one is called where it can be. */
  readonly columnOf: (formula: Formula, at: number, alias?: string | null) => string;
  /** The column that is true where a condition is. */
  readonly conditionOf: (formula: Formula, at: number) => string;
  /** The same formula over names of columns. */
  readonly resolved: (formula: Formula) => Formula;
  /** What people must know of what was made of the text. */
  readonly note: (words: string) => void;
  readonly isColumn: (name: string) => boolean;
  /** The derived column that a formula already is. */
  readonly derivedName: (formula: Formula) => string | null;
}

/** Derived columns of all statements of a text, with where each was written. */
export interface Derived {
  readonly formulas: Map<string, Formula>;
  readonly texts: Map<string, string>;
  readonly places: Map<string, number>;
  readonly notes: Set<string>;
}

export const noDerived = (): Derived => ({
  formulas: new Map(),
  texts: new Map(),
  places: new Map(),
  notes: new Set(),
});

/** Parts of a formula over rows: a comparison that is used as a value is written twice. */
const MAX_PARTS = 5000;

/** Names whatever their case: those of the dataset, and those that WITH is about to derive. */
const namesInLower = ({ columns }: Declaration, { derived }: SqlStatement): Map<string, string> =>
  new Map([...Object.keys(columns), ...derived.map(({ name }) => name)].map((name) => [name.toLowerCase(), name]));

/** `people.age`, as a statement may write it, without what stands before the dot; null of no table that it joins. */
function withoutPrefix(name: string, { joins }: Pick<SqlStatement, "joins">): string | null {
  const lower = name.toLowerCase();
  const found = joins.find(({ prefix }) => prefix !== "" && lower.startsWith(`${prefix.toLowerCase()}.`));
  return found === undefined ? null : name.slice(found.prefix.length + 1);
}

interface Names {
  /** The column of that name, whatever its case; null where there is none. */
  readonly find: (name: string) => string | null;
  /** The same, also with a prefix. UNKNOWN_COLUMN at its place. */
  readonly nameOf: (written: string, at: number) => string;
  readonly add: (name: string) => void;
  /** Inside WITH ends: columns are prefixed as outside of it. */
  readonly leaveWith: () => void;
}

function namesOf({ source }: SqlQuery, statement: SqlStatement, declaration: Declaration): Names {
  /** Derived in this statement: what another one derives is no name here. */
  const own = new Set<string>();
  const { columns, joined: other } = declaration;
  /** What another statement joins is no name here. */
  const joinsTable = statement.joins.some(({ rows }) => rows === null);
  const taken = new Set(
    statement.joins.flatMap(({ rows }) => rows?.items.map(({ alias }) => alias?.normalize("NFC")) ?? []),
  );
  const isHere = (name: string): boolean => {
    const one = columns[name]?.joined === undefined ? undefined : other?.columns[name];
    return one === undefined || (joinsTable && one.take === "one") || taken.has(name);
  };
  const known = (): readonly string[] => [...Object.keys(columns).filter(isHere), ...own];
  const lower = namesInLower(declaration, statement);
  let { innerPrefix: prefix } = statement;
  const find = (name: string): string | null => {
    if ((Object.hasOwn(columns, name) && isHere(name)) || own.has(name)) return name;
    const found = lower.get(name.toLowerCase());
    return found !== undefined && isHere(found) ? found : null;
  };
  const ofOther = (name: string | null): string | null =>
    name === null || columns[name]?.joined === undefined ? null : name;
  const findJoined = (name: string): string | null => {
    const bare = other === undefined ? null : withoutPrefix(name, statement);
    if (other === undefined || bare === null) return null;
    return find(`${other.declaration.name}.${bare}`) ?? ofOther(find(bare));
  };
  const nameOf = (written: string, at: number): string => {
    const name = written.normalize("NFC");
    const isPrefixed = name.toLowerCase().startsWith(`${prefix.toLowerCase()}.`);
    const found = find(name) ?? (isPrefixed ? find(name.slice(prefix.length + 1)) : null) ?? findJoined(name);
    if (found !== null) return found;
    return refuseAt(
      source,
      at,
      `no column is called ${named(name)}; there are ${listed(known())}${meantText(name, known())}`,
      "UNKNOWN_COLUMN",
    );
  };
  return {
    find,
    nameOf,
    add(name) {
      lower.set(name.toLowerCase(), name);
      own.add(name);
    },
    leaveWith() {
      prefix = statement.prefix;
    },
  };
}

export function scopeOf(query: SqlQuery, statement: SqlStatement, declaration: Declaration, derived: Derived): Scope {
  const { find, nameOf, add, leaveWith } = namesOf(query, statement, declaration);
  const isRequired = (written: string): boolean =>
    declaration.columns[nameOf(written, statement.at)]?.required === true;
  /** Where SQL has a comparison missing, and not false, it is written as such: if(c, true, if(not c, false)). */
  const resolvedIn = (isCondition: boolean, root: Formula): Formula => {
    let parts = 0;
    const visit = (formula: Formula, isOnlyTrue: boolean): Formula => {
      parts += 1;
      if (parts > MAX_PARTS)
        return refuseAt(query.source, statement.at, "comparisons are compared too often here; write them apart");
      if ("column" in formula) return { column: nameOf(formula.column, query.places.get(formula) ?? statement.at) };
      if (!("op" in formula)) return formula;
      if (isDayInPeriods(formula))
        return refuseAt(query.source, statement.at, "a day is compared with days: write '2024-03' to compare months");
      const own = op(formula.op, ...formula.of.map((part, place) => visit(part, takesCondition(formula.op, place))));
      if (isOnlyTrue || !canLack(formula, isRequired, query)) return own;
      return op("if", own, constant(true), op("if", visit(negated(formula, query), true), constant(false)));
    };
    return visit(root, isCondition);
  };
  const resolved = (formula: Formula): Formula => resolvedIn(false, formula);
  const derive = (name: string, formula: Formula, at: number): string => {
    const text = formulaText(formula);
    const before = derived.formulas.get(name);
    if (before !== undefined && formulaText(before) !== text)
      return refuseAt(query.source, at, `${JSON.stringify(name)} is derived in two ways; give each its own name`);
    if (before === undefined && derived.formulas.size >= MAX_DERIVED)
      return refuseAt(query.source, at, `at most ${MAX_DERIVED} columns are derived in one text`);
    derived.formulas.set(name, formula);
    if (!derived.texts.has(text)) derived.texts.set(text, name);
    derived.places.set(name, at);
    add(name);
    return name;
  };
  const nameFor = (formula: Formula, at: number, alias: string | null): string => {
    if ("column" in formula) return formula.column;
    const text = formulaText(formula);
    const before = derived.texts.get(text);
    if (before !== undefined) return before;
    const isFree = alias !== null && find(alias) === null && !derived.formulas.has(alias);
    return derive(isFree ? alias : text, formula, at);
  };
  const columnOf = (formula: Formula, at: number, alias: string | null = null): string =>
    nameFor(resolved(formula), at, alias);
  const conditionOf = (formula: Formula, at: number): string => {
    const own = resolvedIn(true, formula);
    if ("op" in own)
      derived.notes.add(`${formulaText(own)} is computed from values within the declared bounds of their columns.`);
    return nameFor(own, at, null);
  };
  for (const { name, formula, at } of statement.derived) derive(name.normalize("NFC"), resolved(formula), at);
  leaveWith();
  const isKnown = (formula: Formula): boolean =>
    "column" in formula ? find(formula.column) !== null : !("op" in formula) || formula.of.every(isKnown);
  const derivedName = (formula: Formula): string | null =>
    "op" in formula && isKnown(formula) ? (derived.texts.get(formulaText(resolved(formula))) ?? null) : null;
  return {
    query,
    statement,
    declaration,
    columnOf,
    conditionOf,
    resolved,
    note: (words) => void derived.notes.add(words),
    isColumn: (name) => find(name) !== null,
    derivedName,
  };
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

/** Conditions that must all hold, as one; null for none. */
export function allOf(...conditions: readonly (Predicate | null)[]): Predicate | null {
  const of = conditions.filter((each) => each !== null);
  const [first = null, ...others] = of;
  return others.length === 0 ? first : { op: "and", of: of.flatMap((each) => (each.op === "and" ? each.of : [each])) };
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
      const values = of.slice(1).flatMap((each) => valueIn(each) ?? []);
      if (values.length === of.length - 1) return { op, column: nameIn(first, scope), values };
    }
    const flipped = FLIPPED[op];
    if (flipped !== undefined && first !== undefined && second !== undefined) {
      const [left, right] = [valueIn(first), valueIn(second)];
      if ("column" in first && right !== null) return { op: op as "=", column: nameIn(first, scope), value: right };
      if (left !== null && "column" in second)
        return { op: flipped as "=", column: nameIn(second, scope), value: left };
    }
  }
  return { op: "=", column: scope.conditionOf(formula, at), value: true };
}

/** A constant: a number, a text, a truth value, or a date. */
function valueIn(formula: Formula | undefined): Key | null {
  if (formula === undefined || "column" in formula) return null;
  if ("value" in formula) return formula.value;
  const [only] = formula.of;
  return formula.op === "date" && only !== undefined && "value" in only ? only.value : null;
}

const nameIn = (formula: Formula, scope: Scope): string => {
  const own = scope.resolved(formula);
  return "column" in own ? own.column : "";
};

function betweenOf([from, to]: readonly Formula[], scope: Scope): Predicate | null {
  if (from === undefined || to === undefined || !("op" in from) || !("op" in to)) return null;
  const [column, lower] = from.of;
  if (column === undefined || !("column" in column) || from.op !== ">=" || to.op !== "<=") return null;
  const [least, most] = [valueIn(lower), valueIn(to.of[1])];
  const isPair =
    (typeof least === "number" && typeof most === "number") || (typeof least === "string" && typeof most === "string");
  return isPair && least <= most ? { op: "between", column: nameIn(column, scope), lower: least, upper: most } : null;
}

/** NOT IN of SQL also says that there is a value, which goes without saying where the column never lacks one. */
function withoutNeedless(of: readonly Predicate[], { columns }: Declaration): Predicate {
  const [first, second] = of;
  const isNeedless = second?.op === "not" && second.of.op === "isNull" && columns[second.of.column]?.required === true;
  return isNeedless && first !== undefined ? first : { op: "and", of };
}

/** A comparison of months, say, with the text of a day. */
const isDayInPeriods = ({ of }: { readonly of: readonly Formula[] }): boolean =>
  of.some((part) => "op" in part && part.op === "cut" && valueIn(part.of[1]) !== "day") &&
  of.some((part) => "value" in part && readPeriod(String(part.value))?.unit === "day");

/** Refused at its place when a value does not fit its column. */
export const checkedFilter = (predicate: Predicate, at: number, source: string, declaration: Declaration): Predicate =>
  refusedAt(source, at, () => checkPredicate(predicate, declaration));
