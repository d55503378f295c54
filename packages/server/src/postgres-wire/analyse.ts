import { isAggregate } from "@dosimeter/sql-text";
import { parseSync, SqlError } from "libpg-query";
import { settingAs } from "./settings.ts";
import {
  apart,
  type Edit,
  type Extent,
  edited,
  type Piece,
  type SqlToken,
  textOf,
  tokensIn,
  tokensOf,
} from "./tokens.ts";

/** What a SELECT that a plan answers shows in one column. */
export interface Target {
  /** Its alias, or the name that PostgreSQL gives it. */
  readonly name: string;
  readonly isNamed: boolean;
  readonly asks: "count" | "mean" | "column" | "other";
}

/** A SELECT that aggregates a dataset: a plan answers it. Places are characters of the source. */
export interface Aggregated extends Extent {
  readonly plan: readonly Piece[];
  readonly targets: readonly Target[];
  /** Characters of the plan's text up to the end of its list of columns. */
  readonly listEnd: number;
  /** Characters of WHERE in the plan's text: columns do not depend on it. */
  readonly where: Extent | null;
  /** Parameters that are compared with a column. */
  readonly compared: readonly { readonly number: number; readonly column: string }[];
  readonly isOrdered: boolean;
  /** The same as aggregates alone, with the rest of the SELECT around them. */
  readonly split: Split | null;
  /** Values of one declared column, and nothing else. */
  readonly categories: string | null;
  readonly dataset: string;
}

interface Split {
  readonly plan: readonly Piece[];
  readonly targets: readonly Target[];
  readonly where: Extent | null;
  /** Around the table of the answers. */
  readonly before: readonly Piece[];
  readonly after: readonly Piece[];
}

export interface Refused {
  readonly at: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** One statement of a text. */
export interface Analysed extends Extent {
  /** The kind that PostgreSQL's parser gives it; null where it cannot read it. */
  readonly kind: string | null;
  readonly asked: readonly Aggregated[];
  readonly refused: Refused | null;
  /** Names of columns that it mentions. */
  readonly mentions: readonly string[];
  /** Of SET, RESET and SHOW. */
  readonly setting: { readonly name: string; readonly value: string | null; readonly isLocal: boolean } | null;
  /** Of BEGIN and the like. */
  readonly transaction: string | null;
  /** The statement as it runs: in a transaction that only reads. */
  readonly edits: readonly Edit[];
  /** Takes no values of its own: COPY, DECLARE. */
  readonly isLiteral: boolean;
  /** What stands in the brackets of COPY. */
  readonly copied: Extent | null;
}

type Node = Readonly<Record<string, unknown>>;
interface Frame {
  readonly node: Node;
  readonly parent: Frame | null;
  readonly how: "top" | "from" | "cte" | "other" | "arm";
  readonly tables: Map<string, Frame>;
  readonly refs: Ref[];
  readonly consumers: Set<Frame>;
  /** Names of CTE that it reads, of frames around it. */
  readonly outer: Map<string, Frame>;
  readonly name: string;
  isAsked: boolean;
}
interface Ref {
  readonly frame: Frame | null;
  readonly name: string;
  readonly at: number;
  readonly alias: string | null;
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);
const nodes = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : []);
const child = (value: unknown, key: string): Node | undefined =>
  isNode(value) && isNode(value[key]) ? value[key] : undefined;
const string = (value: unknown): string => (typeof value === "string" ? value : "");
const numberAt = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Kinds that may pass; everything else that names a dataset is refused, and what writes is refused by PostgreSQL. */
const ASKING = new Set(["SelectStmt", "CopyStmt", "DeclareCursorStmt", "ExplainStmt"]);
const READING = new Set([
  ...ASKING,
  ...["TransactionStmt", "VariableSetStmt", "VariableShowStmt", "FetchStmt", "ClosePortalStmt", "DeallocateStmt"],
  ...["ExecuteStmt", "DiscardStmt", "ListenStmt", "UnlistenStmt", "NotifyStmt", "LockStmt", "ConstraintsSetStmt"],
]);
/** Also within EXPLAIN and WITH. */
const WRITING = new Set(["InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt", "CreateTableAsStmt", "CallStmt"]);
const NEVER: Readonly<Record<string, string>> = {
  DoStmt: "DO is not run here",
  PrepareStmt: "PREPARE would freeze one answer; use the prepared statements of your driver",
  CreateFunctionStmt: "functions cannot be made here",
  LoadStmt: "LOAD is not run here",
  AlterSystemStmt: "ALTER SYSTEM is not run here",
  CheckPointStmt: "CHECKPOINT is not run here",
};
const MODES = /^(?:default_transaction_read_only|transaction_read_only)$/;
/** SELECT that ask of one statement. */
const MAX_ASKED = 100;

/** Statements of a text, or where PostgreSQL's parser stops. Reads nothing else. */
export function analyse(source: string, visible: readonly string[]): readonly Analysed[] | Refused {
  try {
    return statementsOf(source, visible);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { at: 0, code: "54001", message: "a statement is too deep to be read" };
  }
}

function statementsOf(source: string, visible: readonly string[]): readonly Analysed[] | Refused {
  const bytes = Buffer.from(source);
  const charOf = placesOf(bytes, source);
  let parsed: ReturnType<typeof parseSync>;
  try {
    parsed = parseSync(source);
  } catch (error) {
    if (error instanceof SqlError)
      return { at: Math.max(0, error.sqlDetails?.cursorPosition ?? 0), code: "42601", message: error.message };
    return { at: 0, code: "54001", message: "a statement is too deep to be read" };
  }
  const tokens = tokensOf(source);
  const names = new Set(visible.map((name) => name.toLowerCase()));
  return nodes(parsed.stmts as unknown).map((raw) => {
    const start = numberAt(raw.stmt_location);
    const length = numberAt(raw.stmt_len);
    const extent = { from: start, to: length === 0 ? bytes.length : start + length };
    return statementOf(child(raw, "stmt") ?? {}, { bytes, tokens: tokensIn(tokens, extent), names, extent, charOf });
  });
}

interface Reading {
  readonly bytes: Buffer;
  readonly tokens: readonly SqlToken[];
  readonly names: ReadonlySet<string>;
  readonly extent: Extent;
  readonly charOf: (byte: number) => number;
}

/** Characters of a text by its bytes. */
function placesOf(bytes: Buffer, source: string): (byte: number) => number {
  if (bytes.length === source.length) return (byte) => byte;
  return (byte) => bytes.toString("utf8", 0, byte).length;
}

// long: a walk of one statement
function statementOf(stmt: Node, reading: Reading): Analysed {
  const { extent, charOf, tokens, names } = reading;
  const [kind = ""] = Object.keys(stmt);
  const body = child(stmt, kind) ?? {};
  const refs: Ref[] = [];
  const mentions = new Set<string>();
  const seen = new Set<Node>();
  let refused: Refused | null = null;
  const refuse = (at: number, code: string, message: string, hint?: string): void => {
    refused ??= { at: charOf(at), code, message, ...(hint === undefined ? {} : { hint }) };
  };

  function select(node: Node, parent: Frame | null, how: Frame["how"], name = ""): Frame {
    const frame: Frame = {
      ...{
        node,
        parent,
        how,
        name,
        tables: new Map(),
        refs: [],
        consumers: new Set(),
        outer: new Map(),
        isAsked: false,
      },
    };
    for (const one of nodes(child(node, "withClause")?.ctes)) {
      const cte = child(one, "CommonTableExpr") ?? {};
      const query = child(cte.ctequery, "SelectStmt");
      if (query === undefined) {
        visit(cte.ctequery, frame);
        continue;
      }
      frame.tables.set(string(cte.ctename), select(query, frame, "cte", string(cte.ctename)));
    }
    for (const arm of ["larg", "rarg"]) if (isNode(node[arm])) select(node[arm], frame, "arm");
    for (const [key, value] of Object.entries(node))
      if (!["withClause", "larg", "rarg"].includes(key)) visit(value, frame, key === "fromClause");
    return frame;
  }

  function visit(value: unknown, frame: Frame | null, isFrom = false): void {
    if (Array.isArray(value)) for (const one of value) visit(one, frame, isFrom);
    else if (isNode(value))
      for (const [key, inner] of Object.entries(value)) {
        if (!isNode(inner)) visit(inner, frame, isFrom);
        else if (typeof inner.relname === "string") rangeVar(inner, frame);
        else if (key === "SelectStmt") select(inner, frame, isFrom ? "from" : "other");
        else {
          if (key === "FuncCall") call(inner);
          if (key === "ColumnRef") {
            const last = child(nodes(inner.fields).at(-1), "String");
            if (last !== undefined) mentions.add(string(last.sval));
          }
          visit(
            inner,
            frame,
            isFrom && (key === "JoinExpr" || key === "RangeSubselect" || key === "larg" || key === "rarg"),
          );
        }
      }
  }

  function call(node: Node): void {
    if (nameOf(node) !== "set_config") return;
    const first = child(child(nodes(node.args)[0], "A_Const"), "sval");
    const name = string(first?.sval).toLowerCase();
    if (first === undefined || MODES.test(name) || settingAs(name) !== "may")
      refuse(numberAt(node.location), "42501", "this setting stays as it is");
  }

  /** Every part of the statement, wherever it stands: what the walk above does not know is refused, never passed on. */
  function inspect(value: unknown): void {
    if (Array.isArray(value)) for (const one of value) inspect(one);
    if (!isNode(value)) return;
    if (typeof value.relname === "string" && !seen.has(value) && isDataset(value))
      refuse(numberAt(value.location), "0A000", `${JSON.stringify(value.relname)} is not read at this place`);
    if (Array.isArray(value.funcname)) call(value);
    for (const [key, inner] of Object.entries(value)) {
      if (key === "RangeTableSample")
        refuse(
          numberAt(child(inner, key)?.location ?? (isNode(inner) ? inner.location : 0)),
          "0A000",
          "TABLESAMPLE is not read: an answer about all rows costs the same",
        );
      if (key === "intoClause")
        refuse(
          numberAt(child(child(inner, "rel"), "RangeVar")?.location ?? child(inner, "rel")?.location),
          "0A000",
          "SELECT INTO would make a table; leave INTO out",
        );
      if (WRITING.has(key) && (key !== kind || value !== stmt)) writes();
      inspect(inner);
    }
  }
  const writes = (): void =>
    refuse(tokens[0]?.start ?? 0, "25006", "nothing is written here: every transaction only reads");
  const isDataset = (node: Node): boolean =>
    /^(?:public)?$/.test(string(node.schemaname)) && names.has(string(node.relname).toLowerCase());

  function rangeVar(node: Node, frame: Frame | null): void {
    seen.add(node);
    const [name, schema] = [string(node.relname), string(node.schemaname)];
    if (schema === "") {
      const at = tableNamed(frame, name);
      if (at !== null && frame !== null) {
        at.table.consumers.add(frame);
        for (let each: Frame | null = frame; each !== null && each !== at.owner; each = each.parent)
          each.outer.set(name, at.table);
        return;
      }
    }
    if (!isDataset(node)) return;
    const ref = { frame, name, at: numberAt(node.location), alias: string(child(node, "alias")?.aliasname) || null };
    refs.push(ref);
    frame?.refs.push(ref);
  }
  const never = NEVER[kind];
  if (never !== undefined) refuse(tokens[0]?.start ?? 0, "0A000", never);
  const top = kind === "SelectStmt" ? select(body, null, "top") : null;
  if (top === null)
    for (const [key, value] of Object.entries(body)) {
      const query = child(value, "SelectStmt");
      if (query !== undefined && ASKING.has(kind)) select(query, null, "top");
      else visit({ [key]: value }, null);
    }

  inspect(stmt);
  if (kind === "CopyStmt" && (body.is_program === true || body.filename !== undefined || body.is_from === true))
    refuse(tokens[0]?.start ?? 0, "42501", "COPY goes TO STDOUT only");

  const asked = new Set<Frame>();
  for (const ref of refs) {
    const found = ASKING.has(kind) ? askedBy(ref) : [];
    if (found === null) continue;
    for (const one of found) asked.add(one);
    if (found.length === 0) pendingRefusals(ref);
  }
  function pendingRefusals(ref: Ref): void {
    for (let each = ASKING.has(kind) ? ref.frame : null; each !== null; each = each.parent)
      if (isAsking(each)) return void asked.add(each);
    refuse(
      ref.at,
      "42501",
      `the rows of ${JSON.stringify(ref.name)} are private: they are read by an aggregate alone`,
      "SELECT COUNT(*), AVG(…) … GROUP BY …; a SELECT around it may do anything with its answers.",
    );
  }
  if (!READING.has(kind) && refused === null) writes();
  if (asked.size > MAX_ASKED)
    refuse(
      tokens[0]?.start ?? 0,
      "54000",
      `a statement has ${asked.size} SELECT about datasets, must have at most ${MAX_ASKED}`,
    );
  const outermost =
    refused !== null ? [] : [...asked].filter((frame) => !around(frame).some((each) => asked.has(each)));
  const made = outermost.flatMap((frame) => {
    const one = askedOf(frame, { ...reading, kind });
    if (one === null)
      refuse(
        frame.refs[0]?.at ?? 0,
        "0A000",
        "this SELECT does not stand apart from those around it; put it in brackets",
      );
    return one === null ? [] : [one];
  });
  const { setting, edits } = settingOf(kind, body, reading, refuse);
  return {
    from: charOf(extent.from),
    to: charOf(extent.to),
    kind,
    asked: made.toSorted((a, b) => a.from - b.from),
    refused,
    mentions: [...mentions],
    setting,
    transaction: kind === "TransactionStmt" ? string(body.kind).replace(/^TRANS_STMT_/, "") : null,
    edits,
    isLiteral: kind !== "SelectStmt",
    copied: kind === "CopyStmt" ? copiedIn(tokens, charOf) : null,
  };
}

function copiedIn(tokens: readonly SqlToken[], charOf: Reading["charOf"]): Extent | null {
  const open = tokens[1];
  const close = tokens[(open?.closes ?? 0) - (tokens[0]?.place ?? 0)];
  return open?.text !== "(" || close === undefined ? null : { from: charOf(open.end), to: charOf(close.start) };
}

function tableNamed(frame: Frame | null, name: string): { readonly table: Frame; readonly owner: Frame } | null {
  for (let each = frame; each !== null; each = each.parent) {
    const table = each.tables.get(name);
    if (table !== undefined) return { table, owner: each };
  }
  return null;
}

/** The frames around one, also those that read a CTE that it is. */
function around(frame: Frame): readonly Frame[] {
  const found = new Set<Frame>();
  const climb = (each: Frame): void => {
    for (const outer of [each.parent, ...(each.how === "cte" ? each.consumers : [])]) {
      if (outer === null || found.has(outer)) continue;
      found.add(outer);
      climb(outer);
    }
  };
  climb(frame);
  found.delete(frame);
  return [...found];
}

/** The SELECT that aggregates what a table gives; none where its rows come out; null where no row is asked for. */
function askedBy({ frame }: Ref): readonly Frame[] | null {
  if (frame === null) return [];
  if (isEmpty(frame.node)) return null;
  const seen = new Set<Frame>();
  const found: Frame[] = [];
  const climb = (each: Frame): boolean => {
    if (seen.has(each)) return true;
    seen.add(each);
    if (isAsking(each)) return found.push(each) > 0;
    if (each.how === "from" && each.parent !== null) return climb(each.parent);
    return each.how === "cte" && [...each.consumers].every(climb);
  };
  return climb(frame) ? (found.length === 0 ? null : found) : [];
}

/** LIMIT 0, or WHERE false: what tools ask to see the columns. */
function isEmpty({ limitCount, whereClause }: Node): boolean {
  const constant = child(limitCount, "A_Const");
  if (constant !== undefined && isNode(constant.ival) && !numberAt(constant.ival.ival)) return true;
  const where = child(whereClause, "A_Const");
  if (where !== undefined && isNode(where.boolval) && where.boolval.boolval !== true) return true;
  const compared = child(whereClause, "A_Expr");
  const [left, right] = [compared?.lexpr, compared?.rexpr].map((side) => child(child(side, "A_Const"), "ival"));
  const operator = string(child(nodes(compared?.name)[0], "String")?.sval);
  return operator === "=" && left !== undefined && right !== undefined && numberAt(left.ival) !== numberAt(right.ival);
}

const isAsking = (frame: Frame): boolean => {
  const { groupClause, targetList, havingClause, sortClause } = frame.node;
  return (
    nodes(groupClause).length > 0 ||
    [targetList, havingClause, sortClause].some((part) => aggregatesIn(part).length > 0) ||
    (frame.refs.length > 0 && categoriesOf(frame) !== null)
  );
};

const nameOf = (call: Node): string => string(child(nodes(call.funcname).at(-1), "String")?.sval).toLowerCase();
const others =
  /^(?:array_agg|string_agg|jsonb?_\w*agg|bool_and|bool_or|every|bit_and|bit_or|bit_xor|mode|any_value|regr_\w+|stddev|stddev_\w+|variance|var_\w+|xmlagg|min_by|max_by)$/;

/** Calls of aggregates that are of this SELECT, the outer ones alone. */
function aggregatesIn(value: unknown): readonly Node[] {
  if (Array.isArray(value)) return value.flatMap(aggregatesIn);
  if (!isNode(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "SelectStmt") return [];
    if (key === "FuncCall" && isNode(inner) && inner.over === undefined) {
      const name = nameOf(inner);
      if (isAggregate(name) || others.test(name) || inner.agg_star === true || inner.agg_filter !== undefined)
        return [inner];
    }
    return aggregatesIn(inner);
  });
}

/** The column whose values `SELECT DISTINCT column FROM dataset` lists, or the same by GROUP BY. */
function categoriesOf({ node, refs }: Frame): string | null {
  const [target, second] = nodes(node.targetList);
  const column = child(child(target, "ResTarget")?.val, "ColumnRef");
  if (column === undefined || second !== undefined || refs.length !== 1 || nodes(node.fromClause).length !== 1)
    return null;
  if (node.whereClause !== undefined || node.havingClause !== undefined) return null;
  const isDistinct = Array.isArray(node.distinctClause) && node.groupClause === undefined;
  if (!isDistinct && nodes(node.groupClause).length !== 1) return null;
  return string(child(nodes(column.fields).at(-1), "String")?.sval) || null;
}

const CLAUSES = new Set(["FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "OFFSET", "FETCH", "FOR"]);
const SET_OPERATION = new Set(["UNION", "INTERSECT", "EXCEPT"]);

function spanOf(tokens: readonly SqlToken[]): Extent {
  return { from: tokens[0]?.start ?? 0, to: tokens.at(-1)?.end ?? 0 };
}

/** The tokens of a SELECT. */
function extentOf(frame: Frame, reading: Reading & { readonly kind: string }): readonly SqlToken[] | null {
  const { tokens, kind } = reading;
  if (frame.how === "arm") return armOf(frame, reading);
  if (frame.parent === null) {
    if (kind === "SelectStmt") return unbracketed(tokens);
    const depth = kind === "CopyStmt" ? 1 : 0;
    const from = kind === "DeclareCursorStmt" ? tokens.findIndex(({ upper }) => upper === "FOR") + 1 : 0;
    const start = tokens.findIndex(
      ({ upper, depth: at }, place) => place >= from && at === depth && /^(?:SELECT|WITH)$/.test(upper),
    );
    if (start < 0) return null;
    const end = depth === 0 ? tokens.length : tokens.findIndex(({ depth: at }, place) => place > start && at === 0);
    return tokens.slice(start, end);
  }
  const [least, most] = spread(frame.node);
  const base = tokens[0]?.place ?? 0;
  for (let place = countTo(tokens, least) - 1; place >= 0; place -= 1) {
    const token = tokens[place];
    if (token?.text !== "(" || token.closes < 0) continue;
    const close = token.closes - base;
    if ((tokens[close - 1]?.end ?? 0) <= most) continue;
    const inner = tokens.slice(place + 1, close);
    if (/^(?:SELECT|WITH|VALUES)$/.test(unbracketed(inner)[0]?.upper ?? "")) return inner;
  }
  return null;
}

const countTo = (tokens: readonly SqlToken[], place: number): number =>
  tokensIn(tokens, { from: 0, to: place }).length + 1;

function unbracketed(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const base = tokens[0]?.place ?? 0;
  let [from, to] = [0, tokens.length];
  while (tokens[from]?.text === "(" && tokens[from]?.closes === base + to - 1) [from, to] = [from + 1, to - 1];
  return from === 0 ? tokens : tokens.slice(from, to);
}

function armOf(frame: Frame, reading: Reading & { readonly kind: string }): readonly SqlToken[] | null {
  let whole = frame;
  while (whole.how === "arm" && whole.parent !== null) whole = whole.parent;
  const leaves = leavesOf(whole.node);
  const container = extentOf(whole, reading);
  if (container === null) return null;
  const start = container.findIndex(
    ({ upper, depth }) => depth === container[0]?.depth && /^(?:SELECT|\()$/.test(upper),
  );
  const parts = apart(container.slice(Math.max(0, start)), ({ upper }) => SET_OPERATION.has(upper)).map((part) =>
    /^(?:ALL|DISTINCT)$/.test(part[0]?.upper ?? "") ? part.slice(1) : part,
  );
  if (parts.length !== leaves.length) return null;
  const part = parts[leaves.indexOf(frame.node)];
  if (part === undefined) return null;
  const end = part.findIndex(
    ({ upper, depth }) => depth === part[0]?.depth && /^(?:ORDER|LIMIT|OFFSET|FETCH|FOR)$/.test(upper),
  );
  return unbracketed(end < 0 ? part : part.slice(0, end));
}

const leavesOf = (node: Node): readonly Node[] =>
  isNode(node.larg) && isNode(node.rarg) ? [...leavesOf(node.larg), ...leavesOf(node.rarg)] : [node];

/** The least and the greatest place that a part of the tree names. */
function spread(value: unknown): readonly [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const look = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    for (const [key, inner] of Object.entries(part))
      if (key === "location" && typeof inner === "number" && inner >= 0)
        [least, most] = [Math.min(least, inner), Math.max(most, inner)];
      else look(inner);
  };
  look(value);
  return [least, most];
}

function askedOf(frame: Frame, reading: Reading & { readonly kind: string }): Aggregated | null {
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

/** Where WHERE stands in a made text, whose length up to a place of the source is known. */
function whereIn(clauses: Clauses, lengthTo: (place: number) => number): Extent | null {
  const where = clauses.of("WHERE");
  const from = spanOf(clauses.of("FROM"));
  return where.length === 0 ? null : { from: lengthTo(from.to), to: lengthTo(spanOf(where).to) };
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

const found = (value: unknown, name: string): readonly Node[] =>
  Array.isArray(value)
    ? value.flatMap((one) => found(one, name))
    : isNode(value)
      ? Object.entries(value).flatMap(([key, inner]) => (key === name && isNode(inner) ? [inner] : found(inner, name)))
      : [];
const columnsIn = (value: unknown): readonly string[] =>
  found(value, "ColumnRef").map(({ fields }) => string(child(nodes(fields).at(-1), "String")?.sval));
const parametersIn = (value: unknown): readonly number[] =>
  found(value, "ParamRef").map(({ number }) => numberAt(number));

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

interface Clauses {
  readonly select: SqlToken;
  readonly list: Extent;
  readonly of: (word: string) => readonly SqlToken[];
}

/** The clauses of a SELECT, each without its first word. */
function clausesOf(tokens: readonly SqlToken[]): Clauses | null {
  const depth = tokens[0]?.depth;
  const start = tokens.findIndex(({ upper, depth: at }) => at === depth && upper === "SELECT");
  const select = tokens[start];
  if (select === undefined) return null;
  const borders = tokens.flatMap(({ upper, depth: at }, place) =>
    place > start && at === depth && CLAUSES.has(upper) ? [place] : [],
  );
  const end = borders[0] ?? tokens.length;
  const after = tokens[start + 1]?.upper === "DISTINCT" || tokens[start + 1]?.upper === "ALL" ? 2 : 1;
  return {
    select,
    list: spanOf(tokens.slice(start + after, end)),
    of(word) {
      const border = borders.find((place) => tokens[place]?.upper === word);
      if (border === undefined) return [];
      const skip = tokens[border + 1]?.upper === "BY" ? 2 : 1;
      return tokens.slice(border + skip, borders.find((place) => place > border) ?? tokens.length);
    },
  };
}

interface Expressed extends Target {
  readonly expression: Node | undefined;
}

function targetOf(one: Node): Expressed {
  const target = child(one, "ResTarget") ?? {};
  const value = isNode(target.val) ? target.val : undefined;
  const alias = string(target.name);
  const call = child(value, "FuncCall");
  const name = call === undefined ? "" : nameOf(call);
  return {
    expression: value,
    name: alias === "" ? nameOfExpression(value) : alias,
    isNamed: alias !== "",
    asks:
      name === "count" || name === "approx_count_distinct" || name === "distinct_units"
        ? "count"
        : name === "avg" || name === "mean"
          ? "mean"
          : child(value, "ColumnRef") !== undefined
            ? "column"
            : "other",
  };
}

/** As PostgreSQL names a column without an alias. */
function nameOfExpression(value: Node | undefined): string {
  const call = child(value, "FuncCall");
  if (call !== undefined) return nameOf(call);
  const column = child(value, "ColumnRef");
  if (column !== undefined) return string(child(nodes(column.fields).at(-1), "String")?.sval) || "?column?";
  const cast = child(value, "TypeCast");
  if (cast !== undefined) {
    const inner = nameOfExpression(isNode(cast.arg) ? cast.arg : undefined);
    const type = string(child(nodes(child(cast, "typeName")?.names).at(-1), "String")?.sval);
    return inner === "?column?" ? type : inner;
  }
  if (child(value, "CoalesceExpr") !== undefined) return "coalesce";
  return child(value, "CaseExpr") === undefined ? "?column?" : "case";
}

/** A SELECT as its aggregates by its groups, and the rest of it over their answers. */
// long: one SELECT, made two
function splitOf(
  frame: Frame,
  tokens: readonly SqlToken[],
  given: Reading & {
    readonly prefix: readonly Piece[];
    readonly edits: readonly Edit[];
    readonly targets: readonly Expressed[];
  },
): Split | null {
  const { bytes, prefix, edits, targets } = given;
  const clauses = clausesOf(tokens);
  const { targetList, havingClause, sortClause, groupClause } = frame.node;
  if (clauses === null || clauses.of("FROM").length === 0) return null;
  const calls = aggregatesIn([targetList, havingClause, sortClause]);
  const extents = calls.map((call) => callExtent(numberAt(call.location), tokens));
  if (calls.length === 0 || extents.includes(null)) return null;
  const written = ({ from, to }: Extent): string =>
    tokensIn(tokens, { from, to })
      .map(({ upper }) => upper)
      .join(" ");
  const plan = (extent: Extent): string => textOf(edited(bytes, extent, edits));
  const items = apart(tokensIn(tokens, clauses.list), ({ text }) => text === ",");
  const groups = (groupClause === undefined ? [] : apart(clauses.of("GROUP"), ({ text }) => text === ",")).map(
    (part) => {
      const place = part.length === 1 && /^\d+$/.test(part[0]?.text ?? "") ? Number(part[0]?.text) : null;
      const alias = targets.findIndex(
        ({ name, isNamed }) => isNamed && part.length === 1 && part[0]?.text.replaceAll('"', "") === name,
      );
      const item = place !== null ? items[place - 1] : alias >= 0 ? items[alias] : undefined;
      return spanOf(item === undefined ? part : withoutAlias(item));
    },
  );
  const columns = new Map<string, string>();
  const list: { readonly text: string; readonly target: Target }[] = [];
  for (const [each, group] of groups.entries()) {
    columns.set(written(group), `g${each + 1}`);
    list.push({
      text: `${plan(group)} AS g${each + 1}`,
      target: { name: `g${each + 1}`, isNamed: true, asks: "column" },
    });
  }
  for (const [each, extent] of extents.entries()) {
    if (extent === null || columns.has(written(extent))) continue;
    const name = `a${each + 1}`;
    columns.set(written(extent), name);
    const [call] = calls.slice(each, each + 1);
    const asks = /^(?:count|approx_count_distinct)$/.test(nameOf(call ?? {}))
      ? "count"
      : nameOf(call ?? {}) === "avg"
        ? "mean"
        : "other";
    list.push({ text: `${plan(extent)} AS ${name}`, target: { name, isNamed: true, asks } });
  }
  const outer: Edit[] = [];
  const replace = (part: readonly SqlToken[], from: number): void => {
    for (let place = from; place < part.length; place += 1)
      for (let end = part.length; end > place; end -= 1) {
        const extent = spanOf(part.slice(place, end));
        const name = columns.get(written(extent));
        if (name === undefined || part[place - 1]?.text === "." || part[end]?.text === "." || part[end]?.text === "(")
          continue;
        outer.push({ ...extent, text: `"${name}"` });
        place = end - 1;
        break;
      }
  };
  const used = tokens.filter(({ start }) => start > clauses.select.start);
  if (used.length > 2000) return null;
  for (const [each, item] of items.entries()) {
    replace(item, 0);
    const target = targets[each];
    if (target !== undefined && !target.isNamed && target.name !== "?column?")
      outer.push({ from: spanOf(item).to, to: spanOf(item).to, text: ` AS "${target.name}"` });
  }
  const rest = ["HAVING", "ORDER", "LIMIT", "OFFSET", "FETCH"];
  for (const word of rest) replace(clauses.of(word), 0);
  const from = clauses.of("FROM");
  const where = clauses.of("WHERE");
  const source = spanOf(where.length === 0 ? from : [...from, ...where]);
  const own = edited(bytes, { from: spanOf(tokens).from, to: clauses.select.start }, edits);
  const head = `${textOf([...prefix, ...own])}SELECT ${list.map(({ text }) => text).join(", ")}`;
  const grouped = groups.length === 0 ? "" : ` GROUP BY ${groups.map((_, each) => `g${each + 1}`).join(", ")}`;
  const having = clauses.of("HAVING");
  const tail = tokens.find(
    ({ upper, depth, start: at }) =>
      depth === clauses.select.depth && at > source.to && /^(?:WINDOW|ORDER|LIMIT|OFFSET|FETCH)$/.test(upper),
  );
  return {
    plan: [
      { text: `${head} FROM `, at: clauses.select.start, isSource: false },
      ...edited(bytes, source, edits),
      { text: grouped, at: source.to, isSource: false },
    ],
    targets: list.map(({ target }) => target),
    where: whereIn(clauses, (to) => head.length + 6 + textOf(edited(bytes, { from: source.from, to }, edits)).length),
    before: [
      ...edited(bytes, { from: clauses.select.start, to: clauses.list.to }, outer),
      { text: " FROM ", at: clauses.list.to, isSource: false },
    ],
    after: [
      ...(having.length === 0
        ? []
        : [{ text: " WHERE ", at: spanOf(having).from, isSource: false }, ...edited(bytes, spanOf(having), outer)]),
      ...(tail === undefined
        ? []
        : [
            { text: " ", at: tail.start, isSource: false },
            ...edited(bytes, { from: tail.start, to: spanOf(tokens).to }, outer),
          ]),
    ],
  };
}

function withoutAlias(item: readonly SqlToken[]): readonly SqlToken[] {
  const depth = item[0]?.depth;
  const as = item.findIndex(({ upper, depth: at }) => at === depth && upper === "AS");
  return as < 0 ? item : item.slice(0, as);
}

/** From the name of a call to the end of what belongs to it: its brackets, WITHIN GROUP and FILTER. */
function callExtent(at: number, tokens: readonly SqlToken[]): Extent | null {
  const first = tokens.findIndex(({ start }) => start === at);
  if (first < 0) return null;
  let place = first;
  while (tokens[place] !== undefined && tokens[place]?.text !== "(") place += 1;
  const close = (open: number): number =>
    tokens.findIndex((token, each) => each > open && token.depth === tokens[open]?.depth);
  let end = close(place);
  for (;;) {
    const [word, next] = [tokens[end + 1]?.upper, tokens[end + 2]?.upper];
    if (word === "WITHIN" && next === "GROUP") end = close(end + 3);
    else if (word === "FILTER") end = close(end + 2);
    else break;
  }
  const last = tokens[end];
  return last === undefined ? null : { from: at, to: last.end };
}

function settingOf(
  kind: string,
  body: Node,
  { tokens, charOf }: Reading,
  refuse: (at: number, code: string, message: string) => void,
): Pick<Analysed, "setting" | "edits"> {
  const edits = tokens.flatMap(({ upper }, place): readonly Edit[] => {
    const isMode = (kind === "TransactionStmt" || kind === "VariableSetStmt") && upper === "READ";
    const next = tokens[place + 1];
    if (!isMode || next?.upper !== "WRITE") return [];
    return [{ from: charOf(next.start), to: charOf(next.end), text: "ONLY" }];
  });
  if (kind !== "VariableSetStmt" && kind !== "VariableShowStmt") return { setting: null, edits };
  const name = string(body.name).toLowerCase();
  const how = string(body.kind);
  const as = settingAs(name);
  if (kind === "VariableSetStmt" && how !== "VAR_RESET_ALL" && as !== "may") {
    const at = tokens[0]?.start ?? 0;
    if (as === "is kept") refuse(at, "42501", "this setting stays as it is");
    else refuse(at, "42704", `there is no setting ${JSON.stringify(name.slice(0, 80))} that can be set here`);
  }
  const value = child(nodes(body.args)[0], "A_Const");
  const text =
    string(child(value, "sval")?.sval) ||
    string(child(value, "fval")?.fval) ||
    (child(value, "ival") === undefined ? null : String(numberAt(child(value, "ival")?.ival)));
  if (kind === "VariableSetStmt" && MODES.test(name)) {
    const at = tokens.at(-1);
    if (at !== undefined && how === "VAR_SET_VALUE")
      edits.push({ from: charOf(at.start), to: charOf(at.end), text: "on" });
  }
  const isSet = kind === "VariableSetStmt" && how === "VAR_SET_VALUE";
  return {
    setting: {
      name: kind === "VariableShowStmt" ? `show ${name}` : how === "VAR_RESET_ALL" ? "all" : name,
      value: isSet ? text : null,
      isLocal: body.is_local === true,
    },
    edits,
  };
}
