import type { Duplex } from "node:stream";
import { betweenSlices } from "../measuring/slices.ts";
import { type CommandContext, commandOf, type Outcome, refuseInFailed } from "./commands.ts";
import { bindMessage, malformed, parseMessage, partsOf } from "./decode.ts";
import * as encode from "./encode.ts";
import { parametersOf, refuseLong, type Written, withValues } from "./parameters.ts";
import { explained, type Queries, type Query } from "./queries.ts";
import { WireError } from "./sqlstate.ts";
import { type Statement, statementsIn } from "./statements.ts";
import { type Message, type Reader, send, takeMessage } from "./stream.ts";

/** A statement that PARSE named. */
interface Prepared {
  /** Null: an empty text. */
  readonly statement: Statement | null;
  readonly source: string;
  readonly types: readonly number[];
  /** How many values it takes. */
  readonly count: number;
}

/** A statement with its values, and what is left of its result. */
interface Portal {
  readonly prepared: Prepared;
  readonly written: Written | null;
  readonly formats: encode.Formats;
  outcome: Outcome | null;
  /** Of the rows that wait to be asked for. */
  characters: number;
  sent: number;
}

export interface SessionOptions {
  readonly stream: Duplex;
  readonly reader: Reader;
  readonly queries: Queries;
  readonly context: CommandContext;
  /** Waits where a client sends more than its share. */
  readonly pace: () => Promise<void>;
  /** Runs with a signal that a cancel request ends. */
  readonly cancellable: <T>(run: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** Says an unexpected error to the log, and gives what the client may read of it. */
  readonly publicOf: (error: unknown) => WireError;
}

/** How long a session may say nothing. */
const IDLE_MS = 3_600_000;
/** Statements and portals that one session may keep, and characters of their texts. */
const MAX_KEPT = 200;
const MAX_KEPT_CHARACTERS = 2_000_000;
/** Bytes that wait to be sent together. */
const BATCH_BYTES = 2 ** 16;

/** Answers the messages of one client that has signed in, one after the other, until it leaves. */
export async function runSession(options: SessionOptions): Promise<void> {
  const { stream, reader, context, pace, publicOf } = options;
  const out = batched(stream);
  const handlers = handlersOf(options, out);
  const breathe = betweenSlices();
  let isSkipping = false; // after a fault, until Sync
  for (;;) {
    if (reader.isEmpty()) await out.flush();
    const message = await takeMessage(reader, { idleMilliseconds: IDLE_MS });
    if (message.type === "X") return;
    await pace();
    await breathe();
    if (message.type === "S") isSkipping = false;
    if (isSkipping) continue;
    try {
      const handle = handlers[message.type];
      if (handle === undefined)
        throw new WireError({ severity: "FATAL", code: "08P01" }, "a message is of no kind that is known here");
      await handle(message);
    } catch (error) {
      const shown = publicOf(error);
      await out.add(encode.errorResponse(shown));
      if (shown.facts.severity === "FATAL") return out.flush();
      if (context.status === "T") context.status = "E";
      if (message.type === "Q" || message.type === "F") await out.add(encode.readyForQuery(context.status));
      else isSkipping = true;
    }
  }
}

interface Out {
  readonly add: (...bytes: readonly Buffer[]) => Promise<void>;
  readonly flush: () => Promise<void>;
}

function batched(stream: Duplex): Out {
  let waiting: Buffer[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const bytes = Buffer.concat(waiting);
    [waiting, size] = [[], 0];
    await send(stream, bytes);
  };
  return {
    flush,
    async add(...bytes) {
      for (const each of bytes) {
        waiting.push(each);
        size += each.length;
      }
      if (size >= BATCH_BYTES) await flush();
    },
  };
}

type Handlers = Readonly<Record<string, (message: Message) => Promise<void>>>;

function handlersOf(options: SessionOptions, out: Out): Handlers {
  const { context } = options;
  const ignored = async (): Promise<void> => undefined;
  const breathe = betweenSlices();
  return {
    ...extendedHandlers(options, out),
    async Q({ body }) {
      const parts = partsOf(body);
      const source = parts.text();
      if (!parts.isEnd()) malformed();
      refuseLong(source);
      const units = unitsOf(source);
      if (units.length === 0) await out.add(encode.emptyQuery);
      for (const unit of units) {
        await breathe();
        for (const outcome of await run(unit, options)) await sendOutcome(outcome, out);
      }
      await out.add(encode.readyForQuery(context.status));
    },
    async S() {
      await out.add(encode.readyForQuery(context.status));
      await out.flush();
    },
    H: () => out.flush(),
    async F() {
      throw new WireError({ code: "0A000" }, "calls of functions are not read; ask in SQL");
    },
    // Parts of a COPY that was refused, which a client may have sent before it knew.
    d: ignored,
    c: ignored,
    f: ignored,
  };
}

function extendedHandlers(options: SessionOptions, out: Out): Handlers {
  const { context, queries } = options;
  const prepared = new Map<string, Prepared>();
  const portals = new Map<string, Portal>();
  context.forget = (name) => {
    if (name === null) prepared.clear();
    else prepared.delete(name);
  };
  const portalOf = (name: string): Portal => portals.get(name) ?? missing("34000", "portal", name);
  const preparedOf = (name: string): Prepared => prepared.get(name) ?? missing("26000", "prepared statement", name);
  return {
    async P({ body }) {
      const { name, text, types } = parseMessage(body);
      if (name !== "" && prepared.has(name))
        throw new WireError({ code: "42P05" }, `the prepared statement ${JSON.stringify(name)} exists already`);
      prepared.delete(name);
      refuseLong(text);
      const [statement = null, second] = statementsIn(text);
      if (second !== undefined)
        throw new WireError(
          { code: "42601", position: charactersIn(text.slice(0, second.at)) + 1 },
          "a prepared statement holds one command",
        );
      keep(prepared, name, { statement, source: text, types, count: parametersOf(statement, types) });
      await out.add(encode.parseComplete);
    },
    async B({ body }) {
      const { portal, statement, values, formats } = bindMessage(body);
      const found = preparedOf(statement);
      if (values.length !== found.count)
        throw new WireError({ code: "08P01" }, `${values.length} values came, must be ${found.count}`);
      const written = found.statement === null ? null : withValues(found.statement, values, found.types);
      portals.delete(portal);
      keep(portals, portal, { prepared: found, written, formats, outcome: null, characters: 0, sent: 0 });
      await out.add(encode.bindComplete);
    },
    async D({ body }) {
      const { letter, text } = partsOf(body);
      const [kind, name] = [letter(), text()];
      const portal = kind === "P" ? portalOf(name) : null;
      const found = portal?.prepared ?? preparedOf(name);
      if (portal === null) {
        const oids = Array.from({ length: found.count }, (_, place) => found.types[place] || encode.types.text.oid);
        await out.add(encode.parameterDescription(oids));
      }
      const columns = await columnsOf(found, portal, { context, queries });
      await out.add(columns === null ? encode.noData : encode.rowDescription(columns, portal?.formats));
    },
    async E({ body }) {
      const { text, int32 } = partsOf(body);
      const [name, most] = [text(), int32()];
      const portal = portalOf(name);
      const unit = unitOf(portal.prepared, portal.written);
      if (unit === null) return out.add(encode.emptyQuery);
      portal.outcome ??= (await run(unit, options))[0] ?? null;
      const { outcome } = portal;
      if (outcome === null) return out.add(encode.commandComplete("SELECT 0"));
      const to = most > 0 ? Math.min(outcome.rows.length, portal.sent + most) : outcome.rows.length;
      const isEnd = to === outcome.rows.length;
      if (!isEnd && portal.sent === 0) {
        portal.characters = await charactersOf(outcome);
        keep(portals, name, portal);
      }
      await sendRows(outcome, { from: portal.sent, to, formats: portal.formats }, out);
      portal.sent = to;
      if (!isEnd) return out.add(encode.portalSuspended);
      await sendEnd(outcome, out);
      Object.assign(portal, { outcome: { ...outcome, rows: [], notices: [] }, characters: 0, sent: 0 });
    },
    async C({ body }) {
      const { letter, text } = partsOf(body);
      (letter() === "P" ? portals : prepared).delete(text());
      await out.add(encode.closeComplete);
    },
  };
}

function missing(code: string, kind: string, name: string): never {
  throw new WireError({ code }, `there is no ${kind} ${JSON.stringify(name.slice(0, 80))}`);
}

function keep<T extends Prepared | Portal>(all: Map<string, T>, name: string, one: T): void {
  all.set(name, one);
  const characters = [...all].reduce((sum, [called, each]) => sum + called.length + sizeOf(each), 0);
  if (all.size <= MAX_KEPT && characters <= MAX_KEPT_CHARACTERS) return;
  all.delete(name);
  throw new WireError(
    { code: "53400", hint: "Close those that are done, or DISCARD ALL." },
    `a session keeps at most ${MAX_KEPT} statements, of ${MAX_KEPT_CHARACTERS} characters with their rows`,
  );
}

/** Characters of texts and rows; a number of a list counts as one. */
const sizeOf = (one: Prepared | Portal): number =>
  "source" in one
    ? one.source.length + one.types.length
    : (one.written?.text.length ?? 0) + one.formats.length + one.characters;

/** Characters of the rows, as they are kept. */
async function charactersOf({ rows }: Outcome): Promise<number> {
  const breathe = betweenSlices();
  let sum = 0;
  for (const row of rows) {
    sum += JSON.stringify(row).length;
    await breathe();
  }
  return sum;
}

/** What runs as one: a command, or all SELECT that stand together, which are one plan and one charge. */
interface Unit extends Query {
  readonly bare: string;
}

/** Characters as PostgreSQL counts them. */
const charactersIn = (text: string): number => [...text].length;

function placedIn(source: string, text: string, placeOf: (at: number) => number): Query["placed"] {
  return {
    positionOf(line, column) {
      const lines = text.split("\n");
      const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
      const inLine = [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
      return charactersIn(source.slice(0, placeOf(start + inLine))) + 1;
    },
  };
}

const MAX_STATEMENTS = 1000;

/** The statements of a text, with SELECT that stand together as one; commands are found when they run. */
function unitsOf(source: string): readonly Unit[] {
  const units: { at: number; to: number; bare: string; asksRows: boolean }[] = [];
  const statements = statementsIn(source);
  if (statements.length > MAX_STATEMENTS)
    throw new WireError(
      { code: "54000" },
      `a text has ${statements.length} statements, must have at most ${MAX_STATEMENTS}`,
    );
  for (const statement of statements) {
    const [{ at, bare }, to] = [statement, statement.at + statement.text.length];
    const last = units.at(-1);
    const asksRows = /^(?:select|with)\b[\s\S]*?\sfrom\s/i.test(bare) && !/\bpg_type$/i.test(bare);
    if (last?.asksRows && asksRows) Object.assign(last, { to, bare: `${last.bare};${bare}` });
    else units.push({ at, to, bare, asksRows });
  }
  return units.map(({ at, to, bare }) => {
    const text = source.slice(at, to);
    return { text, bare, placed: placedIn(source, text, (place) => at + place) };
  });
}

function unitOf({ statement, source }: Prepared, written: Written | null): Unit | null {
  if (statement === null) return null;
  const { text, placeOf } = written ?? { text: statement.text, placeOf: (at: number) => at };
  const bare = written === null || statement.parameters.length === 0 ? statement.bare : written.text.trim();
  return { text, bare, placed: placedIn(source, text, (at) => statement.at + placeOf(at)) };
}

/** The query that an EXPLAIN is about, at its place; null where it is none. */
function explainedBy({ text, bare, placed }: Unit): Query | null {
  if (!/^explain\s/i.test(bare)) return null;
  return { text: text.replace(/explain/i, (word) => " ".repeat(word.length)), placed };
}

async function run(unit: Unit, { context, queries, cancellable }: SessionOptions): Promise<readonly Outcome[]> {
  const command = commandOf(unit.bare, context);
  if (context.status === "E" && command?.ends !== true) refuseInFailed();
  if (command !== null) return [command.run()];
  const asked = explainedBy(unit);
  if (asked !== null) return [await queries.explain(asked)];
  const outcomes = await cancellable((signal) => queries.answer(unit, signal));
  context.hasPaid = true;
  return outcomes;
}

async function columnsOf(
  prepared: Prepared,
  portal: Portal | null,
  { context, queries }: Pick<SessionOptions, "context" | "queries">,
): Promise<readonly encode.WireColumn[] | null> {
  const unit = unitOf(prepared, portal?.written ?? null);
  if (unit === null) return null;
  const command = commandOf(unit.bare, context);
  if (context.status === "E" && command?.ends !== true) refuseInFailed();
  if (command !== null) return command.columns;
  if (explainedBy(unit) !== null) return explained;
  if (portal === null && prepared.statement !== null && prepared.statement.parameters.length > 0) {
    // Values do not change which columns there are; those of a statement stand for any.
    const values = Array.from({ length: prepared.count }, () => ({
      bytes: Buffer.from("1"),
      isBinary: false,
    }));
    const again = unitOf(prepared, withValues(prepared.statement, values, prepared.types));
    return again === null ? null : ((await queries.describe(again))[0] ?? null);
  }
  return (await queries.describe(unit))[0] ?? null;
}

async function sendOutcome(outcome: Outcome, out: Out): Promise<void> {
  const { columns, rows } = outcome;
  if (columns !== null) await out.add(encode.rowDescription(columns));
  await sendRows(outcome, { from: 0, to: rows.length, formats: [] }, out);
  await sendEnd(outcome, out);
}

interface Rows {
  readonly from: number;
  readonly to: number;
  readonly formats: encode.Formats;
}

async function sendRows({ columns, rows }: Outcome, { from, to, formats }: Rows, out: Out): Promise<void> {
  const breathe = betweenSlices();
  for (const row of rows.slice(from, to)) {
    await out.add(encode.dataRow(columns ?? [], row, formats));
    await breathe();
  }
}

async function sendEnd({ rows, tag, notices = [], warning }: Outcome, out: Out): Promise<void> {
  for (const each of notices) await out.add(encode.notice(each));
  if (warning !== undefined) await out.add(encode.notice(warning, "WARNING"));
  await out.add(encode.commandComplete(tag ?? `SELECT ${rows.length}`));
}
