import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Client, createClient } from "@dosimeter/client";
import { createLog, demoState, type ServeOptions, seedDemo, serve } from "@dosimeter/server";
import { type Browser, chromium, type Request as PageRequest } from "playwright-core";
import { inSharedProcess } from "../packages/server/src/measuring/shared.kit.ts";
import { boundSteps } from "./picture.kit.ts";

/** The system's Chromium: `CHROMIUM_PATH`, or the first on PATH. Never downloaded. */
export function findChromium(): string | null {
  const given = process.env.CHROMIUM_PATH;
  if (given) return existsSync(given) ? given : null;
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((file) => existsSync(file)) ?? null;
}

export async function launch(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error("no Chromium");
  const browser = await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  boundSteps(browser);
  if (SLOWEST > 0) slowDown(browser);
  return browser;
}

/** The milliseconds up to which files and answers come late, each by its own, so that a test which does not wait fails. */
const SLOWEST = Number(process.env.TEST_SLOW_PAGES ?? 0);

const asked = new Map<string, number>();

/** By TEST_SEED, the address without its ids, and how often it was asked for: with the same seed all are as late again. */
function delayOf(request: PageRequest): number {
  const address = `${request.method()} ${new URL(request.url()).pathname.replaceAll(/[a-z]+_\w+/g, "")}`;
  const times = (asked.get(address) ?? 0) + 1;
  asked.set(address, times);
  const word = createHash("sha256").update(`${process.env.TEST_SEED} ${address} ${times}`).digest().readUInt32BE();
  return (word / 2 ** 32) * SLOWEST;
}

function slowDown(browser: Browser): void {
  browser.on("context", (context) => {
    void context.route("**/*", async (route) => {
      await setTimeout(delayOf(route.request()));
      // The page may have gone.
      await route.continue().catch(() => undefined);
    });
  });
}

/** A server in a data folder of its own, until it is closed. */
async function openServer(options: Omit<Parameters<typeof serve>[0], "folder"> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "dosimeter-"));
  const open = (port: number) =>
    serve({
      folder,
      log: createLog("silent"),
      port,
      startMeasuring: inSharedProcess,
      // Pages may be built outside their source folder.
      ...(process.env.TEST_WEB_ROOT === undefined ? {} : { webRoot: process.env.TEST_WEB_ROOT }),
      ...(process.env.DOSIMETER_WEB_ROOT === undefined ? {} : { webRoot: process.env.DOSIMETER_WEB_ROOT }),
      ...options,
    });
  let serving: Awaited<ReturnType<typeof open>> | null = await open(0);
  const { url, instance, postgresWire } = serving;
  const code = (await instance.firstAdminCode()) ?? "";
  const asked = (request: Request) => (serving?.instance ?? instance).fetch(request);
  const operator = createClient({ url, fetch: asked, token: instance.operatorToken });
  const here = (link: string) => {
    const { pathname, hash } = new URL(link);
    return new URL(pathname + hash, url).href;
  };
  /** As when its machine loses power for a while: the folder stays. */
  const stop = async () => {
    await serving?.close();
    serving = null;
  };
  const start = async () => {
    serving = await open(Number(new URL(url).port));
  };
  const close = async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { url, postgresWire, code, token: instance.operatorToken, operator, here, stop, start, close };
}

/** A demo: its address, and a fresh sign-in link for the person whose name begins with a text. */
export async function openDemo(options: Pick<ServeOptions, "postgresWire"> = {}): Promise<{
  readonly url: string;
  readonly postgresWire: number | null;
  readonly operator: Client;
  link(name: string): Promise<string>;
  /** The server alone ends, and begins again at the same address. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}> {
  const { url, postgresWire, operator, here, stop, start, close } = await openServer({
    ...options,
    prepare: async (instance) => {
      const { operatorToken, createDemoPerson } = instance;
      const door = { url: "http://localhost", fetch: instance.fetch };
      if ((await demoState({ door, operatorToken })) === "empty")
        await seedDemo({ door, operatorToken, createDemoPerson });
    },
  });
  return {
    url,
    postgresWire,
    operator,
    stop,
    start,
    close,
    async link(name) {
      const { items } = await operator.createDemoLinks();
      const found = items.find((item) => item.name.startsWith(name));
      if (found === undefined)
        throw new Error(`no demo person ${name} among ${items.map((item) => item.name).join(", ")}`);
      return here(found.url);
    },
  };
}

/** A server as `dosimeter serve` opens it on an empty folder, and the code that it printed. */
export async function openFresh(): Promise<{ readonly url: string; readonly code: string; close(): Promise<void> }> {
  const { url, code, close } = await openServer();
  return { url, code, close };
}

/** A platform with one admin and no other people, as after installation: tests do everything else on its pages. */
export async function openPlatform(
  admin: string,
  options: Omit<ServeOptions, "folder"> = {},
): Promise<{
  readonly url: string;
  /** The operator's token. */
  readonly token: string;
  readonly operator: Client;
  link(name: string): Promise<string>;
  /** A sign-in link of the person. */
  linkOf(person: string): Promise<string>;
  close(): Promise<void>;
}> {
  const { url, token, operator, here, close } = await openServer(options);
  const { id: person } = await operator.createPerson({ name: admin });
  await operator.grantRole({ person, role: "platformAdmin", object: { kind: "platform" } });
  const linkOf = async (who: string) => here((await operator.createSignInLink({ person: who })).url);
  return { url, token, operator, close, link: () => linkOf(person), linkOf };
}
