import { VERSION } from "@dosimeter/core";
import { type Cell, type Status, types, type WireColumn } from "./encode.ts";
import { WireError } from "./sqlstate.ts";
import type { Variables } from "./variables.ts";

/** What a statement answers. */
export interface Outcome {
  readonly columns: readonly WireColumn[] | null;
  readonly rows: readonly (readonly Cell[])[];
  /** `SELECT 3` and the like; null: that and the number of rows. */
  readonly tag: string | null;
  readonly notices?: readonly string[];
  readonly warning?: string;
}

/** What commands may read and change of a session. */
export interface CommandContext {
  readonly variables: Variables;
  status: Status;
  /** Whether something was paid since BEGIN. */
  hasPaid: boolean;
  readonly user: string;
  readonly database: string;
  readonly process: number;
  forget: (name: string | null) => void;
}

interface Command {
  readonly pattern: RegExp;
  /** Its columns, without running it. */
  readonly columns?: (match: RegExpExecArray, context: CommandContext) => readonly WireColumn[];
  readonly run: (match: RegExpExecArray, context: CommandContext) => Outcome;
}

const done = (tag: string): Outcome => ({ columns: null, rows: [], tag });

/** The longest statement that can be a command. */
const MAX_COMMAND = 2000;

const NAME = String.raw`[a-z_][\w.]*`;

const commands: readonly Command[] = [
  {
    pattern: /^(?:begin|start\s+transaction)(?:\s[a-z\s,]*)?$/i,
    run(_, context) {
      if (context.status === "I") Object.assign(context, { status: "T", hasPaid: false });
      return done("BEGIN");
    },
  },
  {
    pattern: /^(?:commit|end)(?:\s+(?:work|transaction))?$/i,
    run(_, context) {
      const hasFailed = context.status === "E";
      context.status = "I";
      return done(hasFailed ? "ROLLBACK" : "COMMIT");
    },
  },
  {
    pattern: /^(?:rollback|abort)(?:\s+(?:work|transaction))?$/i,
    run(_, context) {
      const { hasPaid } = context;
      Object.assign(context, { status: "I", hasPaid: false });
      const warning = "what was released stays released and paid: nothing takes it back";
      return hasPaid ? { ...done("ROLLBACK"), warning } : done("ROLLBACK");
    },
  },
  {
    pattern: /^set\s+(?:session\s+characteristics\s+as\s+)?transaction\b[a-z ,]*$/i,
    run: () => done("SET"),
  },
  {
    pattern: new RegExp(
      String.raw`^set\s+(?:session\s+|local\s+)?(?:time\s+zone\s+|(${NAME})\s*(?:=|\s+to\s)\s*)([\s\S]+)$`,
      "i",
    ),
    run([, name = "timezone", value = ""], { variables }) {
      variables.set(name, settingValue(value));
      return done("SET");
    },
  },
  {
    pattern: /^set\s+names\s+([\s\S]+)$/i,
    run([, value = ""], { variables }) {
      variables.set("client_encoding", settingValue(value));
      return done("SET");
    },
  },
  {
    pattern: new RegExp(String.raw`^reset\s+(?:session\s+authorization|(${NAME}))$`, "i"),
    run([, name], { variables }) {
      if (name?.toLowerCase() === "all") variables.reset();
      else if (name !== undefined) variables.set(name, null);
      return done("RESET");
    },
  },
  {
    pattern: new RegExp(String.raw`^show\s+(?:(transaction\s+isolation\s+level)|(time\s+zone)|(${NAME}))$`, "i"),
    columns: (match) => [{ name: shownName(match), type: "text" }],
    run(match, { variables }) {
      const name = shownName(match);
      return { columns: [{ name, type: "text" }], rows: [[variables.show(name)]], tag: "SHOW" };
    },
  },
  {
    pattern: /^(discard)\s+(all|plans|temp|temporary|sequences)$/i,
    run([, , what = ""], { variables, forget }) {
      if (/^(?:all|plans)$/i.test(what)) forget(null);
      if (/^all$/i.test(what)) variables.reset();
      return done(`DISCARD ${what.toUpperCase()}`);
    },
  },
  {
    pattern: /^deallocate\s+(?:prepare\s+)?(?:(all)|"([^"]+)"|(\w+))$/i,
    run([, all, quoted, name = ""], { forget }) {
      forget(all === undefined ? (quoted ?? name.toLowerCase()) : null);
      return done("DEALLOCATE");
    },
  },
  { pattern: /^(?:unlisten|close)\s+(?:\*|all|\w+)$/i, run: () => done("CLOSE") },
  {
    // What drivers ask to learn the numbers of types.
    pattern: /^select\s+oid,\s*typname\s+from\s+(?:pg_catalog\.)?pg_type$/i,
    columns: () => TYPE_COLUMNS,
    run: () => ({ columns: TYPE_COLUMNS, rows: Object.values(types).map(({ oid, name }) => [oid, name]), tag: null }),
  },
  {
    pattern: /^select\s+((?:(?!\bfrom\b)[\s\S])+)$/i,
    columns: (match, context) => constants(match, context).map(({ column }) => column),
    run(match, context) {
      const all = constants(match, context);
      return { columns: all.map(({ column }) => column), rows: [all.map(({ cell }) => cell)], tag: null };
    },
  },
];

const TYPE_COLUMNS = [
  { name: "oid", type: "integer" },
  { name: "typname", type: "text" },
] as const satisfies readonly WireColumn[];

const shownName = ([, isolation, zone, name = ""]: RegExpExecArray): string =>
  isolation !== undefined ? "transaction_isolation" : zone !== undefined ? "TimeZone" : name;

/** `0.1`, `'a b'` or `DEFAULT`, which is null. */
function settingValue(written: string): string | null {
  const bare = written.trim();
  if (/^default$/i.test(bare)) return null;
  const quoted = /^'([^']*(?:''[^']*)*)'$/.exec(bare)?.[1] ?? /^"([^"]*)"$/.exec(bare)?.[1];
  return (quoted ?? bare).replaceAll("''", "'");
}

const CONSTANT =
  /^(?:(?<text>'[^']*(?:''[^']*)*')|(?<number>-?\d{1,9})|(?<word>true|false|null)|(?<call>(?:pg_catalog\.)?[a-z_]+)\s*(?<open>\(\s*(?:'(?<argument>[^']*)')?\s*\))?)(?:::[a-z0-9_]+)?(?:\s+(?:as\s+)?(?:"(?<quoted>[^"]+)"|(?<alias>[a-z_]\w*)))?$/i;

/** Functions of PostgreSQL that say something about the session, and no row. */
const functions: Readonly<Record<string, (context: CommandContext, argument: string | undefined) => Cell>> = {
  version: () => `PostgreSQL 14.0 (this is Dosimeter ${VERSION}, which speaks its protocol)`,
  current_database: ({ database }) => database,
  current_catalog: ({ database }) => database,
  current_schema: () => "public",
  current_user: ({ user }) => user,
  session_user: ({ user }) => user,
  user: ({ user }) => user,
  pg_backend_pid: ({ process }) => process,
  pg_is_in_recovery: () => false,
  current_setting: ({ variables }, name = "") => variables.show(name),
};

/** `SELECT 1`, `SELECT version()`: what drivers and pools ask. Null where a part is something else. */
function constantsOf(list: string, context: CommandContext) {
  const parts = list.match(/'[^']*(?:''[^']*)*'|[^',]+|,/g) ?? [];
  const items: string[] = [""];
  for (const part of parts) {
    if (part === ",") items.push("");
    else items.push(`${items.pop() ?? ""}${part}`);
  }
  const found = [];
  for (const item of items) {
    const groups = CONSTANT.exec(item.trim())?.groups;
    if (groups === undefined) return null;
    const one = constant(groups, context);
    if (one === null) return null;
    found.push(one);
  }
  return found;
}

function constant(
  { text, number, word, call, open, argument, quoted, alias }: Partial<Record<string, string>>,
  context: CommandContext,
): { readonly column: WireColumn; readonly cell: Cell } | null {
  const named = (cell: Cell, name: string) => ({ column: { name: quoted ?? alias ?? name, type: typeOf(cell) }, cell });
  if (text !== undefined) return named(text.slice(1, -1).replaceAll("''", "'"), "?column?");
  if (number !== undefined) return named(Number(number), "?column?");
  if (word !== undefined) return named({ true: true, false: false }[word.toLowerCase()] ?? null, "?column?");
  const name = (call ?? "").toLowerCase().replace(/^pg_catalog\./, "");
  const run = Object.hasOwn(functions, name) ? functions[name] : undefined;
  const needsCall = !/^(?:current_(?:catalog|user|schema)|session_user|user)$/.test(name);
  return run === undefined || (open === undefined && needsCall) ? null : named(run(context, argument), name);
}

function typeOf(cell: Cell): WireColumn["type"] {
  if (typeof cell === "number") return "integer";
  return typeof cell === "boolean" ? "boolean" : "text";
}

function constants([, list = ""]: RegExpExecArray, context: CommandContext) {
  return constantsOf(list, context) ?? [];
}

interface Found {
  readonly columns: readonly WireColumn[] | null;
  readonly run: () => Outcome;
  /** Ends a transaction that failed. */
  readonly ends: boolean;
}

/** The command that a statement is; null where it is a query about a dataset, or nothing that is known. */
export function commandOf(bare: string, context: CommandContext): Found | null {
  if (bare.length > MAX_COMMAND) return null;
  for (const { pattern, columns, run } of commands) {
    const match = pattern.exec(bare);
    if (match === null) continue;
    if (/^select\b/i.test(bare) && !/\bpg_type$/i.test(bare) && constantsOf(match[1] ?? "", context) === null)
      return null;
    return {
      columns: columns?.(match, context) ?? null,
      run: () => run(match, context),
      ends: /^(?:commit|end|rollback|abort)\b/i.test(bare),
    };
  }
  return null;
}

export function refuseInFailed(): never {
  throw new WireError(
    { code: "25P02", hint: "ROLLBACK, or COMMIT, ends it." },
    "the transaction has failed: nothing is done until its end",
  );
}
