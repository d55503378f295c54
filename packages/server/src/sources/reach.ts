import { PrivacyError } from "@dosimeter/core";
import type { LedgerDatabase } from "@dosimeter/ledger";
import { connectionOf, type Problems, type Source } from "@dosimeter/query";
import type { Measurer } from "../measuring/measurer.ts";
import { errorFields, type Log } from "../telemetry/log.ts";
import { declarationOf } from "./tables.ts";

/** Which tables this server can reach, and what is wrong with its connections. */
export interface Reach {
  /** Whether it has the connection of a table; a file needs none. */
  knows(source: Source): boolean;
  /** Of each connection that is set here or that a dataset names: why it cannot be used, null where it can. As of the last look. */
  problems(): Problems;
  /** Looks now, and again regularly. */
  look(): Promise<void>;
  close(): Promise<void>;
}

const EVERY_MS = 30_000;

export function openReach(
  names: readonly string[],
  { measurer, database, log }: { readonly measurer: Measurer; readonly database: LedgerDatabase; readonly log: Log },
): Reach {
  const known = new Set(names);
  let problems: Problems = {};
  let looking = Promise.resolve();
  let isClosed = false;

  async function find(): Promise<Problems> {
    const needed = (await database.catalog.datasets()).flatMap((dataset) => {
      const connection = connectionOf(declarationOf(dataset).source);
      return connection === null || known.has(connection) ? [] : [connection];
    });
    const lacking = Object.fromEntries(needed.map((name) => [name, UNKNOWN]));
    return known.size === 0 ? lacking : { ...lacking, ...(await measurer.run("probe", null)) };
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
    knows: (source) => known.has(connectionOf(source) ?? "") || connectionOf(source) === null,
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
export function refuseUnreachable(reach: Pick<Reach, "knows">, source: Source): void {
  if (reach.knows(source)) return;
  throw new PrivacyError(
    "NOT_READY",
    { name: "source" },
    `this server has no connection "${connectionOf(source)}"; nothing was charged`,
  );
}
