import { PrivacyError } from "@dosimeter/core";
import type { Engine, Problems } from "@dosimeter/query/plan";
import {
  type ConnectionKind,
  type ConnectionSettings,
  connectionKindOf,
  connectionOf,
  kindOf,
  type Source,
  type SourceKindName,
  wrongSecret,
} from "@dosimeter/query/source";
import type { DuckDbOptions } from "../duckdb/engine.ts";

// A process that measures loads nothing else of this package: it starts in half the time.
export { noiseSteps, spareDraws } from "@dosimeter/query/answer";
export { boundPlan } from "@dosimeter/query/bind";

type Connections = Readonly<Record<string, ConnectionSettings>>;

export interface EngineOptions {
  /** No file is read when absent: a process that has connections need not read what people upload, nor the other way round. */
  readonly files?: DuckDbOptions;
  /** By the names that declarations use; the address of each says of which kind it is. */
  readonly connections?: Connections;
}

/** How each kind of source is opened. A kind whose driver is not needed is not loaded. */
const open: {
  readonly [K in SourceKindName]: (given: K extends ConnectionKind ? Connections : DuckDbOptions) => Promise<Engine>;
} = {
  file: async (options) => (await import("../duckdb/engine.ts")).duckdbEngine(options),
  postgres: async (connections) => (await import("../postgres/engine.ts")).postgresEngine({ connections }),
  trino: async (connections) => (await import("../trino/engine.ts")).trinoEngine({ connections }),
};

type RunOnce = (name: string, settings: ConnectionSettings, statement: string) => Promise<void>;

/** By ALTER ROLE of PostgreSQL the password of a connection is replaced; null where users are kept outside of the database. */
const roleStatements: { readonly [K in ConnectionKind]: RunOnce | null } = {
  postgres: async (...given) => (await import("../postgres/run-once.ts")).runOnce(...given),
  trino: null,
};

/** Runs one statement as the role of a connection; null where its database keeps no passwords of roles. */
export const roleStatementOf = (name: string, { url }: ConnectionSettings): RunOnce | null =>
  roleStatements[connectionKindOf(url, `sources.${name}.url`)];

/** Whether the database of a connection keeps the password, so that a command can replace it. */
export const keepsPassword = (name: string, settings: ConnectionSettings): boolean =>
  roleStatementOf(name, settings) !== null;

/** Throws INVALID_PARAMETER naming a setting that is wrong. Connects to nothing. */
export async function checkConnections(connections: Connections): Promise<void> {
  await closeAll(await openConnections(connections));
}

/** Signs in to each connection once: why it cannot be used, null where it can. Throws INVALID_PARAMETER naming a setting that is wrong. */
export async function probeConnections(connections: Connections): Promise<Problems> {
  const opened = await openConnections(connections);
  try {
    return await probeAll(opened);
  } finally {
    await closeAll(opened);
  }
}

/** Each connection has an engine of its own: others go on when it changes. */
interface Connected {
  readonly kind: ConnectionKind;
  readonly settings: ConnectionSettings;
  readonly engine: Engine;
  /** How many more probes do not send its secret, which was refused. A job sends it. */
  spared: number;
}

type Opened = ReadonlyMap<string, Connected>;

/** How many connections are tried at once. */
const PROBES = 8;
/** How many probes spare a connection whose secret was refused: its server may lock the account. */
const SPARED = 20;

async function probe(name: string, one: Connected): Promise<string | null> {
  const refused = wrongSecret[one.kind];
  if (one.spared > 0) {
    one.spared -= 1;
    return refused;
  }
  const problem = (await one.engine.probe())[name] ?? null;
  // A token in a file may be renewed at any time.
  if (problem === refused && one.settings.tokenFile === undefined) one.spared = SPARED;
  return problem;
}

async function probeAll(opened: Opened): Promise<Problems> {
  const problems = Object.fromEntries([...opened.keys()].map((name): [string, string | null] => [name, null]));
  const waiting = opened.entries();
  const work = async (): Promise<void> => {
    for (const [name, one] of waiting) problems[name] = await probe(name, one);
  };
  await Promise.all(Array.from({ length: PROBES }, work));
  return problems;
}

async function closeAll(opened: Opened): Promise<void> {
  await Promise.all([...opened.values()].map(({ engine }) => engine.close()));
}

async function openConnections(connections: Connections): Promise<Opened> {
  const opened = new Map<string, Connected>();
  try {
    for (const [name, settings] of Object.entries(connections)) {
      const kind = connectionKindOf(settings.url, `sources.${name}.url`);
      opened.set(name, { kind, settings, engine: await open[kind]({ [name]: settings }), spared: 0 });
    }
    return opened;
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

export interface Engines extends Engine {
  /**
   * Reads through these connections from now on. Those that changed are closed when `idle` resolves: what runs still uses them. Throws
   * INVALID_PARAMETER naming a setting that is wrong; then it knows none of those that changed.
   */
  use(connections: Connections, idle: Promise<unknown>): Promise<void>;
}

/**
 * One engine over every kind of source: files, and what the connections reach. Throws INVALID_PARAMETER naming a setting that is
 * wrong. Close it: it closes them all.
 */
export async function openEngines({ files, connections = {} }: EngineOptions): Promise<Engines> {
  const file = files === undefined ? undefined : await open.file(files);
  let connected = await openConnections(connections).catch(async (error: unknown) => {
    await file?.close();
    throw error;
  });
  let closing: Promise<unknown> = Promise.resolve();
  const engineIn = (source: Source): Engine | undefined => {
    const connection = connectionOf(source);
    if (connection === null) return file;
    const found = connected.get(connection);
    if (found?.kind !== kindOf(source)) return undefined;
    found.spared = 0;
    return found.engine;
  };
  const engineOf = (source: Source): Engine => {
    const found = engineIn(source);
    if (found !== undefined) return found;
    const name = connectionOf(source);
    if (name === null) throw new PrivacyError("INTERNAL");
    throw new PrivacyError(
      "DATA_UNREADABLE",
      { name: `source.${kindOf(source)}.connection` },
      `this server knows no connection "${name}"`,
    );
  };
  return {
    describe: async (source, signal) => engineOf(source).describe(source, signal),
    list: async (source, signal) => engineOf(source).list(source, signal),
    check: async (declaration, options) => engineOf(declaration.source).check(declaration, options),
    fit: async (declaration, options) => engineOf(declaration.source).fit(declaration, options),
    append: async (declaration, options) => engineOf(declaration.source).append(declaration, options),
    checkSize: (plan) => engineOf(plan.declaration.source).checkSize(plan),
    async run(plan, options) {
      const engine = engineIn(plan.declaration.source);
      if (engine === undefined) throw new PrivacyError("ENGINE_FAILED");
      return engine.run(plan, options);
    },
    probe: () => probeAll(connected),
    async use(others, idle) {
      const isKept = ([name, { settings }]: readonly [string, Connected]): boolean =>
        Object.hasOwn(others, name) && JSON.stringify(others[name]) === JSON.stringify(settings);
      const before = [...connected];
      const kept = new Map(before.filter(isKept));
      const gone = new Map(before.filter((one) => !isKept(one)));
      connected = kept;
      closing = Promise.all([closing, idle.then(() => closeAll(gone))]);
      const changed = Object.entries(others).filter(([name]) => !kept.has(name));
      connected = new Map([...kept, ...(await openConnections(Object.fromEntries(changed)))]);
    },
    async close() {
      await Promise.all([file?.close(), closeAll(connected), closing]);
    },
  };
}
