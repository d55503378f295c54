import {
  type Column,
  type Declaration,
  inPeriods,
  isOrdered,
  type Key,
  type Predicate,
} from "@dosimeter/query/declaration";
import { isWhole } from "@dosimeter/query/plan";

/** A function from rows to true or false; equal numbers in one family are equal functions. 0 never holds, 1 always does. */
export type Diagram = number;

export const NEVER: Diagram = 0;
export const ALWAYS: Diagram = 1;

/** Values of an ordered column left of a cut: those below `at`, and `at` itself where `after`. */
interface Cut {
  readonly at: number;
  readonly after: boolean;
}

/** For the values of one column, the functions of the later columns. */
type Node =
  | {
      readonly column: string;
      readonly cuts: readonly Cut[];
      readonly children: readonly Diagram[];
      readonly missing: Diagram | null;
    }
  | {
      readonly column: string;
      readonly values: ReadonlyMap<string, Diagram>;
      /** For every other value; null when the declaration lists all values. */
      readonly other: Diagram | null;
      readonly missing: Diagram | null;
    };

/**
 * Predicates over one declaration as decision diagrams: predicates that select the same rows have the same diagram
 * [M140].
 */
export interface Diagrams {
  of(predicate: Predicate | null): Diagram;
  present(column: string): Diagram;
  /** Whether a column holds whole numbers only. */
  isWhole(column: string): boolean;
  /** Whether every row that counts has a value of a column, of a category a declared one [M330]. */
  isRequired(column: string): boolean;
  and(a: Diagram, b: Diagram): Diagram;
  or(a: Diagram, b: Diagram): Diagram;
  not(a: Diagram): Diagram;
  text(diagram: Diagram): string;
}

/** A predicate that needs more nodes has no diagram. */
const MAX_NODES = 20_000;
const MAX_LISTED = 1000;

/** A predicate whose diagram would be too large. */
class TooLarge extends RangeError {}

/** What is computed with diagrams, or what stands for it where a predicate has too many cases. */
export function unlessTooLarge<T, Otherwise = T>(compute: () => T, otherwise: Otherwise): T | Otherwise {
  try {
    return compute();
  } catch (error) {
    if (error instanceof TooLarge) return otherwise;
    throw error;
  }
}

// long: operations over one shared table of nodes
export function diagramsOf(declaration: Declaration): Diagrams {
  const nodes: (Node | null)[] = [null, null];
  const known = new Map<string, Diagram>();
  const combined = new Map<string, Diagram>();
  const columnOf = (name: string): Column => declaration.columns[name] ?? { type: "text", provenance: "asserted" };

  function make(node: Node): Diagram {
    const parts = "cuts" in node ? [...node.children] : [...node.values.values()];
    if ("values" in node && node.other !== null) parts.push(node.other);
    if (node.missing !== null) parts.push(node.missing);
    const [first = NEVER] = parts;
    if (parts.every((part) => part === first)) return first;
    const reduced = "cuts" in node ? merged(node) : node;
    const key = nodeText(reduced);
    const found = known.get(key);
    if (found !== undefined) return found;
    if (nodes.length >= MAX_NODES) throw new TooLarge("the predicate has too many cases");
    nodes.push(reduced);
    known.set(key, nodes.length - 1);
    return nodes.length - 1;
  }

  function combine(op: "and" | "or", a: Diagram, b: Diagram): Diagram {
    const [absorbing, neutral] = op === "and" ? [NEVER, ALWAYS] : [ALWAYS, NEVER];
    if (a === absorbing || b === absorbing) return absorbing;
    if (a === neutral || a === b) return b;
    if (b === neutral) return a;
    const key = a < b ? `${op} ${a} ${b}` : `${op} ${b} ${a}`;
    const found = combined.get(key);
    if (found !== undefined) return found;
    const [left, right] = [nodes[a], nodes[b]];
    if (left == null || right == null) throw new RangeError("an inner diagram has a node");
    const result =
      left.column === right.column
        ? make(paired(left, right, (x, y) => combine(op, x, y)))
        : left.column < right.column
          ? make(mapped(left, (x) => combine(op, x, b)))
          : make(mapped(right, (y) => combine(op, a, y)));
    combined.set(key, result);
    return result;
  }

  function not(a: Diagram): Diagram {
    if (a <= ALWAYS) return 1 - a;
    const found = combined.get(`not ${a}`);
    if (found !== undefined) return found;
    const node = nodes[a];
    if (node == null) throw new RangeError("an inner diagram has a node");
    const result = make(mapped(node, not));
    combined.set(`not ${a}`, result);
    return result;
  }

  const missingOf = (column: Column, held: Diagram): Diagram | null => (column.required === true ? null : held);

  function ordered(name: string, cuts: readonly Cut[], children: readonly Diagram[]): Diagram {
    return make({ column: name, cuts, children, missing: missingOf(columnOf(name), NEVER) });
  }

  function among(name: string, values: readonly Key[], held: Diagram): Diagram {
    const column = columnOf(name);
    const all = namesOf(column);
    const missing = missingOf(column, NEVER);
    const wanted = new Set(values.map((value) => JSON.stringify(value)));
    if (all === null)
      return make({
        column: name,
        values: new Map([...wanted].sort().map((v) => [v, held])),
        other: 1 - held,
        missing,
      });
    return make({
      column: name,
      values: new Map(all.map((value) => [value, wanted.has(value) ? held : 1 - held])),
      other: null,
      missing,
    });
  }

  function present(name: string): Diagram {
    const column = columnOf(name);
    if (column.required === true) return ALWAYS;
    if (isOrdered(column)) return ordered(name, [], [ALWAYS]);
    return among(name, [], NEVER);
  }

  function compare(name: string, op: "<" | "<=" | ">" | ">=" | "=" | "!=", value: Key): Diagram {
    const column = columnOf(name);
    if (!isOrdered(column)) return among(name, [value], op === "=" ? ALWAYS : NEVER);
    const at = value as number;
    const below = cutAt(column, at, false);
    const upTo = cutAt(column, at, true);
    if (op === "<") return ordered(name, [below], [ALWAYS, NEVER]);
    if (op === "<=") return ordered(name, [upTo], [ALWAYS, NEVER]);
    if (op === ">") return ordered(name, [upTo], [NEVER, ALWAYS]);
    if (op === ">=") return ordered(name, [below], [NEVER, ALWAYS]);
    const [outside, inside] = op === "=" ? [NEVER, ALWAYS] : [ALWAYS, NEVER];
    return same(below, upTo) ? ordered(name, [], [outside]) : ordered(name, [below, upTo], [outside, inside, outside]);
  }

  function of(predicate: Predicate | null): Diagram {
    if (predicate === null) return ALWAYS;
    switch (predicate.op) {
      case "not":
        return not(of(predicate.of));
      case "and":
        return predicate.of.map(of).reduce((a, b) => combine("and", a, b), ALWAYS);
      case "or":
        return predicate.of.map(of).reduce((a, b) => combine("or", a, b), NEVER);
      case "isNull":
        return not(present(predicate.column));
      case "between":
        return combine(
          "and",
          compare(predicate.column, ">=", predicate.lower),
          compare(predicate.column, "<=", predicate.upper),
        );
      case "in": {
        if (!isOrdered(columnOf(predicate.column))) return among(predicate.column, predicate.values, ALWAYS);
        return predicate.values
          .map((value) => compare(predicate.column, "=", value))
          .reduce((a, b) => combine("or", a, b), NEVER);
      }
      default:
        return compare(predicate.column, predicate.op, predicate.value);
    }
  }

  function text(root: Diagram): string {
    const numbers = new Map<Diagram, number>([
      [NEVER, 0],
      [ALWAYS, 1],
    ]);
    const lines: string[] = [];
    const visit = (diagram: Diagram): number => {
      const met = numbers.get(diagram);
      if (met !== undefined) return met;
      const node = nodes[diagram];
      if (node == null) throw new RangeError("an inner diagram has a node");
      const line = nodeText(mapped(node, visit));
      numbers.set(diagram, lines.length + 2);
      lines.push(line);
      return lines.length + 1;
    };
    const top = visit(root);
    return `[${[...lines, top].join(",")}]`;
  }

  return {
    of: (predicate) => of(predicate === null ? null : inPeriods(predicate, declaration)),
    present,
    isWhole: (name) => isWhole(columnOf(name)),
    isRequired: (name) => columnOf(name).required === true,
    and: (a, b) => combine("and", a, b),
    or: (a, b) => combine("or", a, b),
    not,
    text,
  };
}

/**
 * A whole-number column has no values between whole numbers. Beyond ±2⁵³ databases compare it as a double, so cuts stay
 * as they are there.
 */
function cutAt(column: Column, at: number, after: boolean): Cut {
  if (!isWhole(column) || Math.abs(at) >= Number.MAX_SAFE_INTEGER - 1) return { at, after };
  return { at: after ? Math.floor(at) + 1 : Math.ceil(at) + 0, after: false };
}

const same = (a: Cut, b: Cut): boolean => a.at === b.at && a.after === b.after;
const before = (a: Cut, b: Cut): boolean => a.at < b.at || (a.at === b.at && !a.after && b.after);

/** Every value that the column can hold, without the missing one, as JSON; null when there may be others. */
function namesOf({ type, required, categories = [] }: Column): readonly string[] | null {
  if (type === "boolean") return ["false", "true"];
  if (type !== "category" || required !== true || categories.length > MAX_LISTED) return null;
  return categories.map((value) => JSON.stringify(value)).sort();
}

function nodeText(node: Node): string {
  const cases =
    "cuts" in node
      ? [node.cuts.map(({ at, after }) => [at, after ? 1 : 0]), node.children]
      : [[...node.values], node.other];
  return JSON.stringify([node.column, ...cases, node.missing]);
}

function mapped(node: Node, change: (child: Diagram) => Diagram): Node {
  const missing = node.missing === null ? null : change(node.missing);
  if ("cuts" in node) return { ...node, children: node.children.map(change), missing };
  const other = node.other === null ? null : change(node.other);
  return named(node.column, new Map([...node.values].map(([value, child]) => [value, change(child)])), other, missing);
}

/** Joins two nodes of one column, case by case. */
function paired(a: Node, b: Node, join: (a: Diagram, b: Diagram) => Diagram): Node {
  const missing = a.missing === null || b.missing === null ? null : join(a.missing, b.missing);
  if ("cuts" in a && "cuts" in b) {
    const cuts: Cut[] = [];
    const children: Diagram[] = [join(a.children[0] ?? NEVER, b.children[0] ?? NEVER)];
    let [i, j] = [0, 0];
    while (i < a.cuts.length || j < b.cuts.length) {
      const [left, right] = [a.cuts[i], b.cuts[j]];
      const next = right === undefined || (left !== undefined && !before(right, left)) ? left : right;
      if (next === undefined) break;
      if (left !== undefined && same(left, next)) i += 1;
      if (right !== undefined && same(right, next)) j += 1;
      cuts.push(next);
      children.push(join(a.children[i] ?? NEVER, b.children[j] ?? NEVER));
    }
    return { column: a.column, cuts, children, missing };
  }
  if ("cuts" in a || "cuts" in b) throw new RangeError("a column is ordered or it is not");
  const names = [...new Set([...a.values.keys(), ...b.values.keys()])].sort();
  const values = new Map(
    names.map((name) => [name, join(a.values.get(name) ?? a.other ?? NEVER, b.values.get(name) ?? b.other ?? NEVER)]),
  );
  return named(a.column, values, a.other === null || b.other === null ? null : join(a.other, b.other), missing);
}

/** A node that names only the values whose function differs from `other`. */
function named(
  column: string,
  values: ReadonlyMap<string, Diagram>,
  other: Diagram | null,
  missing: Diagram | null,
): Node {
  if (other === null) return { column, values, other, missing };
  return { column, values: new Map([...values].filter(([, child]) => child !== other)), other, missing };
}

function merged(node: Extract<Node, { cuts: unknown }>): Node {
  const cuts: Cut[] = [];
  const children: Diagram[] = [node.children[0] ?? NEVER];
  node.cuts.forEach((cut, index) => {
    const child = node.children[index + 1] ?? NEVER;
    if (child === children.at(-1)) return;
    cuts.push(cut);
    children.push(child);
  });
  return { ...node, cuts, children };
}
