import { PrivacyError } from "@dosimeter/core";
import type { LedgerDatabase } from "@dosimeter/ledger";
import { connectionOf, type Problems, type Source } from "@dosimeter/query";
import type { Measurer } from "../measuring/measurer.ts";
import { errorFields, type Log } from "../telemetry/log.ts";
import type { KnownConnections } from "./known-connections.ts";
import { declarationOf } from "./tables.ts";

/** Which tables this server can reach, and what is wrong with its connections. */
export interface Reach {
  /** Whether it has the connection of a table; a file needs none. */
  knows(source: Source): Promise<boolean>;
  /** Of each connection that is set here or that a dataset names: why it cannot be used, null where it can. As of the last look. */
  problems(): Problems;
  /** Looks now, and again regularly. */
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
  let looking = Promise.resolve();
  let isClosed = false;

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

  async function look(): Promise<void> {
    try {
      const before = problems;
      problems = await find();
      for (const [name, problem] of Object.entries(problems))
        if (problem !== null && (before[name] ?? null) === null) log.error("a source cannot be used", { source: name });
    } catch (error) {
      if (isClosed) return;
      log.error("the sources could not be looked at", errorFields(error));
    }
  }

  const timer = setInterval(() => {
    looking = looking.then(look);
  }, EVERY_MS);
  timer.unref();
  return {
    async knows(source) {
      const connection = connectionOf(source);
      if (connection === null) return true;
      return (await connections.all()).some(({ name, settings }) => name === connection && settings !== null);
    },
    problems: () => problems,
    look: () => {
      looking = looking.then(look);
      return looking;
    },
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
