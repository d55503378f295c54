import { isRecord } from "@dosimeter/core/internal";
import { percent, short } from "../show/columns.ts";
import { type Column, say, sayFacts, sayTable } from "../terminal/output.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import type { Shape } from "./fields.ts";

/** A value of an answer, and what is known of it. */
interface Leaf {
  readonly heading: string;
  readonly path: readonly string[];
  readonly shape: Shape;
}

const SYMBOLS: Readonly<Record<string, string>> = { epsilon: "ε", delta: "δ", muSquared: "μ²", mu2: "μ²" };

/** `createdAt` as `created at`, `epsilon` as ε. */
export const wordsOf = (name: string): string =>
  SYMBOLS[name] ?? name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^is /, "");

const headingOf = (path: readonly string[]): string => path.map(wordsOf).join(" ");

/** What stands at a path; undefined where the schema has nothing there. */
export function shapeAt(shape: Shape | undefined, path: readonly string[]): Shape | undefined {
  return path.reduce<Shape | undefined>((at, name) => at?.properties?.[name], shape);
}

/** `quota ε=quota.epsilon`, or `quota.epsilon`. */
export function columnPath(spec: string): { readonly heading: string; readonly path: readonly string[] } {
  const at = spec.lastIndexOf("=");
  const path = spec.slice(at + 1).split(".");
  return { heading: at < 0 ? headingOf(path) : spec.slice(0, at), path };
}

const chosen = (shape: Shape, specs: readonly string[]): readonly Leaf[] =>
  specs.map((spec) => {
    const { heading, path } = columnPath(spec);
    return { heading, path, shape: shapeAt(shape, path) ?? { isNullable: false } };
  });

const isPlain = ({ type, items, properties }: Shape): boolean =>
  properties === undefined &&
  (["string", "number", "integer", "boolean"].includes(type ?? "") || (type === "array" && items?.type === "string"));

/** What a row of a list says where its route does not choose: no ids but its own, which comes last. */
function usualColumns(shape: Shape): readonly Leaf[] {
  const all = Object.entries(shape.properties ?? {})
    .filter(([name, one]) => isPlain(one) && (one.id !== "Id" || name === "id") && one.id !== "Hash")
    .map(([name, one]) => ({ heading: wordsOf(name), path: [name], shape: one }));
  const rest = all.filter(({ path }) => path[0] !== "id");
  return [...rest.slice(0, MAX_COLUMNS), ...all.filter(({ path }) => path[0] === "id")];
}
const MAX_COLUMNS = 6;
/** The characters of a hash that a line of a table has room for. */
const HASH_BEGINS = 12;

/** Every value of one thing, those of its parts too. */
const usualFacts = (shape: Shape, before: readonly string[] = []): readonly Leaf[] =>
  Object.entries(shape.properties ?? {}).flatMap(([name, one]) => {
    const path = [...before, name];
    if (isPlain(one)) return [{ heading: headingOf(path), path, shape: one }];
    return before.length < 2 && one.type === "object" ? usualFacts(one, path) : [];
  });

/** What stands in an answer at a path; undefined where the path ends before. */
export const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), value);

/** Amounts that one may still use round down, and all others, which are spent or promised, up: against the reader's hope. */
const HOPED = /left|free|quota|cap|room|most|limit|hour|above|before|after|offered|granted|recalled|shortfall/i;
/** An amount of so few characters is shown as it is. */
const EXACT = 12;
const SHARES = new Set(["used", "earmarked"]);

function cellOf(value: unknown, { path, shape }: Pick<Leaf, "path" | "shape">): string {
  const name = path.at(-1) ?? "";
  if (value === undefined) return "";
  if (value === null) return shape.id === "Decimal" ? "—" : "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return SHARES.has(name) ? percent(value) : String(value);
  if (Array.isArray(value))
    return value.every((one) => typeof one === "string")
      ? value.join(name === "path" ? "/" : ", ")
      : String(value.length);
  if (typeof value !== "string") return "";
  if (shape.id === "Decimal")
    return value.length <= EXACT ? value : short(value, HOPED.test(path.join(".")) ? "down" : "up");
  return shape.id === "Time" ? value.replace(/\.\d+Z$/, "Z") : value;
}

const isRight = ({ shape }: Leaf): boolean =>
  shape.id === "Decimal" ||
  shape.type === "number" ||
  shape.type === "integer" ||
  (shape.type === "array" && shape.items?.type === "object");

async function sayRows(
  terminal: Terminal,
  rows: readonly unknown[],
  shape: Shape,
  specs: readonly string[] | undefined,
): Promise<void> {
  const leaves = specs === undefined ? usualColumns(shape) : chosen(shape, specs);
  const columns = leaves.map(
    (leaf): Column<unknown> => ({
      heading: leaf.heading,
      cell: (row) => cellOf(valueAt(row, leaf.path), leaf).slice(0, leaf.shape.id === "Hash" ? HASH_BEGINS : undefined),
      ...(isRight(leaf) ? { right: true } : {}),
    }),
  );
  // A pipe has every column, so that `cut` finds them; a terminal has room for those that say something.
  const isEmpty = ({ cell }: Column<unknown>) => rows.length > 0 && rows.every((row) => cell(row) === "");
  await sayTable(terminal, rows, terminal.isInteractive ? columns.filter((column) => !isEmpty(column)) : columns);
}

interface Chosen {
  readonly columns?: readonly string[];
  readonly tables?: Readonly<Record<string, readonly string[]>>;
}

/** An answer for a person: a list as a table, one thing as its facts, and the lists inside it below. */
export async function sayAnswer(
  terminal: Terminal,
  answer: unknown,
  shape: Shape,
  { columns, tables }: Chosen,
): Promise<void> {
  const items = Array.isArray(answer) ? answer : isRecord(answer) && Array.isArray(answer.items) ? answer.items : null;
  const itemShape = shape.properties?.items?.items;
  if (items !== null && itemShape !== undefined) await sayRows(terminal, items, itemShape, columns);
  else {
    const leaves = columns === undefined ? usualFacts(shape) : chosen(shape, columns);
    const facts = leaves.map((leaf) => [leaf.heading, cellOf(valueAt(answer, leaf.path), leaf)] as const);
    sayFacts(
      terminal,
      facts.filter(([, value]) => value !== "" && value !== "—"),
    );
  }
  for (const [name, specs] of Object.entries(tables ?? (columns === undefined ? listsIn(shape) : {}))) {
    const path = name.split(".");
    const rows = valueAt(answer, path);
    const list = shapeAt(shape, path);
    if (!Array.isArray(rows) || rows.length === 0 || list?.items === undefined) continue;
    say(terminal, `\n${paint(terminal, "bold", headingOf(path))}`);
    await sayRows(terminal, rows, list.items, specs.length === 0 ? undefined : specs);
  }
}

/** The lists of things inside one thing. */
const listsIn = (shape: Shape): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(shape.properties ?? {})
      .filter(([name, one]) => name !== "items" && one.items?.properties !== undefined)
      .map(([name]) => [name, []]),
  );
