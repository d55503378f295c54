import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { VERSION } from "@dosimeter/core";
import { type Books, openBooks, type Patience, type StepLabel, systemPrincipal } from "@dosimeter/ledger";
import type { Engine } from "@dosimeter/query";
import type { Hono } from "hono";
import { type OidcProvider, openOidc } from "./access/oidc.ts";
import { operatorToken } from "./access/operator.ts";
import { openRates, type Rate, type RateName } from "./access/rates.ts";
import { sharedKey } from "./access/shared-key.ts";
import { createApp } from "./http/app.ts";
import { openMetrics } from "./http/metrics.ts";
import { openImporter } from "./import/ledger-copy.ts";
import { openKeeper } from "./instance/checkpoint.ts";
import { answers, openStore } from "./instance/database.ts";
import { takeLock } from "./instance/lock.ts";
import { createLog, errorFields, type Log } from "./instance/log.ts";
import { oneAtATime } from "./instance/one-at-a-time.ts";
import { instanceSigner } from "./instance/signer.ts";
import { type MailOptions, openMailer } from "./outbox/mail.ts";
import { openSender, type Sender } from "./outbox/sender.ts";
import type { ReleaseStep } from "./release/deps.ts";
import { openReleaseQueue } from "./release/queue.ts";
import { systemRandom } from "./release/random.ts";
import { openPricer } from "./report/pricer.ts";
import { openReporter } from "./report/reporter.ts";
import { openReleasedAnswers } from "./reuse/find.ts";
import { openEngine, readSources } from "./sources/connections.ts";
import { openFiles } from "./sources/files.ts";
import { serverFolders } from "./sources/server-folders.ts";

export interface InstanceOptions {
  /** The data folder; made when it is not there. */
  readonly folder: string;
  /** `postgres://…`: the books live there and several processes share them; a SQLite file in the folder when absent. */
  readonly database?: string;
  /** Where uploads lie; processes that share a database share it too. `files` in the data folder when absent. */
  readonly uploads?: string;
  /** A file of named connections to databases that hold tables, as `readSources` takes it. */
  readonly sources?: string;
  readonly log?: Log;
  /** Where browsers reach this server, when that is not the address it listens on: a reverse proxy's. */
  readonly publicUrl?: string;
  /** Largest upload in bytes. */
  readonly largestUpload?: number;
  /** Folders of this machine whose tables platform admins may declare; none when absent. */
  readonly folders?: readonly string[];
  /** Whether who asked for quota may also decide, marked for everyone to see; never when absent. */
  readonly selfApproval?: "refuse" | "flag";
  /** How often one person may ask for quota; the defaults where absent. */
  readonly requestLimits?: Partial<Patience>;
  /** Whether /metrics tells Prometheus how the server fares: to be reached by the operator only. */
  readonly metrics?: boolean;
  /** How mail is sent; none is when absent. */
  readonly mail?: MailOptions;
  /** OpenID Connect providers that people may sign in with. */
  readonly oidc?: readonly OidcProvider[];
  /** Sends what waits in the outbox; the command line leaves that to a server. */
  readonly deliver?: boolean;
  /** Webhooks may go to this machine and its private networks; never when absent. */
  readonly webhooksInside?: boolean;
  /** Under which the signing key is encrypted in a database that several processes share; null: it is not. */
  readonly keySecret?: string | null;
  readonly rates?: Readonly<Record<RateName, Rate>>;
  /** Called at each labelled step of a charge and release, for tests that end the process there. */
  readonly step?: (label: StepLabel | ReleaseStep) => void;
}

/** One data folder, open: books, engine and the HTTP interface over them. */
export interface Instance {
  readonly app: Hono;
  /** The interface without a network: what an SDK in this process takes as its `fetch`. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly books: Books;
  readonly engine: Engine;
  readonly operatorToken: string;
  readonly demoIsOn: () => Promise<boolean>;
  /** Null unless this instance delivers. */
  readonly sender: Sender | null;
  /** A person of the demo: signs in by link until the first real person exists. */
  readonly createDemoPerson: (name: string) => Promise<void>;
  /** Tells others that use the folder where this instance answers. */
  readonly publish: (url: string) => Promise<void>;
  /** Stops taking releases and finishes those being measured. */
  readonly drain: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Leases of SQLite books are the folder's: the lock admits one process, and the next one goes on with its charges at once. */
const OWNER = "house"; // stands in data folders that exist

/** How often accounts and requests past their date are ended and told; a charge on one is refused at once, by the store's clock. */
const EXPIRE_EVERY_MS = 30_000;

async function expire({ ledgers, requests }: Books, log: Log): Promise<boolean> {
  try {
    return (await ledgers.expireDue()).length + (await requests.expireDue()).length > 0;
  } catch (error) {
    log.error("what is past its date was not ended", errorFields(error));
    return false;
  }
}

/** Opens a data folder for this process alone; ALREADY_RUNNING when another one holds it. */
export async function openInstance({
  folder,
  database,
  uploads = join(folder, "files"),
  sources,
  log = createLog("silent"),
  publicUrl,
  largestUpload,
  folders = [],
  selfApproval = "refuse",
  requestLimits = {},
  metrics = false,
  mail,
  oidc = [],
  deliver = false,
  webhooksInside = false,
  keySecret = null,
  rates,
  step = () => {},
}: InstanceOptions): Promise<Instance> {
  const lock = await takeLock(folder);
  const opened: (() => Promise<void>)[] = [() => lock.release()];
  const close = async () => {
    for (const end of opened.splice(0).reverse()) await end();
  };
  try {
    const store = await openStore(folder, database);
    const pricer = openPricer();
    opened.push(() => pricer.close());
    const { quotes, freeQuota } = pricer;
    const books = await openBooks(store, { step, selfApproval, requestLimits, quotes, freeQuota });
    opened.push(() => books.close());
    const { keeper } = await openKeeper(folder, books, log);
    opened.push(() => keeper.close());
    const files = await openFiles(uploads, largestUpload === undefined ? {} : { largest: largestUpload });
    const spill = join(folder, "spill");
    await rm(spill, { recursive: true, force: true }); // rows that a crash left there
    await mkdir(spill, { recursive: true, mode: 0o700 });
    const engine = await openEngine({ root: uploads, temporaryDirectory: spill }, sources);
    opened.push(() => engine.close());
    const owner = store.kind === "sqlite" ? OWNER : `${OWNER} ${randomUUID()}`;
    const release = {
      books,
      engine,
      files,
      random: systemRandom(),
      releasedAnswers: openReleasedAnswers(books),
      owner,
      step,
    };
    const queue = openReleaseQueue(release, log);
    opened.push(() => queue.close());
    const reporter = openReporter();
    opened.push(() => reporter.close());
    const importer = openImporter();
    opened.push(() => importer.close());
    // A real person who was removed counts too: what ended once does not begin again.
    const demoIsOn = async () => {
      const people = (await books.people.principals()).filter(({ kind }) => kind === "user");
      return people.length > 0 && people.every(({ demo }) => demo);
    };
    const mailer = mail === undefined ? null : openMailer(mail);
    if (mailer !== null) opened.push(async () => mailer.close());
    let here = publicUrl ?? null;
    const sender = deliver ? openSender({ books, mailer, allowInside: webhooksInside, origin: () => here, log }) : null;
    if (sender !== null) opened.push(() => sender.close());
    const sweep = () => expire(books, log).then((ended) => ended && sender?.wake());
    await sweep();
    const sweeping = setInterval(() => void sweep(), EXPIRE_EVERY_MS);
    sweeping.unref();
    opened.push(async () => clearInterval(sweeping));
    const ready = async () => !queue.closing() && (await answers(store));
    const app = createApp({
      books,
      engine,
      queue,
      release,
      files,
      folders: serverFolders(folders),
      connections: sources === undefined ? [] : Object.keys(await readSources(sources, process.env)),
      reporter,
      importer,
      verify: oneAtATime(() => books.audit.verify()),
      rates: openRates(rates, { shared: store.kind === "postgres" ? books.shared : null }),
      oidc: openOidc(oidc, books, await sharedKey(books, "oidc")),
      sendsMail: mailer !== null,
      sender,
      webhooksInside,
      signer: await instanceSigner(
        folder,
        store.kind === "postgres" ? { shared: books.shared, secret: keySecret } : null,
      ),
      log,
      metrics: metrics ? openMetrics({ releases: () => queue.load(), ready }) : null,
      ready,
      version: VERSION,
      publicUrl: publicUrl ?? null,
      demoIsOn,
    });
    const token = await operatorToken(folder, books);
    await queue.recover();
    return {
      app,
      fetch: (request) => app.fetch(request),
      books,
      engine,
      operatorToken: token,
      demoIsOn,
      sender,
      async createDemoPerson(name) {
        await books.people.createPrincipal({ by: systemPrincipal, kind: "user", name, demo: true });
      },
      publish(url) {
        here ??= url;
        return lock.publish(url);
      },
      drain: () => queue.close(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
