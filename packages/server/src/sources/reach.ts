import { PrivacyError } from "@dosimeter/core";
import type { LedgerDatabase } from "@dosimeter/ledger";
import type { Problems } from "@dosimeter/query/plan";
import { connectionOf, type Source } from "@dosimeter/query/source";
import type { Measurer } from "../measuring/measurer.ts";
import { errorFields, type Log } from "../telemetry/log.ts";
import type { KnownConnections } from "./known-connections.ts";
import { declarationOf } from "./tables.ts";

/** Which tables this server can reach, and what is wrong with its connections. */
export interface Reach {
  /** Whether it has the connection of a table; a file needs none. */
  knows(source: Source): Promise<boolean>;
  /** The same for many tables: the connections are read once. */
  knowing(): (source: Source) => Promise<boolean>;
  /** Of each connection that is set here or that a dataset names: why it cannot be used, null where it can. As of the last look. */
  problems(): Problems;
  /** Looks now, or once more when a look that goes on is over; and again regularly. */
  look(): Promise<void>;
  close(): Promise<void>;
}

const EVERY_MS = 30_000;

interface Watched {
  readonly connections: Pick<KnownConnections, "all">;
  readonly measurer: Measurer;
  readonly database: LedgerDatabase;
  readonly log: Log;
}

export function openReach({ connections, measurer, database, log }: Watched): Reach {
  let problems: Problems = {};
  let looking: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let isClosed = false;

  function knowing(): (source: Source) => Promise<boolean> {
    let usable: Promise<ReadonlySet<string>> | null = null;
    return async (source) => {
      const connection = connectionOf(source);
      if (connection === null) return true;
      usable ??= connections
        .all()
        .then((all) => new Set(all.flatMap(({ name, settings }) => (settings === null ? [] : [name]))));
      return (await usable).has(connection);
    };
  }

  async function find(): Promise<Problems> {
    const known = await connections.all();
    const unusable = Object.fromEntries(known.map(({ name, problem }) => [name, problem]));
    const needed = (await database.catalog.datasets()).flatMap((dataset) => {
      const connection = connectionOf(declarationOf(dataset).source);
      return connection === null || Object.hasOwn(unusable, connection) ? [] : [connection];
    });
    const lacking = Object.fromEntries(needed.map((name) => [name, UNKNOWN]));
    if (known.every(({ settings }) => settings === null)) return { ...lacking, ...unusable };
    return { ...lacking, ...unusable, ...(await measurer.run("probe", null)) };
  }

  async function lookOnce(): Promise<void> {
    if (isClosed) return;
    try {
      const before = problems;
      problems = await find();
      for (const [name, problem] of Object.entries(problems))
        if (problem !== null && !(Object.hasOwn(before, name) && before[name] !== null))
          log.error("SOURCE_DOWN", { source: name });
    } catch (error) {
      if (isClosed) return;
      log.error("SOURCES_NOT_TRIED", errorFields(error));
    }
  }

  function look(): Promise<void> {
    if (looking !== null) {
      next ??= looking.then(() => {
        next = null;
        return look();
      });
      return next;
    }
    looking = lookOnce().finally(() => {
      looking = null;
    });
    return looking;
  }

  const timer = setInterval(() => {
    if (looking === null) void look();
  }, EVERY_MS);
  timer.unref();
  return {
    knows: (source) => knowing()(source),
    knowing,
    problems: () => problems,
    look,
    close: async () => {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

const UNKNOWN = "this server has no connection of this name";

/** Another server may have the connection: NOT_READY, before anything is charged. */
export async function refuseUnreachable(reach: Pick<Reach, "knows">, source: Source): Promise<void> {
  if (await reach.knows(source)) return;
  throw new PrivacyError(
    "NOT_READY",
    { name: "source" },
    `this server has no connection "${connectionOf(source)}"; nothing was charged`,
  );
}
