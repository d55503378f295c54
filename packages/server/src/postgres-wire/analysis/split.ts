import { apart, type Edit, type Extent, edited, type Piece, type SqlToken, textOf, tokensIn } from "../tokens.ts";
import { type Clauses, callExtent, clausesOf, whereIn, withoutAlias } from "./clauses.ts";
import { spanOf } from "./extent.ts";
import type { Reading } from "./reading.ts";
import { asksOf, type Expressed, type Target } from "./target.ts";
import { aggregatesIn, nameOf, numberAt } from "./tree.ts";
import type { Frame } from "./walk.ts";

export interface Split {
  readonly plan: readonly Piece[];
  readonly targets: readonly Target[];
  readonly where: Extent | null;
  /** Around the table of the answers. */
  readonly before: readonly Piece[];
  readonly after: readonly Piece[];
}

const MAX_TOKENS = 2000;

interface Splitting extends Pick<Reading, "bytes"> {
  readonly prefix: readonly Piece[];
  readonly edits: readonly Edit[];
  readonly targets: readonly Expressed[];
}

/** Of the table of answers. */
interface Column {
  readonly name: string;
  readonly extent: Extent;
  readonly asks: Target["asks"];
}

/** A SELECT as its aggregates by its groups, and the rest of it over their answers. */
export function splitOf(
  frame: Frame,
  tokens: readonly SqlToken[],
  { bytes, prefix, edits, targets }: Splitting,
): Split | null {
  const clauses = clausesOf(tokens);
  const { targetList, havingClause, sortClause, groupClause } = frame.node;
  if (clauses === null || clauses.of("FROM").length === 0) return null;
  const calls = aggregatesIn([targetList, havingClause, sortClause]).map((call) => ({
    extent: callExtent(numberAt(call.location), tokens),
    asks: asksOf(nameOf(call)),
  }));
  if (calls.length === 0 || calls.some(({ extent }) => extent === null)) return null;
  if (tokens.filter(({ start }) => start > clauses.select.start).length > MAX_TOKENS) return null;
  const items = apart(tokensIn(tokens, clauses.list), ({ text }) => text === ",");
  const columns = new Map<string, Column>();
  const groups = groupClause === undefined ? [] : apart(clauses.of("GROUP"), ({ text }) => text === ",");
  for (const [each, part] of groups.entries()) {
    const extent = groupOf(part, items, targets);
    columns.set(written(extent, tokens), { name: `g${each + 1}`, extent, asks: "column" });
  }
  for (const [each, { extent, asks }] of calls.entries())
    if (extent !== null && !columns.has(written(extent, tokens)))
      columns.set(written(extent, tokens), { name: `a${each + 1}`, extent, asks });

  const from = clauses.of("FROM");
  const source = spanOf([...from, ...clauses.of("WHERE")]);
  const own = edited(bytes, { from: spanOf(tokens).from, to: clauses.select.start }, edits);
  const list = [...columns.values()].map(({ name, extent }) => `${textOf(edited(bytes, extent, edits))} AS ${name}`);
  const head = `${textOf([...prefix, ...own])}SELECT ${list.join(", ")}`;
  const keys = [...columns.values()].flatMap(({ name, asks }) => (asks === "column" ? [name] : []));
  return {
    plan: [
      { text: `${head} FROM `, at: clauses.select.start, isSource: false },
      ...edited(bytes, source, edits),
      { text: keys.length === 0 ? "" : ` GROUP BY ${keys.join(", ")}`, at: source.to, isSource: false },
    ],
    targets: [...columns.values()].map(({ name, asks }) => ({ name, isNamed: true, asks })),
    where: whereIn(clauses, (to) => head.length + 6 + textOf(edited(bytes, { from: source.from, to }, edits)).length),
    ...overAnswers(clauses, { bytes, tokens, source, outer: outerEdits({ clauses, items, tokens }, columns, targets) }),
  };
}

const written = (extent: Extent, tokens: readonly SqlToken[]): string =>
  tokensIn(tokens, extent)
    .map(({ upper }) => upper)
    .join(" ");

/** What a part of GROUP BY stands for: itself, or the item of the list whose place or alias it is. */
function groupOf(
  part: readonly SqlToken[],
  items: readonly (readonly SqlToken[])[],
  targets: readonly Expressed[],
): Extent {
  const [{ text } = { text: "" }, second] = part;
  const isPlace = second === undefined && /^\d+$/.test(text);
  const alias = targets.findIndex(
    ({ name, isNamed }) => isNamed && second === undefined && text.replaceAll('"', "") === name,
  );
  const item = isPlace ? items[Number(text) - 1] : items[alias];
  return spanOf(item === undefined ? part : withoutAlias(item));
}

/** Columns of the table of answers, in place of what they answer. */
function outerEdits(
  {
    clauses,
    items,
    tokens,
  }: {
    readonly clauses: Clauses;
    readonly items: readonly (readonly SqlToken[])[];
    readonly tokens: readonly SqlToken[];
  },
  columns: ReadonlyMap<string, Column>,
  targets: readonly Expressed[],
): readonly Edit[] {
  const edits: Edit[] = [];
  const replace = (part: readonly SqlToken[]): void => {
    for (let place = 0; place < part.length; place += 1)
      for (let end = part.length; end > place; end -= 1) {
        const extent = spanOf(part.slice(place, end));
        const column = columns.get(written(extent, tokens));
        if (column === undefined || part[place - 1]?.text === "." || /^[.(]$/.test(part[end]?.text ?? "")) continue;
        edits.push({ ...extent, text: `"${column.name}"` });
        place = end - 1;
        break;
      }
  };
  for (const [each, item] of items.entries()) {
    replace(item);
    const target = targets[each];
    const { to } = spanOf(item);
    if (target !== undefined && !target.isNamed && target.name !== "?column?")
      edits.push({ from: to, to, text: ` AS "${target.name}"` });
  }
  for (const word of ["HAVING", "ORDER", "LIMIT", "OFFSET", "FETCH"]) replace(clauses.of(word));
  return edits;
}

/** The SELECT around the table of answers: HAVING becomes its WHERE. */
function overAnswers(
  clauses: Clauses,
  {
    bytes,
    tokens,
    source,
    outer,
  }: {
    readonly bytes: Buffer;
    readonly tokens: readonly SqlToken[];
    readonly source: Extent;
    readonly outer: readonly Edit[];
  },
): Pick<Split, "before" | "after"> {
  const having = clauses.of("HAVING");
  const tail = tokens.find(
    ({ upper, depth, start: at }) =>
      depth === clauses.select.depth && at > source.to && /^(?:WINDOW|ORDER|LIMIT|OFFSET|FETCH)$/.test(upper),
  );
  const kept = (word: string, extent: Extent): readonly Piece[] => [
    { text: word, at: extent.from, isSource: false },
    ...edited(bytes, extent, outer),
  ];
  return {
    before: [
      ...edited(bytes, { from: clauses.select.start, to: clauses.list.to }, outer),
      { text: " FROM ", at: clauses.list.to, isSource: false },
    ],
    after: [
      ...(having.length === 0 ? [] : kept(" WHERE ", spanOf(having))),
      ...(tail === undefined ? [] : kept(" ", { from: tail.start, to: spanOf(tokens).to })),
    ],
  };
}
