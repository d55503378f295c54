import { X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import { PrivacyError } from "@dosimeter/core";
import { refuseTaken } from "../http/listen.ts";
import type { Configuration } from "../instance/configuration.ts";
import { runningInstance } from "../instance/running.ts";
import { memoryOfConnections, memoryOfFiles } from "../measuring/memory.ts";

/** What the server's own process takes. */
const SERVER_BYTES = 512 * 1024 ** 2;
const SOON_MS = 14 * 86_400_000;

/** Whether it may listen where the settings say. A port that this folder's own server has is as it should be. */
export async function tryListening(
  folder: string,
  { host = "127.0.0.1", port = 0 }: Pick<Configuration, "host" | "port">,
): Promise<string | null> {
  if (port !== 0 && (await runningInstance(folder).catch(() => null)) !== null) return null;
  try {
    await refuseTaken(host, port);
    return null;
  } catch (error) {
    if (error instanceof PrivacyError) return "is taken: end what listens there, or name another port";
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EACCES") return "may be listened on by the superuser alone: name one from 1024 on";
    return `is not an address of this machine (${code}): name one of \`ip address\`, or 0.0.0.0 for all`;
  }
}

/** Whether what reading tables may take is there. */
export function memoryProblem({ measuring: { memoryLimit, threads } = {} }: Configuration): string | null {
  const most = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const { memory: ofFiles = 0 } = memoryOfFiles(memoryLimit, threads).process;
  const { memory: ofConnections = 0 } = memoryOfConnections(memoryLimit);
  const asked = ofFiles + ofConnections;
  if (asked + SERVER_BYTES <= most) return null;
  const want = Math.max(0, Math.floor(((most - SERVER_BYTES) * 2) / 3 / 1e6));
  return `may come to ${Math.round((asked + SERVER_BYTES) / 1e6)} MB of the ${Math.round(most / 1e6)} MB here: set DOSIMETER_MEMORY to ${want}MB or less, or give the machine more`;
}

export function threadsProblem({ measuring: { threads = 1 } = {} }: Configuration): string | null {
  const most = availableParallelism();
  return threads <= most ? null : `is ${threads}, must be at most the ${most} processors of this machine`;
}

/** Whether a certificate holds now, and for the host that browsers reach. */
export async function certificateProblem(path: string, publicUrl: string | undefined): Promise<string | null> {
  const certificate = new X509Certificate(await readFile(path));
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  if (to < Date.now()) return `ended on ${certificate.validTo}: renew it`;
  if (from > Date.now()) return `begins on ${certificate.validFrom}: set the clock, or take one that holds`;
  const host = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  if (host !== undefined && certificate.checkHost(host) === undefined)
    return `is not for ${host}: clients that check the name refuse it`;
  return to - Date.now() < SOON_MS ? `ends on ${certificate.validTo}: renew it` : null;
}

/** Whether others on this machine may read a secret's file. */
export async function secretProblem(path: string): Promise<string | null> {
  const { mode } = await stat(path);
  return (mode & 0o004) === 0 ? null : "may be read by every user of this machine: keep it for its owner (chmod 600)";
}
