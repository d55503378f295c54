import type { Duplex } from "node:stream";
import { betweenSlices } from "../measuring/slices.ts";
import type { Aggregated, Analysed, Refused } from "./analyse.ts";
import type { Backend } from "./backend.ts";
import type { Catalogue } from "./catalogue.ts";
import { type BindMessage, bindMessage, malformed, parseMessage, partsOf } from "./decode.ts";
import * as encode from "./encode.ts";
import { parametersOf, refuseLong } from "./parameters.ts";
import type { Answers, Queries } from "./queries.ts";
import { WireError } from "./sqlstate.ts";
import { statementsIn } from "./statements.ts";
import { type Message, type Reader, send, takeMessage } from "./stream.ts";
import { charactersIn, type Given, jsonOf, literalOf, ownDialect, type Shown, shownOf, typesOf } from "./tables.ts";
import { type Edit, type Piece, textOf } from "./tokens.ts";
import type { Variables } from "./variables.ts";

/** A statement that PARSE named. */
interface Prepared {
  /** Null: an empty text. */
  readonly statement: Analysed | null;
  readonly source: string;
  readonly types: readonly number[];
  /** How many values it takes. */
  readonly count: number;
  /** The process that knows it. */
  generation: number;
}

/** A statement with its values. */
interface Portal {
  readonly prepared: Prepared;
  readonly bound: BindMessage;
  /** Whether its answers are there. */
  answers: readonly string[] | null;
  isAnswered: boolean;
  notices: readonly string[];
  /** The process that has it. */
  generation: number;
}

export interface SessionOptions {
  readonly stream: Duplex;
  readonly reader: Reader;
  readonly queries: Queries;
  readonly variables: Variables;
  readonly catalogue: () => Promise<Catalogue>;
  readonly backend: Backend;
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
  const { stream, reader, backend, pace, publicOf } = options;
  const out = batched(stream);
  const handlers = handlersOf(options, out);
  const breathe = betweenSlices();
  let isSkipping = false; // after a fault, until Sync
  try {
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
        if (!(error instanceof Passed)) {
          const shown = publicOf(error);
          await out.add(encode.errorResponse(shown));
          if (shown.facts.severity === "FATAL") return await out.flush();
          await backend.fail();
        }
        if (message.type === "Q" || message.type === "F") await ready(backend, out);
        else isSkipping = true;
      }
    }
  } finally {
    backend.close();
  }
}

/** An error that PostgreSQL has said, and that was passed on. */
class Passed extends Error {}

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
      for (const each of bytes)
        for (let at = 0; at < each.length; at += BATCH_BYTES) {
          const part = each.subarray(at, at + BATCH_BYTES);
          waiting.push(part);
          size += part.length;
          if (size >= BATCH_BYTES) await flush();
        }
    },
  };
}

async function ready(backend: Backend, out: Out): Promise<void> {
  backend.settle();
  await out.add(encode.readyForQuery(backend.status()));
}

type Handlers = Readonly<Record<string, (message: Message) => Promise<void>>>;

function handlersOf(options: SessionOptions, out: Out): Handlers {
  const { backend } = options;
  const ignored = async (): Promise<void> => undefined;
  const statements = statementsOf(options, out);
  return {
    ...extendedHandlers(options, out, statements),
    async Q({ body }) {
      const parts = partsOf(body);
      const source = parts.text();
      if (!parts.isEnd()) malformed();
      await statements.all(source);
      await ready(backend, out);
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

/** Comments in comments: PostgreSQL's parser takes their square in time. */
const MAX_COMMENTS = 1000;
const MAX_STATEMENTS = 1000;
const NO_VALUES: Given = { values: [], types: [] };
/** What PostgreSQL says of a statement: what comes before its end, and its end. */
interface Sending {
  readonly notices?: readonly string[];
  readonly tag?: string;
}

const [TEXT_OID, JSONB_OID] = [25, 3802];
/** The statement of a process that holds what a plan answers. */
const OURS = "of a plan";
const closed = (kind: "P" | "S", name: string): Buffer => encode.message("C", encode.cstring(`${kind}${name}`));

/** Statements of a session: read, answered by plans where they ask for rows, and run. */
// long: operations over one session
function statementsOf({ queries, variables, catalogue, backend, cancellable }: SessionOptions, out: Out) {
  let hasPaid = false;

  /** The statements of a text; those that PostgreSQL cannot read may be of our own dialect. */
  async function read(source: string, signal: AbortSignal): Promise<readonly Analysed[]> {
    refuseLong(source);
    if ((source.match(/\/\*/g)?.length ?? 0) > MAX_COMMENTS)
      throw new WireError({ code: "54000" }, `a text has more than ${MAX_COMMENTS} comments`);
    const { names } = await catalogue();
    const found = await backend.analyse(source, names, signal);
    if (!("message" in found)) return found;
    const parts = statementsIn(source);
    if (parts.length > MAX_STATEMENTS)
      throw new WireError(
        { code: "54000" },
        `a text has ${parts.length} statements, must have at most ${MAX_STATEMENTS}`,
      );
    const all: Analysed[] = [];
    for (const { text, at } of parts) {
      const one = parts.length === 1 ? found : await backend.analyse(text, names, signal);
      if (!("message" in one)) all.push(...one.map((each) => moved(each, at)));
      else {
        const ours = inOwnDialect(source, { from: at, to: at + text.length });
        if (ours === null) return refuse({ ...one, at: one.at + (parts.length === 1 ? 0 : at) }, source);
        all.push(ours);
      }
    }
    return all;
  }

  /** Our settings are checked here before PostgreSQL takes them. */
  function set({ kind, setting }: Analysed): void {
    if (kind === "DiscardStmt") variables.reset();
    if (setting === null || kind !== "VariableSetStmt") return;
    if (setting.name === "all") variables.reset();
    else variables.set(setting.name, setting.value);
  }

  async function show(
    asked: Aggregated,
    {
      source,
      given = NO_VALUES,
      mentions,
    }: Pick<Analysed, "mentions"> & { readonly source: string; readonly given?: Given },
    signal: AbortSignal,
  ): Promise<Shown> {
    const all = variables.show("dosimeter.intervals") === "on";
    return shownOf(asked, source, given, { queries, catalogue: await catalogue(), mentions, all, signal });
  }

  /** Answers of several SELECT: as one plan with one charge where that can be, else one after the other. */
  async function answersOf(
    shown: readonly Shown[],
    signal: AbortSignal,
  ): Promise<readonly Pick<Answers, "rows" | "notices">[]> {
    const asking = shown.flatMap(({ query }) => (query === null ? [] : [query]));
    const [only] = asking;
    if (only !== undefined && backend.status() === "E") refuseInFailed();
    if (only !== undefined) backend.rest();
    if (only === undefined) return shown.map(({ rows }) => ({ rows, notices: [] }));
    hasPaid = true;
    const together =
      asking.length === 1 ? only : { text: asking.map(({ text }) => text).join(";\n"), placed: only.placed };
    const isOne =
      asking.length === 1 ||
      (await queries.describe(together, signal).then(
        () => true,
        () => false,
      ));
    const answers: Answers[] = [];
    if (isOne) answers.push(...(await queries.answer(together, signal)));
    else for (const each of asking) answers.push(...(await queries.answer(each, signal)));
    return shown.map(({ query, rows }) =>
      query === null ? { rows, notices: [] } : (answers.shift() ?? { rows: [], notices: [] }),
    );
  }

  /** Passes on what PostgreSQL says, with its places in what the client wrote. */
  async function pass(
    said: readonly encode.Answered[],
    pieces: readonly Piece[],
    source: string,
    sending: Sending = {},
  ): Promise<void> {
    for (const one of said) {
      if (one.type === "E") {
        await out.add(encode.placed(one, (position) => placeOf(pieces, source, position)));
        throw new Passed();
      }
      if (one.type === "C") {
        for (const each of sending.notices ?? []) await out.add(encode.notice(each));
        await out.add(sending.tag === undefined ? one.whole : encode.commandComplete(sending.tag));
      } else await out.add(one.whole);
    }
  }

  /** Says that nothing is taken back, where a transaction that has paid is rolled back. */
  async function warned({ transaction }: Analysed): Promise<void> {
    if (transaction === "BEGIN" || transaction === "START") hasPaid = false;
    if (transaction !== "ROLLBACK" || !hasPaid || backend.status() === "I") return;
    hasPaid = false;
    await out.add(encode.notice("what was released stays released and paid: nothing takes it back", "WARNING"));
  }

  function refuseOutside({ kind, asked }: Analysed): void {
    if (kind === "DeclareCursorStmt" && asked.length > 0 && backend.status() === "I")
      throw new WireError({ code: "25P01", hint: "BEGIN one." }, "DECLARE CURSOR can only be used in transactions");
  }

  /** What stands around plans is read by PostgreSQL before anything is paid. */
  async function tried(
    statement: Analysed,
    source: string,
    shown: readonly Shown[],
    signal: AbortSignal,
    isSynced = true,
  ): Promise<void> {
    if (shown.length === 0) return;
    const tables = shown.map((each) => each.over(literalOf("[]")));
    const pieces = spliced({ ...statement, edits: [...statement.edits, ...trialOf(statement)] }, source, tables);
    const end = isSynced ? encode.sync : encode.flush;
    const trial = { portal: OURS, statement: OURS, formats: [], values: [], results: [] };
    const steps = [encode.parse(OURS, textOf(pieces), []), encode.bind(trial), encode.execute(OURS), closed("P", OURS)];
    const said = await backend.run(Buffer.concat([closed("S", OURS), ...steps, end]), signal, isSynced);
    await pass(
      said.filter(({ type }) => type === "E"),
      pieces,
      source,
    );
  }

  async function one(statements: readonly Analysed[], source: string, signal: AbortSignal): Promise<void> {
    const shown: Shown[][] = [];
    for (const statement of statements) {
      if (statement.refused !== null) refuse(statement.refused, source);
      const [first] = statement.asked;
      if (statement.kind === "ExplainStmt" && first !== undefined) return explain(first, statement, { source }, signal);
      if (backend.status() === "E" && first !== undefined) refuseInFailed();
      refuseOutside(statement);
      shown.push(
        await Promise.all(
          statement.asked.map((asked) => show(asked, { source, mentions: statement.mentions }, signal)),
        ),
      );
    }
    for (const [place, statement] of statements.entries()) await tried(statement, source, shown[place] ?? [], signal);
    const answers = [...(await answersOf(shown.flat(), signal))];
    for (const [place, statement] of statements.entries()) {
      set(statement);
      await warned(statement);
      const notices: string[] = [];
      const tables = (shown[place] ?? []).map((each) => {
        const { rows, notices: said } = answers.shift() ?? { rows: [], notices: [] };
        notices.push(...said);
        return each.over(literalOf(jsonOf(each, rows)));
      });
      await run(statement, source, tables, { notices }, signal);
    }
  }

  async function run(
    statement: Analysed,
    source: string,
    tables: readonly string[],
    sending: Sending,
    signal: AbortSignal,
  ): Promise<void> {
    const pieces = spliced(statement, source, tables);
    const text = textOf(pieces);
    await pass(await backend.run(encode.query(text), signal), pieces, source, sending);
    backend.note(statement, text);
  }

  async function explain(
    asked: Aggregated,
    statement: Analysed,
    {
      isDescribed = false,
      ...from
    }: { readonly source: string; readonly given?: Given; readonly isDescribed?: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const { query } = await show(asked, { ...from, mentions: statement.mentions }, signal);
    const lines = query === null ? ["costs nothing: its values are declared"] : await queries.explain(query, signal);
    const rows = literalOf(JSON.stringify(lines.map((line) => ({ line }))));
    const text = `SELECT line AS "QUERY PLAN" FROM jsonb_to_recordset(${rows}) AS r(line text)`;
    const said = await backend.run(encode.query(text), signal);
    await pass(
      said.filter(({ type }) => !(isDescribed && type === "T")),
      [],
      from.source,
      { tag: "EXPLAIN" },
    );
  }

  return {
    read,
    set,
    show,
    answersOf,
    pass,
    warned,
    tried,
    refuseOutside,
    explain,
    /** Runs a text that may hold several statements. */
    all: (source: string) =>
      cancellable(async (signal) => {
        const breathe = betweenSlices();
        const found = await read(source, signal);
        if (found.length === 0) await out.add(encode.emptyQuery);
        for (let place = 0; place < found.length; ) {
          await breathe();
          // SELECT that stand together are one plan with one charge.
          let end = place + 1;
          if (isWhole(found[place])) while (isWhole(found[end])) end += 1;
          await one(found.slice(place, end), source, signal);
          place = end;
        }
      }),
  };
}

const isWhole = (statement: Analysed | undefined): boolean =>
  statement?.asked.length === 1 &&
  statement.kind !== "ExplainStmt" &&
  statement.refused === null &&
  !statement.isLiteral;

/** A statement that PostgreSQL plans without answers, as it will with them: EXPLAIN, or a COPY of no row. */
function trialOf({ kind, from, copied }: Analysed): readonly Edit[] {
  if (copied === null) return [{ from, to: from, text: kind === "ExplainStmt" ? "" : "EXPLAIN (COSTS OFF) " }];
  return [
    { from: copied.from, to: copied.from, text: "SELECT * FROM (" },
    { from: copied.to, to: copied.to, text: ") AS tried LIMIT 0" },
  ];
}

function refuseInFailed(): never {
  throw new WireError(
    { code: "25P02", hint: "ROLLBACK, or COMMIT, ends it." },
    "the transaction has failed: nothing is done until its end",
  );
}

function refuse({ at, code, message, hint }: Refused, source: string): never {
  throw new WireError({ code, hint, position: charactersIn(source.slice(0, at)) + 1 }, message);
}

const moved = (statement: Analysed, by: number): Analysed => ({
  ...statement,
  from: statement.from + by,
  to: statement.to + by,
  refused: statement.refused && { ...statement.refused, at: statement.refused.at + by },
  copied: statement.copied && { from: statement.copied.from + by, to: statement.copied.to + by },
  edits: statement.edits.map((edit) => ({ ...edit, from: edit.from + by, to: edit.to + by })),
  asked: statement.asked.map((asked) => ({
    ...asked,
    ...{ from: asked.from + by, to: asked.to + by, plan: shifted(asked.plan, by) },
    split: asked.split && {
      ...asked.split,
      ...{
        plan: shifted(asked.split.plan, by),
        before: shifted(asked.split.before, by),
        after: shifted(asked.split.after, by),
      },
    },
  })),
});
const shifted = (pieces: readonly Piece[], by: number): readonly Piece[] =>
  pieces.map((piece) => ({ ...piece, at: piece.at + by }));

function inOwnDialect(source: string, { from, to }: { readonly from: number; readonly to: number }): Analysed | null {
  const [, word = ""] = /^\s*(explain\s)?/i.exec(source.slice(from, to)) ?? [];
  const begins = word === "" ? from : source.indexOf(word, from) + word.length;
  const asked = ownDialect(source, { from: begins, to });
  const kind = word === "" ? "SelectStmt" : "ExplainStmt";
  if (asked === null) return null;
  return {
    ...{ from, to, kind, asked: [asked], refused: null, mentions: [], setting: null },
    ...{ transaction: null, edits: [], isLiteral: word !== "", copied: null },
  };
}

/** A statement as PostgreSQL runs it: tables in place of what asks for rows. */
function spliced({ from, to, asked, edits }: Analysed, source: string, tables: readonly string[]): readonly Piece[] {
  const changes = [...edits, ...asked.map((one, place) => ({ from: one.from, to: one.to, text: tables[place] ?? "" }))];
  const pieces: Piece[] = [];
  let at = from;
  for (const change of changes.toSorted((a, b) => a.from - b.from)) {
    pieces.push(
      { text: source.slice(at, change.from), at, isSource: true },
      { text: change.text, at: change.from, isSource: false },
    );
    at = change.to;
  }
  return [...pieces, { text: source.slice(at, to), at, isSource: true }];
}

/** The place in the source of a place that PostgreSQL names; both count characters from 1. */
function placeOf(pieces: readonly Piece[], source: string, position: number): number {
  let left = position - 1;
  for (const { text, at, isSource } of pieces) {
    const characters = [...text];
    if (left < characters.length) return charactersIn(source.slice(0, at)) + (isSource ? left : 0) + 1;
    left -= characters.length;
  }
  return charactersIn(source) + 1;
}

// long: a handler for each message of the extended protocol
function extendedHandlers(options: SessionOptions, out: Out, statements: ReturnType<typeof statementsOf>): Handlers {
  const { backend, cancellable } = options;
  const prepared = new Map<string, Prepared>();
  const portals = new Map<string, Portal>();
  const portalOf = (name: string): Portal => portals.get(name) ?? missing("34000", "portal", name);
  const preparedOf = (name: string): Prepared => prepared.get(name) ?? missing("26000", "prepared statement", name);
  /** A portal that DECLARE made. */
  const isCursor = (name: string): boolean => !portals.has(name) && backend.status() === "T";
  const isAsking = ({ statement }: Prepared): boolean => (statement?.asked.length ?? 0) > 0;
  const noted: { readonly statement: Analysed; readonly text: string }[] = [];

  /** Sends messages whose answers end with no synchronisation point. */
  const step = (signal: AbortSignal, ...bytes: readonly Buffer[]) =>
    backend.run(Buffer.concat([...bytes, encode.flush]), signal, false);

  /** Tells the process a statement that it does not know yet. */
  async function renew(name: string, one: Prepared, signal: AbortSignal): Promise<void> {
    await backend.prepare(signal);
    if (one.statement === null || one.generation === backend.generation()) return;
    const pieces = spliced(one.statement, one.source, []);
    const close = name === "" ? Buffer.alloc(0) : closed("S", name);
    const said = await step(signal, close, encode.parse(name, textOf(pieces), one.types));
    await statements.pass(
      said.filter(({ type }) => !/[13]/.test(type)),
      pieces,
      one.source,
    );
    one.generation = backend.generation();
  }

  async function shownOf(
    { statement, source, types }: Prepared,
    given: Given | null,
    signal: AbortSignal,
  ): Promise<readonly Shown[]> {
    if (statement === null) return [];
    const { asked, mentions } = statement;
    const from = { source, mentions, given: given ?? { values: null, types } };
    return Promise.all(asked.map((each) => statements.show(each, from, signal)));
  }

  /** Tells the process a statement with tables in place of SELECT that ask: they come as its last values. */
  async function tell(
    { statement, source, types, count }: Prepared,
    { shown, answers }: { readonly shown: readonly Shown[]; readonly answers: readonly string[] | null },
    signal: AbortSignal,
  ): Promise<void> {
    if (statement === null) return;
    const compared = typesOf(statement.asked, await options.catalogue());
    await backend.prepare(signal);
    const { isLiteral } = statement;
    const tables = shown.map((each, place) =>
      each.over(isLiteral ? literalOf(answers?.[place] ?? "[]") : `$${count + place + 1}::jsonb`),
    );
    const pieces = spliced(statement, source, tables);
    const text = textOf(pieces);
    const outside = new Set(statementsIn(text).flatMap(({ parameters }) => parameters.map(({ number }) => number)));
    // What a plan takes up alone has no type that PostgreSQL could find.
    const oids = Array.from(
      { length: count },
      (_, place) => types[place] || (outside.has(place + 1) ? 0 : (compared.get(place + 1) ?? TEXT_OID)),
    );
    const ours = isLiteral ? [] : shown.map(() => JSONB_OID);
    const said = await step(signal, closed("S", OURS), encode.parse(OURS, text, [...oids, ...ours]));
    await statements.pass(
      said.filter(({ type }) => !/[13]/.test(type)),
      pieces,
      source,
    );
  }

  /** Gives a portal its values; of one that asks, with answers or with none. */
  async function give(portal: Portal, answers: readonly string[] | null, signal: AbortSignal): Promise<void> {
    const { bound, prepared: one } = portal;
    const ours = one.statement?.isLiteral ? [] : (answers ?? []);
    const bytes = encode.bind({
      portal: bound.portal,
      statement: answers === null ? bound.statement : OURS,
      formats: [...bound.values.map(({ isBinary }) => Number(isBinary)), ...ours.map(() => 0)],
      values: [...bound.values.map(({ bytes }) => bytes), ...ours.map((text) => Buffer.from(text))],
      results: bound.formats,
    });
    const said = await step(signal, bound.portal === "" ? Buffer.alloc(0) : closed("P", bound.portal), bytes);
    await statements.pass(
      said.filter(({ type }) => !/[23]/.test(type)),
      [],
      one.source,
    );
    // The process holds them from here on.
    Object.assign(portal, { generation: backend.generation(), answers: null });
  }

  /** The portal in the process that the session has now. */
  async function bound(portal: Portal, signal: AbortSignal): Promise<void> {
    const { prepared: one, answers } = portal;
    await backend.prepare(signal);
    if (portal.generation === backend.generation()) return;
    if (isAsking(one)) {
      const shown = await shownOf(one, given(portal), signal);
      await tell(one, { shown, answers }, signal);
      await give(portal, answers ?? shown.map(() => "[]"), signal);
    } else {
      await renew(portal.bound.statement, one, signal);
      await give(portal, null, signal);
    }
  }

  const given = ({ bound, prepared: { types } }: Portal): Given => ({ values: bound.values, types });

  return {
    P: ({ body }) =>
      cancellable(async (signal) => {
        const { name, text, types } = parseMessage(body);
        if (name !== "" && prepared.has(name))
          throw new WireError({ code: "42P05" }, `the prepared statement ${JSON.stringify(name)} exists already`);
        prepared.delete(name);
        refuseLong(text);
        const count = parametersOf({ parameters: statementsIn(text).flatMap(({ parameters }) => parameters) }, types);
        const [statement = null, second] = await statements.read(text, signal);
        if (second !== undefined)
          throw new WireError(
            { code: "42601", position: charactersIn(text.slice(0, second.from)) + 1 },
            "a prepared statement holds one command",
          );
        if (statement?.refused) refuse(statement.refused, text);
        const one: Prepared = { statement, source: text, types, count, generation: -1 };
        keep(prepared, name, one);
        if (!isAsking(one))
          await renew(name, one, signal).catch((error: unknown) => {
            prepared.delete(name);
            throw error;
          });
        await out.add(encode.parseComplete);
      }),
    B: ({ body }) =>
      cancellable(async (signal) => {
        const message = bindMessage(body);
        const found = preparedOf(message.statement);
        const portal: Portal = {
          prepared: found,
          bound: message,
          answers: null,
          isAnswered: false,
          notices: [],
          generation: -1,
        };
        if (isAsking(found) && message.values.length !== found.count)
          throw new WireError({ code: "08P01" }, `${message.values.length} values came, must be ${found.count}`);
        portals.delete(message.portal);
        if (found.statement !== null && !isAsking(found)) await bound(portal, signal);
        keep(portals, message.portal, portal);
        await out.add(encode.bindComplete);
      }),
    D: ({ body }) =>
      cancellable(async (signal) => {
        const { letter, text } = partsOf(body);
        const [kind, name] = [letter() === "P" ? "P" : "S", text()] as const;
        if (kind === "P" && isCursor(name))
          return statements.pass(await step(signal, encode.message("D", encode.cstring(`P${name}`))), [], "");
        const portal = kind === "P" ? portalOf(name) : null;
        const found = portal?.prepared ?? preparedOf(name);
        const { statement, source, count } = found;
        const isExplained = statement?.kind === "ExplainStmt" && isAsking(found);
        if (statement === null || isExplained) {
          if (portal === null) await out.add(encode.textParameters(count));
          return out.add(isExplained ? EXPLAINED : encode.noData);
        }
        if (portal !== null) await bound(portal, signal);
        else if (isAsking(found))
          await tell(found, { shown: await shownOf(found, null, signal), answers: null }, signal);
        else await renew(name, found, signal);
        const asked = portal === null && isAsking(found) ? OURS : name;
        const said = await step(signal, encode.message("D", encode.cstring(`${kind}${asked}`)));
        const fewer = said.map((each) =>
          each.type === "t" ? encode.fewerParameters(each, statement.isLiteral ? 0 : statement.asked.length) : each,
        );
        await statements.pass(fewer, [], source);
      }),
    E: ({ body }) =>
      cancellable(async (signal) => {
        const { text, int32 } = partsOf(body);
        const [name, most] = [text(), int32()];
        if (isCursor(name))
          return statements.pass(
            await step(signal, encode.message("E", encode.cstring(name), encode.int32(most))),
            [],
            "",
          );
        const portal = portalOf(name);
        const { statement, source } = portal.prepared;
        if (statement === null) return out.add(encode.emptyQuery);
        const [first] = statement.asked;
        if (statement.kind === "ExplainStmt" && first !== undefined)
          return statements.explain(first, statement, { source, given: given(portal), isDescribed: true }, signal);
        if (first !== undefined && !portal.isAnswered) {
          await bound(portal, signal); // what PostgreSQL refuses is not paid for
          statements.refuseOutside(statement);
          const shown = await shownOf(portal.prepared, given(portal), signal);
          if (statement.isLiteral) await statements.tried(statement, source, shown, signal, false);
          const answers = await statements.answersOf(shown, signal);
          portal.notices = answers.flatMap(({ notices }) => notices);
          portal.answers = shown.map((each, place) => jsonOf(each, answers[place]?.rows ?? []));
          Object.assign(portal, { isAnswered: true, generation: -1 });
        }
        await bound(portal, signal);
        statements.set(statement);
        await statements.warned(statement);
        backend.hold();
        const said = await step(signal, encode.message("E", encode.cstring(name), encode.int32(most)));
        if (said.some(({ type }) => type === "s")) backend.pin();
        await statements.pass(said, [], source, { notices: portal.notices });
        if (statement.kind === "DiscardStmt") {
          // What comes next in the batch must not run as whom DISCARD ALL makes it.
          prepared.clear();
          backend.note(statement, "");
        } else noted.push({ statement, text: textOf(spliced(statement, source, [])) });
      }),
    C: ({ body }) =>
      cancellable(async (signal) => {
        const { letter, text } = partsOf(body);
        const [kind, name] = [letter() === "P" ? "P" : "S", text()] as const;
        (kind === "P" ? portals : prepared).delete(name);
        if (backend.isLeased() && name !== "") await step(signal, closed(kind, name));
        await out.add(encode.closeComplete);
      }),
    S: () =>
      cancellable(async (signal) => {
        if (backend.isLeased()) await backend.run(encode.sync, signal, false);
        for (const { statement, text } of noted.splice(0)) {
          if (statement.kind === "DeallocateStmt") prepared.clear();
          backend.note(statement, text);
        }
        if (backend.status() === "I") portals.clear();
        await ready(backend, out);
        await out.flush();
      }),
  };
}

/** The column of an EXPLAIN, as PostgreSQL calls it. */
const EXPLAINED = encode.oneTextColumn("QUERY PLAN");

function missing(code: string, kind: string, name: string): never {
  throw new WireError({ code }, `there is no ${kind} ${JSON.stringify(name.slice(0, 80))}`);
}

const MAX_NAME = 200;

function keep<T extends Prepared | Portal>(all: Map<string, T>, name: string, one: T): void {
  if (name.length > MAX_NAME)
    throw new WireError({ code: "54000" }, `a name has ${name.length} characters, must have at most ${MAX_NAME}`);
  all.set(name, one);
  const characters = [...all].reduce((sum, [called, each]) => sum + called.length + sizeOf(each), 0);
  if (all.size <= MAX_KEPT && characters <= MAX_KEPT_CHARACTERS) return;
  all.delete(name);
  throw new WireError(
    { code: "53400", hint: "Close those that are done, or DISCARD ALL." },
    `a session keeps at most ${MAX_KEPT} statements, of ${MAX_KEPT_CHARACTERS} characters with their values`,
  );
}

/** Characters of texts and values; a number of a list counts as one. */
const sizeOf = (one: Prepared | Portal): number =>
  "source" in one
    ? one.source.length + one.types.length
    : one.bound.values.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0) + one.bound.formats.length;
