import { resolve } from "node:path";
import type { SignInLink } from "@dosimeter/client";
import { invalid, PrivacyError } from "@dosimeter/core";
import { runningInstance } from "@dosimeter/server/running";
import type { Command } from "commander";
import { dataFolder } from "../connect.ts";
import type { Context } from "../context.ts";
import { portNumber } from "../flags/port.ts";
import { say, sayJson } from "../terminal/output.ts";
import { paint, printable, type Terminal } from "../terminal/terminal.ts";

interface ServeFlags {
  readonly demo?: true;
  readonly port?: string;
  readonly host?: string;
  readonly publicUrl?: string;
  readonly selfApproval?: string;
  readonly folder?: readonly string[];
  readonly metrics?: true;
  readonly log?: string;
}

/** `dosimeter serve`: the HTTP interface and the pages over a data folder, until Ctrl-C. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .option("--demo", "in an empty data folder, make the demo; print one sign-in link for each of its people")
    .option(
      "--port <n>",
      "listen here, and on no other port; 0 is any free one (default: $PORT, or the first free one from 8080 on)",
    )
    .option("--host <address>", "listen on this address (default: 127.0.0.1, which only this machine can reach)")
    .option("--public-url <url>", "where browsers reach it, behind a reverse proxy (default: $DOSIMETER_PUBLIC_URL)")
    .option(
      "--folder <path>",
      "tables in this folder can be declared by platform admins; may come several times (default: $DOSIMETER_FOLDERS, apart by colons)",
      collect,
    )
    .option("--self-approval <policy>", "who asked for quota may not decide: refuse (default); or may, marked: flag")
    .option("--metrics", "answer /metrics for Prometheus (default: $DOSIMETER_METRICS); keep it behind the proxy")
    .option("--log <level>", "silent, error or info, as JSON lines on standard error (default: error)")
    .action(async (flags: ServeFlags) => {
      const { closedOnSignal } = await import("@dosimeter/server");
      const folder = dataFolder(context);
      try {
        const { serving, links, firstAdmin } = await open(folder, flags, context);
        const { url, listens, moved } = serving;
        if (globals().json) sayJson(terminal, { url, listens, folder, links, firstAdmin });
        else announce(terminal, { url, listens, folder, moved, links, firstAdmin });
        await closedOnSignal(serving, { byNpm: terminal.env.npm_command !== undefined });
        if (!globals().json) say(terminal, "Stopped; nothing is lost.");
      } catch (error) {
        const running = isAlreadyRunning(error) ? await runningInstance(folder) : null;
        if (running === null) throw error;
        if (globals().json) sayJson(terminal, { url: running.url, folder, alreadyRunning: true });
        else say(terminal, `already running at ${running.url}`);
      }
    });
}

async function open(folder: string, flags: ServeFlags, { terminal, webRoot }: Context) {
  const { createLog, readConfiguration, serve } = await import("@dosimeter/server");
  const { logLevel: level = "error", ...configuration } = readConfiguration(terminal.env);
  const serving = await serve({
    ...configuration,
    folder,
    ...(webRoot === undefined ? {} : { webRoot }),
    log: createLog(flags.log === undefined ? level : logLevel(flags.log)),
    ...(flags.port === undefined ? {} : { port: portNumber(flags.port) }),
    ...(flags.host === undefined ? {} : { host: flags.host }),
    ...(flags.publicUrl === undefined ? {} : { publicUrl: flags.publicUrl }),
    ...(flags.folder === undefined ? {} : { folders: flags.folder.map((path) => resolve(terminal.cwd, path)) }),
    ...(flags.metrics === undefined ? {} : { metrics: flags.metrics }),
    ...(flags.selfApproval === undefined ? {} : { selfApproval: selfApproval(flags.selfApproval) }),
    ...(flags.demo ? { prepare: (instance) => prepareDemo(instance, terminal) } : {}),
  });
  const links = flags.demo ? await demoLinks(serving) : null;
  const code = await serving.instance.firstAdminCode();
  const firstAdmin = code === null ? null : { url: `${serving.url}/first-admin#${code}`, code };
  return { serving, links, firstAdmin };
}

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

function selfApproval(policy: string): "refuse" | "flag" {
  if (policy === "refuse" || policy === "flag") return policy;
  invalid("--self-approval", policy, "refuse or flag");
}

type Instance = Awaited<ReturnType<typeof import("@dosimeter/server").openInstance>>;

async function prepareDemo(instance: Instance, terminal: Terminal): Promise<void> {
  const { demoState, seedDemo } = await import("@dosimeter/server");
  const door = { url: "http://localhost", fetch: instance.fetch };
  const { operatorToken, createDemoPerson } = instance;
  const state = await demoState({ door, operatorToken });
  if (state === "foreign") terminal.err.write("This data folder is in use; no demo is added to it.\n");
  if (state === "empty" || state === "begun") await seedDemo({ door, operatorToken, createDemoPerson });
}

/** One link per demo person; null as soon as a real person exists, when demo people may not sign in. */
async function demoLinks({
  url,
  instance,
}: {
  readonly url: string;
  readonly instance: Instance;
}): Promise<readonly DemoLink[] | null> {
  if (!(await instance.demoIsOn())) return null;
  const { createClient } = await import("@dosimeter/client");
  const client = createClient({ url, fetch: instance.fetch, token: instance.operatorToken });
  return byName((await client.createDemoLinks()).items);
}

export type DemoLink = SignInLink & { readonly description: string };

/** Sorted, because people made in the same millisecond have no order. */
export function byName<T extends { readonly name: string }>(people: readonly T[]): readonly T[] {
  return people.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

interface Announced {
  readonly url: string;
  readonly listens: string;
  readonly folder: string;
  readonly moved: boolean;
  readonly links: readonly DemoLink[] | null;
  readonly firstAdmin: { readonly url: string; readonly code: string } | null;
}

function announce(terminal: Terminal, { url, listens, folder, moved, links, firstAdmin }: Announced): void {
  say(
    terminal,
    `${paint(terminal, "bold", "Dosimeter")} is at ${paint(terminal, "cyan", url)}${moved ? " (the usual port is taken)" : ""}`,
  );
  say(terminal, `It listens on ${listens}. The data folder is ${folder}. Stop with Ctrl-C.`);
  if (firstAdmin !== null) {
    say(terminal, "\nNobody administers this platform yet. Create the first admin; the link works once:");
    say(terminal, `  ${paint(terminal, "cyan", firstAdmin.url)}`);
    say(terminal, `or open ${url} and type the code ${paint(terminal, "bold", firstAdmin.code)}`);
  }
  if (links !== null) {
    say(
      terminal,
      "\nSign in as one of the people of the demo; each link works once, `dosimeter demo links` prints new ones:",
    );
    sayLinks(terminal, links);
  }
}

export function sayLinks(terminal: Terminal, links: readonly DemoLink[]): void {
  const width = Math.max(...links.map(({ name }) => name.length));
  for (const { name, description, url } of links) {
    say(terminal, `  ${printable(name).padEnd(width)}  ${url}  ${paint(terminal, "dim", printable(description))}`);
  }
}

function isAlreadyRunning(error: unknown): boolean {
  return error instanceof PrivacyError && error.code === "ALREADY_RUNNING";
}

function logLevel(text: string): "silent" | "error" | "info" {
  if (text === "silent" || text === "error" || text === "info") return text;
  invalid("--log", text, "silent, error or info");
}
