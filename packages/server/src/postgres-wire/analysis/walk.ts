import { settingAs } from "../settings.ts";
import type { Reading, Refuse } from "./reading.ts";
import { child, isNode, lastName, type Node, nameOf, nodes, numberAt, string } from "./tree.ts";

export interface Frame {
  readonly node: Node;
  readonly parent: Frame | null;
  readonly how: "top" | "from" | "cte" | "other" | "arm";
  readonly tables: Map<string, Frame>;
  readonly refs: Ref[];
  readonly consumers: Set<Frame>;
  readonly outer: Map<string, Frame>;
  readonly name: string;
}

export interface Ref {
  readonly frame: Frame | null;
  readonly name: string;
  readonly at: number;
  readonly alias: string | null;
}

/** Kinds that may pass; everything else that names a dataset is refused, and what writes is refused by PostgreSQL. */
export const ASKING = new Set(["SelectStmt", "CopyStmt", "DeclareCursorStmt", "ExplainStmt"]);

/** Also within EXPLAIN and WITH. */
const WRITING = new Set(["InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt", "CreateTableAsStmt", "CallStmt"]);

export const WRITES = "nothing is written here: every transaction only reads";

/** The way out of a statement that writes what a SELECT in it gives. */
export const readInstead = (tokens: Reading["tokens"]): string | undefined =>
  tokens.some(({ upper }) => upper === "SELECT") ? "Send its SELECT alone: asked again it is free." : undefined;

export const MODES = /^(?:default_transaction_read_only|transaction_read_only)$/;

const FROM_PARTS = new Set(["JoinExpr", "RangeSubselect", "larg", "rarg"]);

/** What a statement names. */
interface Walked {
  /** Datasets, where they stand. */
  readonly refs: readonly Ref[];
  /** Columns. */
  readonly mentions: ReadonlySet<string>;
}

/** Every part of a statement, once: what would write, set, or show a part of the rows is refused where it stands. */
export function walk(stmt: Node, { tokens, names }: Pick<Reading, "tokens" | "names">, refuse: Refuse): Walked {
  const [kind = ""] = Object.keys(stmt);
  const refs: Ref[] = [];
  const mentions = new Set<string>();

  function select(node: Node, parent: Frame | null, how: Frame["how"], name = ""): Frame {
    const frame: Frame = {
      ...{ node, parent, how, name, refs: [] },
      ...{ tables: new Map(), consumers: new Set(), outer: new Map() },
    };
    const { withClause, larg, rarg, ...rest } = node;
    for (const one of nodes(isNode(withClause) ? withClause.ctes : undefined)) {
      const { ctequery, ...cte } = child(one, "CommonTableExpr") ?? {};
      const query = child(ctequery, "SelectStmt");
      const called = string(cte.ctename);
      if (query === undefined) visit(ctequery, frame);
      else frame.tables.set(called, select(query, frame, "cte", called));
      visit(cte, frame);
    }
    for (const arm of [larg, rarg]) if (isNode(arm)) select(arm, frame, "arm");
    for (const [key, value] of Object.entries(rest)) part(key, value, frame, key === "fromClause");
    return frame;
  }

  function visit(value: unknown, frame: Frame | null, isFrom = false): void {
    if (Array.isArray(value)) for (const one of value) visit(one, frame, isFrom);
    else if (isNode(value)) for (const [key, inner] of Object.entries(value)) part(key, inner, frame, isFrom);
  }

  function part(key: string, inner: unknown, frame: Frame | null, isFrom: boolean): void {
    if (WRITING.has(key)) refuse(tokens[0]?.start ?? 0, "25006", WRITES, readInstead(tokens));
    if (!isNode(inner)) visit(inner, frame, isFrom);
    else {
      refuseKind(key, inner, refuse);
      if (key === "ColumnRef" && lastName(inner.fields) !== "") mentions.add(lastName(inner.fields));
      if (typeof inner.relname === "string") rangeVar(inner, frame);
      else if (key === "SelectStmt") select(inner, frame, isFrom ? "from" : "other");
      else visit(inner, frame, isFrom && FROM_PARTS.has(key));
    }
  }

  function rangeVar(node: Node, frame: Frame | null): void {
    const [name, schema] = [string(node.relname), string(node.schemaname)];
    const at = schema === "" ? tableNamed(frame, name) : null;
    if (at !== null && frame !== null) {
      at.table.consumers.add(frame);
      for (let each: Frame | null = frame; each !== null && each !== at.owner; each = each.parent)
        each.outer.set(name, at.table);
    } else if (/^(?:public)?$/.test(schema) && names.has(name.toLowerCase())) {
      const ref = { frame, name, at: numberAt(node.location), alias: string(child(node, "alias")?.aliasname) || null };
      refs.push(ref);
      frame?.refs.push(ref);
    }
  }

  const body = child(stmt, kind) ?? {};
  if (kind === "SelectStmt") select(body, null, "top");
  else
    for (const [key, value] of Object.entries(body)) {
      const query = ASKING.has(kind) ? child(value, "SelectStmt") : undefined;
      if (query === undefined) part(key, value, null, false);
      else select(query, null, "top");
    }
  return { refs, mentions };
}

function refuseKind(key: string, node: Node, refuse: Refuse): void {
  if (key === "RangeTableSample")
    refuse(numberAt(node.location), "0A000", "TABLESAMPLE is not read: an answer about all rows costs the same");
  if (key === "intoClause") {
    const { rel } = node;
    const at = child(rel, "RangeVar")?.location ?? (isNode(rel) ? rel.location : 0);
    refuse(numberAt(at), "0A000", "SELECT INTO would make a table; leave INTO out");
  }
  if (nameOf(node) !== "set_config") return;
  const first = child(child(nodes(node.args)[0], "A_Const"), "sval");
  const name = string(first?.sval).toLowerCase();
  if (first === undefined || MODES.test(name) || settingAs(name) !== "may")
    refuse(numberAt(node.location), "42501", "this setting stays as it is");
}

function tableNamed(frame: Frame | null, name: string): { readonly table: Frame; readonly owner: Frame } | null {
  for (let each = frame; each !== null; each = each.parent) {
    const table = each.tables.get(name);
    if (table !== undefined) return { table, owner: each };
  }
  return null;
}
