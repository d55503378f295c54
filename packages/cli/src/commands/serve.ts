import type { SignInLink } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import type { Origins } from "@dosimeter/server";
import { runningInstance } from "@dosimeter/server/running";
import type { Command } from "commander";
import { dataFolder } from "../connect.ts";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit.ts";
import { addSettings, originsOf } from "../flags/settings.ts";
import { say, sayJson } from "../terminal/output.ts";
import { paint, printable, type Terminal } from "../terminal/terminal.ts";
import { diagnose } from "./doctor.ts";

interface ServeFlags {
  readonly demo?: true;
  readonly check?: true;
  readonly config?: string;
}

/** `dosimeter serve`: the HTTP interface and the pages over a data folder, until Ctrl-C. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .option("--demo", "in an empty data folder, make the demo; print one sign-in link for each of its people")
    .option("--check", "what `dosimeter doctor --offline` prints, with the same options, and start nothing");
  addSettings(command, terminal);
  command.action(async (flags: ServeFlags) => {
    if (flags.check) return diagnose(command, context, { config: flags.config, isConnecting: false });
    const origins = originsOf(command, terminal, flags.config);
    const { closedOnSignal } = await import("@dosimeter/server");
    const folder = dataFolder(context);
    try {
      const { serving, links, firstAdmin } = await open(folder, origins, flags, context);
      const closed = closedOnSignal(serving, { byNpm: terminal.env.npm_command !== undefined });
      const { url, listens, moved, postgresWire } = serving;
      if (globals().json) sayJson(terminal, { url, listens, postgresWire, folder, links, firstAdmin });
      else announce(terminal, { url, listens, postgresWire, folder, moved, links, firstAdmin });
      await closed;
      if (!globals().json) say(terminal, "Stopped; nothing is lost.");
    } catch (error) {
      const running = isAlreadyRunning(error) ? await runningInstance(folder) : null;
      if (running === null) throw error;
      context.endWith(exitCodes.notReachable);
      if (globals().json) sayJson(terminal, { url: running.url, folder, alreadyRunning: true });
      else say(terminal, `already running at ${running.url}`);
    }
  });
}

async function open(folder: string, origins: Origins, { demo }: ServeFlags, { terminal, webRoot }: Context) {
  const { createLog, readConfiguration, serve } = await import("@dosimeter/server");
  const { logLevel = "error", ...configuration } = readConfiguration(origins.env, origins);
  const serving = await serve({
    ...configuration,
    folder,
    ...(webRoot === undefined ? {} : { webRoot }),
    log: createLog(logLevel),
    ...(demo ? { prepare: (instance) => prepareDemo(instance, terminal) } : {}),
  });
  const links = demo ? await demoLinks(serving) : null;
  const code = await serving.instance.firstAdminCode();
  const firstAdmin = code === null ? null : { url: `${serving.url}/first-admin#${code}`, code };
  return { serving, links, firstAdmin };
}

type Instance = Awaited<ReturnType<typeof import("@dosimeter/server").openInstance>>;

async function prepareDemo(instance: Instance, terminal: Terminal): Promise<void> {
  const { demoState, seedDemo } = await import("@dosimeter/server");
  const door = { url: "http://localhost", fetch: instance.fetch };
  const { operatorToken, createDemoPerson } = instance;
  const state = await demoState({ door, operatorToken });
  if (state === "foreign") terminal.err.write("This data folder is in use; no demo is added to it.\n");
  if (state === "empty" || state === "begun")
    await seedDemo({ door, operatorToken, createDemoPerson }, { clinic: true });
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
  readonly postgresWire: number | null;
  readonly folder: string;
  readonly moved: boolean;
  readonly links: readonly DemoLink[] | null;
  readonly firstAdmin: { readonly url: string; readonly code: string } | null;
}

function announce(
  terminal: Terminal,
  { url, listens, postgresWire, folder, moved, links, firstAdmin }: Announced,
): void {
  say(
    terminal,
    `${paint(terminal, "bold", "Dosimeter")} is at ${paint(terminal, "cyan", url)}${moved ? " (the usual port is taken)" : ""}`,
  );
  say(terminal, `It listens on ${listens}. The data folder is ${folder}. Stop with Ctrl-C.`);
  if (postgresWire !== null)
    say(terminal, `psql and drivers of PostgreSQL reach it on port ${postgresWire}, encrypted.`);
  if (firstAdmin !== null) {
    say(terminal, "\nThis platform has no admin yet. Create the first admin; the link works once, for a day:");
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

/** A line for each person, in a pipe; on a terminal the link stands below, where nothing breaks it. */
export function sayLinks(terminal: Terminal, links: readonly DemoLink[]): void {
  const width = Math.max(...links.map(({ name }) => name.length));
  for (const { name, description, url } of links) {
    const what = paint(terminal, "dim", printable(description));
    if (terminal.isInteractive) say(terminal, `  ${printable(name)}: ${what}\n    ${url}`);
    else say(terminal, `  ${printable(name).padEnd(width)}  ${url}  ${what}`);
  }
}

function isAlreadyRunning(error: unknown): boolean {
  return error instanceof PrivacyError && error.code === "ALREADY_RUNNING";
}
