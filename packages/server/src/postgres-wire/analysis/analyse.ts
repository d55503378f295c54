import { parseSync, SqlError } from "libpg-query";
import { settingAs } from "../settings.ts";
import { type Edit, type Extent, type SqlToken, tokensIn, tokensOf } from "../tokens.ts";
import { type Aggregated, askedOf } from "./aggregated.ts";
import { askingFor, outermost } from "./asking.ts";
import { placesOf, type Reading, type Refuse, type Refused } from "./reading.ts";
import { child, type Node, nodes, numberAt, string } from "./tree.ts";
import { ASKING, MODES, readInstead, WRITES, walk } from "./walk.ts";

/** Of SET, RESET and SHOW. */
interface Setting {
  readonly name: string;
  readonly value: string | null;
  readonly isLocal: boolean;
}

function settingOf(
  kind: string,
  body: Node,
  { tokens, charOf }: Reading,
  refuse: Refuse,
): { readonly setting: Setting | null; readonly edits: readonly Edit[] } {
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

/** One statement of a text. */
export interface Analysed extends Extent {
  /** The kind that PostgreSQL's parser gives it; null where it cannot read it. */
  readonly kind: string | null;
  readonly asked: readonly Aggregated[];
  readonly refused: Refused | null;
  /** Names of columns that it mentions. */
  readonly mentions: readonly string[];
  readonly setting: Setting | null;
  /** Of BEGIN and the like. */
  readonly transaction: string | null;
  /** The statement as it runs: in a transaction that only reads. */
  readonly edits: readonly Edit[];
  /** Takes no values of its own: COPY, DECLARE. */
  readonly isLiteral: boolean;
  /** What stands in the brackets of COPY. */
  readonly copied: Extent | null;
}

const READING = new Set([
  ...ASKING,
  ...["TransactionStmt", "VariableSetStmt", "VariableShowStmt", "FetchStmt", "ClosePortalStmt", "DeallocateStmt"],
  ...["ExecuteStmt", "DiscardStmt", "ListenStmt", "UnlistenStmt", "NotifyStmt", "LockStmt", "ConstraintsSetStmt"],
]);

const NEVER: Readonly<Record<string, string>> = {
  DoStmt: "DO is not run here",
  PrepareStmt: "PREPARE would freeze one answer; use the prepared statements of your driver",
  CreateFunctionStmt: "functions cannot be made here",
  LoadStmt: "LOAD is not run here",
  AlterSystemStmt: "ALTER SYSTEM is not run here",
  CheckPointStmt: "CHECKPOINT is not run here",
};

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

function statementOf(stmt: Node, reading: Reading): Analysed {
  const { extent, charOf, tokens } = reading;
  const [kind = ""] = Object.keys(stmt);
  const body = child(stmt, kind) ?? {};
  const start = tokens[0]?.start ?? 0;
  let refused: Refused | null = null;
  const refuse: Refuse = (at, code, message, hint) => {
    refused ??= { at: charOf(at), code, message, ...(hint === undefined ? {} : { hint }) };
  };
  const never = NEVER[kind];
  if (never !== undefined) refuse(start, "0A000", never);
  const { refs, mentions } = walk(stmt, reading, refuse);
  if (kind === "CopyStmt" && (body.is_program === true || body.filename !== undefined || body.is_from === true))
    refuse(start, "42501", "COPY goes TO STDOUT only");
  if (!READING.has(kind)) refuse(start, "25006", WRITES, readInstead(tokens));
  const frames = askingFor(refs, { kind, start }, refuse);
  const asked = refused === null ? outermost(frames).map((frame) => askedOf(frame, { ...reading, kind }, refuse)) : [];
  const { setting, edits } = settingOf(kind, body, reading, refuse);
  return {
    from: charOf(extent.from),
    to: charOf(extent.to),
    kind,
    asked: asked.filter((one) => one !== null).toSorted((a, b) => a.from - b.from),
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
