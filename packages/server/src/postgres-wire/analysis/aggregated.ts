import { type Edit, type Extent, edited, type Piece, type SqlToken, textOf, tokensIn } from "../tokens.ts";
import { categoriesOf } from "./asking.ts";
import { clausesOf, whereIn } from "./clauses.ts";
import { extentOf, spanOf } from "./extent.ts";
import type { Reading, Refuse } from "./reading.ts";
import { type Split, splitOf } from "./split.ts";
import { type Target, targetOf } from "./target.ts";
import { aggregatesIn, columnsIn, isNode, nodes, parametersIn } from "./tree.ts";
import type { Frame } from "./walk.ts";

/** A SELECT that aggregates a dataset: a plan answers it. Places are characters of the source. */
export interface Aggregated extends Extent {
  readonly plan: readonly Piece[];
  readonly targets: readonly Target[];
  /** Characters of the plan's text up to the end of its list of columns. */
  readonly listEnd: number;
  /** Characters of WHERE in the plan's text: columns do not depend on it. */
  readonly where: Extent | null;
  readonly compared: readonly { readonly number: number; readonly column: string }[];
  readonly isOrdered: boolean;
  /** The same as aggregates alone, with the rest of the SELECT around them. */
  readonly split: Split | null;
  /** Values of one declared column, and nothing else. */
  readonly categories: string | null;
  readonly dataset: string;
}

export function askedOf(frame: Frame, reading: Reading & { readonly kind: string }, refuse: Refuse): Aggregated | null {
  const found = aggregatedOf(frame, reading);
  if (found === null)
    refuse(
      frame.refs[0]?.at ?? 0,
      "0A000",
      "this SELECT does not stand apart from those around it; put it in brackets",
    );
  return found;
}

function aggregatedOf(frame: Frame, reading: Reading & { readonly kind: string }): Aggregated | null {
  const { bytes, charOf } = reading;
  const tokens = extentOf(frame, reading);
  if (tokens === null) return null;
  const extent = spanOf(tokens);
  const prefix: Piece[] = [];
  for (const [name, table] of frame.outer) {
    const inner = extentOf(table, reading);
    if (inner === null) return null;
    const { from, to } = spanOf(inner);
    prefix.push(
      { text: `${prefix.length === 0 ? "WITH " : ", "}"${name}" AS (`, at: from, isSource: false },
      ...edited(bytes, { from, to }, tidy(frame, tokensIn(reading.tokens, { from, to }))),
      { text: ") ", at: to, isSource: false },
    );
  }
  const edits = tidy(frame, tokens);
  const clauses = clausesOf(tokens);
  if (clauses === null) return null;
  const plan = [...prefix, ...edited(bytes, extent, edits)];
  const head = [...prefix, ...edited(bytes, { from: extent.from, to: clauses.list.to }, edits)];
  const targets = nodes(frame.node.targetList).map((one) => targetOf(one));
  const inChars = (pieces: readonly Piece[]): readonly Piece[] =>
    pieces.map((each) => ({ ...each, at: charOf(each.at) }));
  const split = splitOf(frame, tokens, { ...reading, prefix, edits, targets });
  const place = (one: Extent) => ({ from: charOf(one.from), to: charOf(one.to) });
  return {
    ...place(extent),
    plan: inChars(plan),
    targets: targets.map(({ expression, ...rest }) => rest),
    listEnd: textOf(head).length,
    where: whereIn(clauses, (to) => textOf([...prefix, ...edited(bytes, { from: extent.from, to }, edits)]).length),
    compared: comparedIn(frame.node),
    isOrdered: frame.node.sortClause !== undefined,
    split: split && { ...split, plan: inChars(split.plan), before: inChars(split.before), after: inChars(split.after) },
    categories:
      frame.refs.length === 1 && aggregatesIn(frame.node.targetList).length === 0 ? categoriesOf(frame) : null,
    dataset: frame.refs[0]?.name ?? "",
  };
}

function comparedIn(value: unknown): Aggregated["compared"] {
  if (Array.isArray(value)) return value.flatMap(comparedIn);
  if (!isNode(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key !== "A_Expr" || !isNode(inner)) return comparedIn(inner);
    const [first] = columnsIn(inner);
    const numbers = parametersIn(inner);
    return first === undefined ? [] : numbers.map((number) => ({ number, column: first }));
  });
}

/** What our reader takes without: the schema, the name of the only table before columns, casts of values. */
function tidy(frame: Frame, tokens: readonly SqlToken[]): readonly Edit[] {
  const edits: Edit[] = [];
  const [ref, second] = frame.refs;
  const isAlone = second === undefined && !tokens.some(({ upper }) => upper === "JOIN");
  for (const [place, token] of tokens.entries()) {
    const [dot, next, further, last] = tokens.slice(place + 1, place + 5);
    if (/^"?public"?$/i.test(token.text) && dot?.text === "." && next !== undefined) {
      edits.push({ from: token.start, to: next.start, text: "" });
      if (isAlone && further?.text === "." && last !== undefined)
        edits.push({ from: token.start, to: last.start, text: "" });
    }
    const bare = token.text.replaceAll('"', "");
    if (
      isAlone &&
      ref !== undefined &&
      dot?.text === "." &&
      tokens[place - 1]?.text !== "." &&
      (bare === ref.alias || bare === ref.name) &&
      next !== undefined
    )
      edits.push({ from: token.start, to: next.start, text: "" });
    if (token.text === "::") edits.push({ from: token.start, to: endOfType(tokens, place + 1), text: "" });
  }
  return edits;
}

const LONG_TYPES = /^(?:PRECISION|VARYING|WITH|WITHOUT|TIME|ZONE)$/;

function endOfType(tokens: readonly SqlToken[], first: number): number {
  let place = first + 1;
  while (tokens[place]?.text === "." || tokens[place - 1]?.text === ".") place += 1;
  while (LONG_TYPES.test(tokens[place]?.upper ?? "")) place += 1;
  if (tokens[place]?.text === "(" || tokens[place]?.text === "[") {
    const open = tokens[place];
    while (place < tokens.length && !(tokens[place] !== open && tokens[place]?.depth === open?.depth)) place += 1;
    place += 1;
  }
  return tokens[place - 1]?.end ?? 0;
}
