import type { Duplex } from "node:stream";
import { betweenSlices } from "../measuring/slices.ts";
import type { Aggregated } from "./analysis/aggregated.ts";
import type { Analysed } from "./analysis/analyse.ts";
import type { Refused } from "./analysis/reading.ts";
import type { Backend } from "./backend.ts";
import type { Catalogue } from "./catalogue.ts";
import * as encode from "./encode.ts";
import { type Out, Passed } from "./output.ts";
import { refuseLong } from "./parameters.ts";
import type { Answers, Queries } from "./queries.ts";
import { inOwnDialect, moved, placeOf, spliced, trialOf } from "./spliced.ts";
import { WireError } from "./sqlstate.ts";
import { statementsIn } from "./statements.ts";
import type { Reader } from "./stream.ts";
import { charactersIn, type Given, jsonOf, literalOf, type Shown, shownOf } from "./tables.ts";
import { type Piece, textOf } from "./tokens.ts";
import type { Variables } from "./variables.ts";

export interface SessionOptions {
  readonly stream: Duplex;
  readonly reader: Reader;
  readonly queries: Queries;
  readonly variables: Variables;
  readonly catalogue: () => Promise<Catalogue>;
  readonly backend: Backend;
  /** Waits where a client sends more than its share. */
  readonly pace: () => Promise<void>;
  readonly cancellable: <T>(run: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** Says an unexpected error to the log, and gives what the client may read of it. */
  readonly publicOf: (error: unknown) => WireError;
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

/** The statement of a process that holds what a plan answers. */
export const OURS = "of a plan";

export const closed = (kind: "P" | "S", name: string): Buffer => encode.message("C", encode.cstring(`${kind}${name}`));

/** Statements of a session: read, answered by plans where they ask for rows, and run. */
// long: operations over one session
export function statementsOf({ queries, variables, catalogue, backend, cancellable }: SessionOptions, out: Out) {
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

function refuseInFailed(): never {
  throw new WireError(
    { code: "25P02", hint: "ROLLBACK, or COMMIT, ends it." },
    "the transaction has failed: nothing is done until its end",
  );
}

export function refuse({ at, code, message, hint }: Refused, source: string): never {
  throw new WireError({ code, hint, position: charactersIn(source.slice(0, at)) + 1 }, message);
}
