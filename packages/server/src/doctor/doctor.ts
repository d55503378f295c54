import { fileURLToPath } from "node:url";
import { PrivacyError } from "@dosimeter/core";
import { isThisMachine } from "@dosimeter/core/internal";
import { probeConnections } from "@dosimeter/engines";
import { checkProvider } from "../access/oidc-check.ts";
import { checkOptions, type Named } from "../instance/check-options.ts";
import { type Checked, type Configuration, checkSettings } from "../instance/configuration.ts";
import type { Origins } from "../instance/setting-texts.ts";
import { isAddress, tryAddress } from "../ship/objects.ts";
import { areNested } from "../ship/place.ts";
import { within } from "../threads/within.ts";
import { type Elsewhere, elsewhere } from "./elsewhere.ts";
import { roomProblem, sameDiskProblem, shipRoomProblem, tryFolder, tryPlaceOf } from "./folder.ts";
import { certificateProblem, memoryProblem, secretProblem, threadsProblem, tryListening } from "./machine.ts";
import { problemIn, tryDatabase, tryMail, tryReceiver } from "./network.ts";

/** One thing that a server needs, tried. Repeats no secret, and no path: who reads it on the page need not know the machine. */
export interface Finding {
  readonly what: string;
  /** What is wrong and what to do; null where it is as it should be. */
  readonly problem: string | null;
  /** A server starts all the same. */
  readonly isAdvice?: true;
}

interface Subject {
  readonly folder: string;
  readonly configuration: Configuration;
  /** What the settings name, read; undefined where some of it cannot be read. */
  readonly named: Named | undefined;
  /** Whether a server starts with what is made. */
  readonly isStarting: boolean;
}

interface Trial extends Pick<Finding, "isAdvice"> {
  readonly what: string;
  readonly ask: () => Promise<string | null> | string | null;
}

type Trials = (subject: Subject) => readonly Trial[];

/** The longest that one thing is waited for, in seconds. */
const MAX_SECONDS = 15;

/** What is tried on this machine; a server tries it before it starts. */
const here: Readonly<Record<string, Trials>> = {
  folders: ({ folder, isStarting, configuration: { uploads, measuring } }) =>
    [
      ["the data folder", folder] as const,
      ["DOSIMETER_FILES", uploads] as const,
      ["DOSIMETER_SPILL", measuring?.spill] as const,
    ].flatMap(([what, path]) =>
      path === undefined
        ? []
        : [
            { what, ask: () => tryFolder(path, { mayMake: true, isKept: isStarting }) },
            { what: `the disk of ${what}`, ask: () => roomProblem(path), isAdvice: true as const },
          ],
    ),
  sinks: ({ configuration: { auditStream, witness } }) =>
    [
      ["the folder of DOSIMETER_AUDIT_STREAM", auditStream] as const,
      ["the folder of DOSIMETER_WITNESS", witness] as const,
    ].flatMap(([what, address]) => (isFile(address) ? [{ what, ask: () => tryPlaceOf(fileURLToPath(address)) }] : [])),
  ship: ({ folder, configuration: { ship, uploads } }) =>
    ship === undefined || isAddress(ship.place)
      ? []
      : [
          { what: "the folder of DOSIMETER_SHIP", ask: () => tryFolder(ship.place, { mayMake: false }) },
          {
            what: "where DOSIMETER_SHIP is",
            ask: () =>
              [folder, uploads ?? folder].some((own) => areNested(ship.place, own))
                ? "lies in the data folder or DOSIMETER_FILES, or holds them: name a folder of another disk"
                : null,
          },
          { what: "whose disk DOSIMETER_SHIP is on", ask: () => sameDiskProblem(ship.place, folder), isAdvice: true },
          { what: "the disk of DOSIMETER_SHIP", ask: () => shipRoomProblem(ship.place), isAdvice: true },
        ],
  listening: ({ folder, configuration: { host = "127.0.0.1", port = 0, postgresWire } }) => [
    { what: `${host}${port === 0 ? "" : `, port ${port}`}`, ask: () => tryListening(folder, { host, port }) },
    ...(postgresWire === undefined
      ? []
      : [
          {
            what: `DOSIMETER_POSTGRES_WIRE, port ${postgresWire.port}`,
            ask: () => tryListening(folder, { host, port: postgresWire.port }),
          },
        ]),
  ],
  certificate: ({ configuration: { postgresWire, publicUrl } }) =>
    postgresWire === undefined
      ? []
      : [
          {
            what: "the certificate of DOSIMETER_POSTGRES_WIRE_CERTIFICATE",
            ask: () => certificateProblem(postgresWire.certificate, publicUrl),
            isAdvice: true,
          },
        ],
  secrets: ({ configuration: { secretFiles = {} } }) =>
    Object.entries(secretFiles).map(([name, path]) => ({
      what: `the file of ${name}`,
      ask: () => secretProblem(path),
      isAdvice: true,
    })),
  machine: ({ configuration }) => [
    { what: "what the server may take of the memory", ask: () => memoryProblem(configuration), isAdvice: true },
    { what: "DOSIMETER_THREADS", ask: () => threadsProblem(configuration), isAdvice: true },
  ],
  address: ({ configuration: { publicUrl, host = "127.0.0.1" } }) => [
    {
      what: "DOSIMETER_PUBLIC_URL",
      ask: () => addressProblem(publicUrl, host),
      isAdvice: true,
    },
  ],
};

/** What is tried on the network: nothing is written there, and nothing sent. */
const network: Readonly<Record<string, Trials>> = {
  database: ({ configuration: { database } }) =>
    database === undefined ? [] : [{ what: "the database of DATABASE_URL", ask: () => tryDatabase(database) }],
  mail: ({ configuration: { mail } }) =>
    mail === undefined ? [] : [{ what: "the mail server", ask: () => tryMail(mail) }],
  providers: ({ configuration: { oidc = [] } }) =>
    oidc.map((provider) => ({
      what: `the provider ${provider.name}`,
      ask: () => problemIn(checkProvider(provider)),
    })),
  witness: ({ configuration: { witness }, named }) => {
    const place = named?.place;
    if (place === undefined || place === null || isFile(witness)) return [];
    return [{ what: "the witness", ask: () => problemIn(place.read(), "does not answer") }];
  },
  ship: ({ configuration: { ship, shipSecret } }) =>
    ship === undefined || !isAddress(ship.place)
      ? []
      : [{ what: "the address of DOSIMETER_SHIP", ask: () => problemIn(tryAddress(ship.place, shipSecret)) }],
  otlp: ({ configuration: { otlp } }) =>
    otlp === undefined
      ? []
      : [
          {
            what: "the receiver of DOSIMETER_OTLP",
            ask: () => tryReceiver(new URL(`${otlp.replace(/\/$/, "")}/v1/traces`)),
          },
        ],
  auditStream: ({ configuration: { auditStream } }) =>
    auditStream === undefined || isFile(auditStream)
      ? []
      : [{ what: "the receiver of the audit lines", ask: () => tryReceiver(new URL(auditStream)) }],
};

const isFile = (address: string | undefined): address is string => address?.startsWith("file:") === true;

function addressProblem(publicUrl: string | undefined, host: string): string | null {
  const isOpen = !isThisMachine(host);
  if (publicUrl === undefined)
    return isOpen ? "is not set: links in mail and sign-ins by providers need the address that browsers see" : null;
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === "http:" && hostname !== "localhost"
    ? "is http: passwords cross the network unencrypted. End TLS at a proxy and name its https address"
    : null;
}

export interface Diagnosis extends Pick<Checked, "set"> {
  /** Every fault of the settings as they are written. */
  readonly problems: readonly string[];
  readonly findings: readonly Finding[];
  readonly elsewhere: readonly Elsewhere[];
}

/** Reads every setting and tries what it names, all at once; on the network too where asked. Leaves nothing behind. */
export async function diagnose(
  folder: string,
  origins: Origins,
  { isConnecting }: { readonly isConnecting: boolean },
): Promise<Diagnosis> {
  const { configuration, set, problems } = checkSettings(origins);
  const found = await diagnoseConfiguration(folder, configuration, { isConnecting, env: origins.env });
  return { ...found, set, problems: [...problems, ...found.problems] };
}

/** The same of settings that were read before. */
export async function diagnoseConfiguration(
  folder: string,
  configuration: Configuration,
  { isConnecting, env }: { readonly isConnecting: boolean; readonly env: NodeJS.ProcessEnv },
): Promise<Omit<Diagnosis, "set">> {
  const { named, problems } = await checkOptions(configuration, env);
  const subject: Subject = { folder, configuration, named, isStarting: false };
  const [inside, outside, databases] = await Promise.all([
    tried(subject, here),
    isConnecting ? tried(subject, network) : [],
    isConnecting ? connections(subject) : [],
  ]);
  return { problems, findings: [...inside, ...outside, ...databases], elsewhere: elsewhere(configuration) };
}

/** Refuses a start that cannot work, with all reasons at once. NOT_READY. */
export async function refuseFaults(folder: string, configuration: Configuration): Promise<void> {
  const subject: Subject = { folder, configuration, named: undefined, isStarting: true };
  const findings = await tried(subject, here, ({ isAdvice }) => isAdvice !== true);
  const faults = findings.filter(({ problem }) => problem !== null);
  if (faults.length === 0) return;
  throw new PrivacyError("NOT_READY", {}, faults.map(sentenceOf).join("; "));
}

export const sentenceOf = ({ what, problem }: Finding): string => (problem === null ? what : `${what}: ${problem}`);

function tried(
  subject: Subject,
  table: Readonly<Record<string, Trials>>,
  isAsked: (trial: Trial) => boolean = () => true,
): Promise<readonly Finding[]> {
  const trials = Object.values(table).flatMap((row) => row(subject).filter(isAsked));
  return Promise.all(
    trials.map(async ({ ask, ...trial }) => ({
      ...trial,
      problem: await within(1000 * MAX_SECONDS, problemOf(ask), () => `does not answer within ${MAX_SECONDS} seconds`),
    })),
  );
}

async function problemOf(ask: Trial["ask"]): Promise<string | null> {
  try {
    return await ask();
  } catch (error) {
    return error instanceof PrivacyError
      ? error.message
      : `cannot be tried (${(error as NodeJS.ErrnoException).code ?? "OTHER"})`;
  }
}

async function connections({ named }: Subject): Promise<readonly Finding[]> {
  const found = named === undefined ? {} : await probeConnections(named.connections);
  return Object.entries(found).map(([name, problem]) => ({ what: `the connection ${name}`, problem }));
}
