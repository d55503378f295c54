import type { Analysed } from "./analysis/analyse.ts";
import type { Backend } from "./backend.ts";
import { bindMessage, parseMessage, partsOf } from "./decode.ts";
import * as encode from "./encode.ts";
import { keep, missing, type Portal, type Prepared } from "./kept.ts";
import type { Out } from "./output.ts";
import { parametersOf, refuseLong } from "./parameters.ts";
import { spliced } from "./spliced.ts";
import { WireError } from "./sqlstate.ts";
import { closed, OURS, refuse, type SessionOptions, type statementsOf } from "./statement-runs.ts";
import { statementsIn } from "./statements.ts";
import type { Message } from "./stream.ts";
import { charactersIn, type Given, jsonOf, literalOf, type Shown, typesOf } from "./tables.ts";
import { textOf } from "./tokens.ts";

const [TEXT_OID, JSONB_OID] = [25, 3802];

export type Handlers = Readonly<Record<string, (message: Message) => Promise<void>>>;

export async function ready(backend: Backend, out: Out): Promise<void> {
  backend.settle();
  await out.add(encode.readyForQuery(backend.status()));
}

// long: a handler for each message of the extended protocol
export function extendedHandlers(
  options: SessionOptions,
  out: Out,
  statements: ReturnType<typeof statementsOf>,
): Handlers {
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
