import { createHash, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import { VERSION } from "@dosimeter/core";
import { onBrokenInvariant } from "@dosimeter/core/accounting";
import { present } from "@dosimeter/core/internal";
import {
  type LedgerDatabase,
  openLedgerDatabase,
  type StepLabel,
  type Store,
  systemPrincipal,
} from "@dosimeter/ledger";
import type { Hono } from "hono";
import { ALL_SCOPES, SESSION_HOURS } from "./access/credentials.ts";
import { openFirstAdmin } from "./access/first-admin.ts";
import { openMcpClients } from "./access/mcp-clients.ts";
import { openOidc } from "./access/oidc.ts";
import { openOperatorToken } from "./access/operator.ts";
import { countOpen } from "./access/per-person.ts";
import { openRates } from "./access/rates.ts";
import { openNotedSignIn } from "./access/refused-sign-in.ts";
import { openSealer } from "./access/sealing.ts";
import { sharedSecret } from "./access/shared-secret.ts";
import { diagnoseConfiguration } from "./doctor/doctor.ts";
import { handlers } from "./handlers/index.ts";
import { beginSession } from "./handlers/session.ts";
import { createApp } from "./http/app.ts";
import type { Deps } from "./http/deps.ts";
import { openImporter } from "./import/ledger-copy.ts";
import { openAfterwards } from "./instance/afterwards.ts";
import { readOptions } from "./instance/check-options.ts";
import { type CheckpointFile, openCheckpoint } from "./instance/checkpoint.ts";
import { hasLog, LEDGER_FILE, openStore } from "./instance/database.ts";
import { expireRegularly } from "./instance/expiry.ts";
import { takeLock } from "./instance/lock.ts";
import { oneAtATime } from "./instance/one-at-a-time.ts";
import type { InstanceOptions, TestOptions } from "./instance/options.ts";
import { openReadiness } from "./instance/readiness.ts";
import { operatorFile } from "./instance/running.ts";
import { instanceSigner, SIGNING_FILE } from "./instance/signer.ts";
import { openWitness, type Place, type Witness } from "./instance/witness.ts";
import { openInspector } from "./measuring/inspector.ts";
import { type Measurer, openMeasurer, startProcess } from "./measuring/measurer.ts";
import {
  memoryOfConnections,
  memoryOfFiles,
  mostBoundedBytes,
  mostFoundBytes,
  spillWithin,
} from "./measuring/memory.ts";
import { type AuditStream, openAuditStream } from "./outbox/audit-stream.ts";
import { openMailer } from "./outbox/mail.ts";
import { openSender, type Sender } from "./outbox/sender.ts";
import { signedIn } from "./outbox/signed-in.ts";
import { expiryOf } from "./postgres-wire/certificate.ts";
import { openReleaseQueue } from "./release/queue.ts";
import { openTimetable, type Timetable } from "./release/timetable.ts";
import { openExporter } from "./report/exporter.ts";
import { openPricer } from "./report/pricer.ts";
import { openPrinter } from "./report/printer.ts";
import { openReporter } from "./report/reporter.ts";
import { openRowMaker } from "./report/rows.ts";
import { sweepAppends } from "./reuse/append.ts";
import { openReleasedAnswers } from "./reuse/find.ts";
import { secretsOf } from "./rotate/secrets.ts";
import { openSchedules, type Schedules } from "./schedules/schedules.ts";
import { openScim } from "./scim/scim.ts";
import { isAddress } from "./ship/objects.ts";
import { refuseNested } from "./ship/place.ts";
import { SHIP_SECRET } from "./ship/seal.ts";
import { openShip, type Ship } from "./ship/ship.ts";
import { openCodeBookReader } from "./sources/code-book.ts";
import type { ConnectionHosts } from "./sources/connection-hosts.ts";
import type { Connections } from "./sources/connections.ts";
import { openConverter } from "./sources/convert/converter.ts";
import { expireUploads } from "./sources/expired-uploads.ts";
import { type Files, openFiles } from "./sources/files.ts";
import { measuringThrough, openConnections } from "./sources/known-connections.ts";
import { makeFolder } from "./sources/make-folder.ts";
import { openReach } from "./sources/reach.ts";
import { roomIn } from "./sources/room.ts";
import { serverFolders } from "./sources/server-folders.ts";
import { createLog, type Log, safely } from "./telemetry/log.ts";
import { openMetrics, type Readings } from "./telemetry/metrics.ts";
import { openTurns } from "./threads/turns.ts";

/** One data folder, open: ledger database, measuring process and the HTTP interface over them. */
export interface Instance {
  readonly app: Hono;
  /** The HTTP interface without a network, for an SDK in this process. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly database: LedgerDatabase;
  readonly operatorToken: string;
  readonly demoIsOn: () => Promise<boolean>;
  /** A code that makes the first admin, to be printed where only the operator sees it; null where there was an admin, or a demo is on. */
  readonly firstAdminCode: () => Promise<string | null>;
  /** Null where this instance sends no mail or webhooks. */
  readonly sender: Sender | null;
  readonly schedules: Pick<Schedules, "run" | "make">;
  /** Runs now the work that waits until after an answer; resolves when it is done. */
  readonly settled: () => Promise<void>;
  /** A person of the demo: signs in by link until the first real person exists. */
  readonly createDemoPerson: (name: string) => Promise<void>;
  /** Tells others that use the folder where this instance answers. */
  readonly publish: (url: string) => Promise<void>;
  /** Is not ready from now on, and goes on taking everything. */
  readonly leave: () => void;
  /** Stops taking releases and finishes those being measured. */
  readonly drain: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What was opened, in order; it is closed in reverse. */
type Opened = (() => Promise<void>)[];

const keeper =
  (opened: Opened) =>
  <T extends { close(): Promise<void> }>(one: T): T => {
    opened.push(() => one.close());
    return one;
  };

/** Opens a data folder for this process alone; ALREADY_RUNNING when another one holds it. */
// long: what is opened, in an order that closing reverses
export async function openInstance(options: InstanceOptions & TestOptions): Promise<Instance> {
  const { folder } = options;
  const log = safely(options.log ?? createLog("silent"));
  const read = await readOptions(options, process.env); // before anything is made
  const lock = await takeLock(folder);
  const opened: Opened = [() => lock.release()];
  const keep = keeper(opened);
  const close = async () => {
    for (const end of opened.splice(0).reverse()) await end();
  };
  const address = { here: options.publicUrl ?? null, port: options.port };
  let isLeaving = false;
  try {
    const deafen = onBrokenInvariant((invariant) => log.error("INVARIANT_BROKEN", { cause: invariant }));
    opened.push(async () => deafen());
    const { store, database, witness, checkpoint, ship } = await openLedger(options, read.place, log, opened);
    const work = await openWork(options, { ...read, store, database, ship, log, opened });
    const audit =
      read.auditPlace === null || options.deliver !== true
        ? null
        : keep(await openAuditStream({ folder, database, place: read.auditPlace, log }));
    const sealer = await openSealer(database, options.keySecret ?? null);
    const mailer = options.mail === undefined ? null : await openMailer(options.mail);
    opened.push(async () => mailer?.close());
    const allowInside = options.webhooksInside ?? false;
    const sender = // sends what waits in the outbox, unless another process does
      options.deliver === true
        ? keep(openSender({ database, sealer, mailer, allowInside, origin: () => address.here, log }))
        : null;
    const { eraseAfterDays, keepDays } = options;
    opened.push(await expireRegularly({ database, log, wake: () => sender?.wake(), eraseAfterDays, keepDays }));
    const afterwards = openAfterwards(log);
    opened.push(afterwards.settled);
    const schedules = keep(
      openSchedules({
        ...{ database, log, release: work.release, queue: work.queue, wake: () => sender?.wake() },
        teams: options.teams ?? "anyone",
        demoIsOn: async () => (await database.people.demoStatus()) === "on",
      }),
    );
    const deps = await depsOf(options, {
      ...work,
      ...{ schedules, store, witness, checkpoint, ship, audit, database, sealer, sender, mailer, log },
      address: () => address.here,
      port: () => address.port,
      isLeaving: () => isLeaving,
      afterwards: afterwards.later,
    });
    opened.push(async () => deps.tracing?.close());
    const app = createApp(deps, {
      handlers,
      beginSession,
      loadMcp: async (serving) => (await import("./mcp/handler.ts")).openMcp(serving),
    });
    const operator = await openOperatorToken({
      path: operatorFile(options),
      scopes: ALL_SCOPES.filter((scope) => options.operatorScopes?.includes(scope) ?? true),
      database,
      log,
    });
    opened.push(operator.close);
    await work.queue.recover();
    void schedules.run();
    return {
      app,
      fetch: (request) => app.fetch(request),
      database,
      operatorToken: operator.secret,
      demoIsOn: deps.demoIsOn,
      firstAdminCode: () => deps.firstAdmin.issue(),
      sender,
      schedules,
      settled: afterwards.settled,
      async createDemoPerson(name) {
        await database.people.createPrincipal({ by: systemPrincipal, kind: "user", name, demo: true });
      },
      publish(url) {
        address.here ??= url;
        address.port = Number(new URL(url).port);
        return lock.publish(url, resolve(operatorFile(options)));
      },
      leave() {
        isLeaving = true;
      },
      drain: () => work.queue.close(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Opening {
  readonly database: LedgerDatabase;
  readonly log: Log;
  readonly opened: Opened;
}

/** The ledger database, compared with the last checkpoint. */
async function openLedger(options: InstanceOptions & TestOptions, place: Place | null, log: Log, opened: Opened) {
  const keep = keeper(opened);
  const { folder, selfApproval = "refuse", requestLimits = {}, mostCharges } = options;
  const hadLog = await hasLog(folder);
  const ship = shipOf(options, log);
  opened.push(async () => ship?.close()); // what it has open of the SQLite file, it closes after the database
  const store = await openStore(folder, options.database, ship?.committed);
  const { quotes, freeQuota, certified } = keep(openPricer());
  const calculations = { quotes, freeQuota, certified };
  const settings = {
    ...{ selfApproval, requestLimits, ...present({ mostCharges }) },
    step(label: StepLabel) {
      if (label === "charge.begin") ship?.refuseStopped();
      options.step?.(label);
    },
  };
  const database = keep(await openLedgerDatabase(store, { ...settings, ...calculations }));
  await sharedSecret(database, SHIP_SECRET); // also where nothing is shipped yet: archives of now may go on in the place of later [M423]
  await ship?.start();
  opened.push(async () => ship?.end());
  const witness = place === null ? null : openWitness(place, log);
  const shown = present({ mayShow: ship?.mayShow });
  const checkpoint = keep(await openCheckpoint({ folder, database, store, hadLog, witness, log, ...shown }));
  return { store, database, witness, checkpoint, ship };
}

function shipOf({ folder, uploads = join(folder, "files"), ship, shipSecret }: InstanceOptions, log: Log): Ship | null {
  if (ship === undefined) return null;
  for (const own of isAddress(ship.place) ? [] : [folder, uploads]) refuseNested(ship.place, own);
  const more = [join(folder, SIGNING_FILE)];
  const to = { ...ship, ...present({ secret: shipSecret }), ledger: join(folder, LEDGER_FILE), uploads, more };
  return openShip({ graceSeconds: 60, keepDays: 7, ...to, log });
}

/** The owner of leases in a SQLite file. The folder's lock admits one process, so the next process takes over its charges at once. */
const OWNER = "server";

/** Temporary files: rows that do not fit in memory, exports that are being read. */
function spillOf({ folder, measuring: { spill } = {} }: Pick<InstanceOptions, "folder" | "measuring">): string {
  if (spill === undefined) return join(folder, "spill");
  // Others may use the folder: only what is this instance's own is emptied.
  return join(spill, `dosimeter-${createHash("sha256").update(resolve(folder)).digest("hex").slice(0, 12)}`);
}

/** A server is calibrated when what it does at its start is over. */
const CALIBRATE_AFTER_MS = 10_000;

/** Files, the measuring process, and background work: releases, reports, imports. */
async function openWork(
  options: InstanceOptions & TestOptions,
  {
    connections: operators,
    hosts,
    store,
    database,
    log,
    opened,
    ship,
  }: Opening & {
    readonly store: Store;
    readonly connections: Connections;
    readonly hosts: ConnectionHosts;
    readonly ship: Ship | null;
  },
) {
  const { folder, uploads = join(folder, "files"), largestUpload, largestOfPerson, step = () => {} } = options;
  const { spill: _, ...limits } = options.measuring ?? {};
  const keep = keeper(opened);
  const converter = keep(openConverter());
  const stored = await openFiles(uploads, {
    converter,
    isAlone: options.uploads === undefined, // the folder's lock admits one process
    ...present({ largest: largestUpload, largestOfPerson }),
  });
  const files = ship === null ? stored : shippedFiles(stored, ship);
  await sweepAppends({ files, database, log });
  opened.push(expireUploads({ files, database, log }));
  const spill = spillOf(options);
  await rm(spill, { recursive: true, force: true }); // temporary rows of a process that crashed
  await makeFolder(spill);
  const connections = openConnections({ operators, hosts, database });
  const { startMeasuring, measuring: { memoryLimit, temporaryLimit: asked } = {} } = options;
  const temporaryLimit = spillWithin(roomIn(spill), asked);
  const { process: limitsOfFiles, engine, mostHeld } = memoryOfFiles(memoryLimit, limits.threads);
  const timetable = openTimetable(log, startMeasuring === undefined ? join(folder, "timetable.json") : null, mostHeld);
  const ofFiles = {
    files: { ...limits, memoryLimit: engine, mostHeld, temporaryLimit, root: uploads, temporaryDirectory: spill },
  };
  const start = startMeasuring ?? (() => startProcess(memoryOfConnections(memoryLimit)));
  const measurers = {
    files: openMeasurer(ofFiles, startMeasuring ?? (() => startProcess(limitsOfFiles)), timetable.prepare),
    connected: openMeasurer({ connections: operators }, start),
  };
  const measurer = keep(measuringThrough(measurers, connections));
  if (options.deliver === true) {
    opened.push(calibrateLater(timetable, keep(openMeasurer(ofFiles, () => startProcess(limitsOfFiles)))));
    void measurer.ready(null);
  }
  const owner = store.kind === "sqlite" ? OWNER : `${OWNER} ${randomUUID()}`;
  const releasedAnswers = openReleasedAnswers(database);
  const reach = keep(openReach({ connections, measurer, database, log }));
  void reach.look();
  const limited = {
    ...{ mostFoundBytes: mostFoundBytes(memoryLimit), mostBoundedBytes: mostBoundedBytes(engine, temporaryLimit) },
    timetable,
  };
  const taken = ship?.taken ?? (async () => undefined);
  const release = { database, measurer, reach, files, releasedAnswers, owner, step, taken, ...limited };
  return {
    ...{ files, connections, reach, release },
    queue: keep(openReleaseQueue(release, log)),
    reporter: keep(openReporter()),
    printer: keep(openPrinter()),
    rowMaker: keep(openRowMaker()),
    importer: keep(openImporter()),
    codebookReader: keep(openCodeBookReader()),
    scim: keep(openScim({ providers: options.oidc ?? [], database, log })),
    secrets: () => secretsOf({ options, connections: operators, hosts, database }),
    inspector: openInspector(measurer),
    checking: countOpen(1),
    pricing: openTurns(100),
  };
}

/** Who uses a server first waits neither for the process that reads files nor for what it is calibrated by. */
function calibrateLater(timetable: Timetable, calibrator: Measurer): () => Promise<void> {
  const calibrate = async (): Promise<void> => {
    await timetable.calibrate(calibrator.run);
    await calibrator.close();
  };
  const later = setTimeout(() => void calibrate(), CALIBRATE_AFTER_MS);
  later.unref();
  return async () => clearTimeout(later);
}

/** The second place has an upload before anyone knows its id, and erases it before it is erased here. */
const shippedFiles = (files: Files, ship: Ship): Files => ({
  ...files,
  async save(upload) {
    const file = await files.save(upload);
    await ship.upload();
    return file;
  },
  async erase(name) {
    await ship.erase(basename(name, extname(name)));
    return files.erase(name);
  },
});

/** Everything the handlers work with. */
async function depsOf(
  options: InstanceOptions,
  given: Awaited<ReturnType<typeof openWork>> &
    Pick<Deps, "database" | "schedules" | "sealer" | "sender" | "mailer" | "log" | "address" | "afterwards"> & {
      readonly store: Store;
      readonly witness: Witness | null;
      readonly checkpoint: Pick<CheckpointFile, "age" | "told">;
      readonly ship: Ship | null;
      readonly audit: AuditStream | null;
      readonly port: () => number | undefined;
      readonly isLeaving: () => boolean;
    },
): Promise<Deps> {
  const { store, witness, checkpoint: _checkpoint, audit: _audit, port, isLeaving, ship, ...opened } = given;
  const { folder, folders = [], mail, oidc = [], keySecret = null, rates } = options;
  const { database, queue } = opened;
  const shared = store.kind === "postgres" ? database.shared : null;
  const signer = await instanceSigner(folder, shared === null ? null : { shared, secret: keySecret });
  const isReady = openReadiness({ store, shared: database.shared });
  const ready = async () => !isLeaving() && !queue.closing() && (await isReady());
  const limits = openRates(rates, { shared });
  const telemetry = await telemetryOf(options, opened.log, {
    releases: () => queue.load(),
    version: VERSION,
    sources: opened.reach.problems,
    readings: watched({ ...given, ...opened.release, ready, options }),
  });
  return {
    ...opened,
    ...telemetry,
    notedSignIn: openNotedSignIn({ ...opened, ...telemetry, rates: limits }),
    folders: serverFolders(folders),
    verify: oneAtATime(() => database.audit.verify()),
    diagnose: oneAtATime(() =>
      diagnoseConfiguration(folder, present({ ...options, port: port() }), { isConnecting: true, env: process.env }),
    ),
    rates: limits,
    teams: options.teams ?? "anyone",
    signIn: options.signIn ?? "any",
    secondFactor: options.secondFactor ?? "optional",
    sessionHours: options.sessionHours ?? SESSION_HOURS,
    oidc: openOidc(oidc, { database, log: opened.log }, await sharedSecret(database, "oidc")),
    mcpClients: openMcpClients(await sharedSecret(database, "mcpClients")),
    sendsMail: mail !== undefined,
    webhooksInside: options.webhooksInside ?? false,
    signer,
    exporter: openExporter(spillOf(options), database, signer),
    witness: async () => (await witness?.witnessed()) ?? null,
    ready,
    shown: async () => ship?.shown(given.checkpoint.told),
    version: VERSION,
    publicUrl: options.publicUrl ?? null,
    // A real person who was removed counts too: a demo that has ended does not begin again.
    demoIsOn: oneAtATime(async () => (await database.people.demoStatus()) === "on"),
    firstAdmin: openFirstAdmin(database, { shared }),
  };
}

/** What is counted, and sent elsewhere. */
async function telemetryOf(
  { metrics: isScraped = false, otlp }: InstanceOptions,
  log: Log,
  watching: Omit<Parameters<typeof openMetrics>[0], "isScraped">,
): Promise<Pick<Deps, "metrics" | "tracing">> {
  if (!isScraped && otlp === undefined) return { metrics: null, tracing: null };
  const metrics = openMetrics({ ...watching, isScraped });
  if (otlp === undefined) return { metrics, tracing: null };
  const { openOtlp } = await import("./telemetry/otlp.ts");
  return { metrics, tracing: openOtlp({ place: signedIn(new URL(otlp)), version: VERSION, metrics, log }) };
}

/** What an operator watches of one instance. */
function watched({
  database,
  store,
  witness,
  checkpoint,
  ship,
  audit,
  measurer,
  timetable,
  ready,
  options: { folder, uploads = folder, measuring: { spill = folder } = {}, postgresWire },
}: Pick<Deps, "database" | "ready"> & {
  readonly store: Store;
  readonly witness: Witness | null;
  readonly checkpoint: Pick<CheckpointFile, "age">;
  readonly ship: Ship | null;
  readonly audit: AuditStream | null;
  readonly measurer: Measurer;
  readonly timetable: Timetable;
  readonly options: InstanceOptions;
}): Readings {
  const expiry = postgresWire === undefined ? null : expiryOf(postgresWire);
  return {
    disk_available_bytes: () => Math.min(...[folder, uploads, spill].map((each) => roomIn(each))),
    certificate_expiry_timestamp_seconds: () => expiry,
    ready: async () => Number(await ready()),
    witness_failing: () => (witness === null ? null : Number(witness.isFailing())),
    ledgers_frozen: async () => (await database.ledgers.frozen()).length,
    outbox_waiting: () => database.outbox.backlog(),
    audit_waiting: async () => (await audit?.waiting()) ?? null,
    ship_lag_seconds: () => ship?.lag() ?? null,
    checkpoint_age_seconds: checkpoint.age,
    database_connections_open: () => store.connections()?.open ?? null,
    database_connections_in_use: () => store.connections()?.inUse ?? null,
    database_connections_waiting: () => store.connections()?.waiting ?? null,
    measurer_starts_total: measurer.starts,
    departures_missed_total: timetable.count,
  };
}
