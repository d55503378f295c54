import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Client, createClient } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import { isThisMachine } from "@dosimeter/core/internal";
import type { Door } from "@dosimeter/server";
import { findOperatorFile, runningInstance } from "@dosimeter/server/running";
import type { Context } from "./context.ts";
import { Unreachable } from "./exit.ts";

/** Where a data folder says that it is, while no server runs on it: links to there lead nowhere yet. */
export const NOWHERE = "http://localhost";

/** The data folder that the options and the environment name. */
export function dataFolder({ terminal, globals }: Context): string {
  return resolve(terminal.cwd, globals().data ?? terminal.env.DOSIMETER_DATA ?? ".dosimeter");
}

/**
 * Runs `use` with a client: of the server that `--url` names, of the one that runs on the data folder, or of the data
 * folder itself, opened in this process. It is the same HTTP interface each time, with the same authority.
 */
export async function withClient<T>(context: Context, use: (client: Client, door: Door) => Promise<T>): Promise<T> {
  const { terminal, globals } = context;
  const folder = dataFolder(context);
  const given = await givenToken(context);
  // Such as of `export DOSIMETER_TOKEN=$(…)` whose command failed: a shell goes on after it.
  if (given === "")
    invalid("token", given, "a token; unset DOSIMETER_TOKEN to ask as the operator of this data folder");
  const enter = (door: Door, token: string | undefined) =>
    use(createClient({ ...door, ...(token === undefined ? {} : { token }) }), door);
  const url = globals().url ?? terminal.env.DOSIMETER_URL;
  if (url !== undefined) return enter(remote(url), given ?? (await tokenFor(url, context)));
  const running = await runningInstance(folder);
  if (running !== null) return enter(remote(running.url), given ?? (await tokenFor(running.url, context)));
  const { openInstance, readConfiguration } = await import("@dosimeter/server");
  const instance = await openInstance({ ...readConfiguration(terminal.env, { cwd: terminal.cwd }), folder });
  try {
    return await enter({ url: NOWHERE, fetch: instance.fetch }, given ?? instance.operatorToken);
  } finally {
    await instance.close();
  }
}

/** The operator's token, only for a server of this machine: a folder from elsewhere may name any address and any file. */
const tokenFor = (url: string, context: Context): Promise<string | undefined> | undefined =>
  URL.canParse(url) && isThisMachine(new URL(url).hostname) ? operatorToken(context) : undefined;

/** The token that the options or the environment name. */
export const givenToken = async ({ terminal, globals }: Context): Promise<string | undefined> =>
  globals().token ?? (await tokenIn(terminal));

/** The token that the environment names. */
async function tokenIn({ env, cwd }: Context["terminal"]): Promise<string | undefined> {
  const { DOSIMETER_TOKEN: token, DOSIMETER_TOKEN_FILE: path } = env;
  if (!path) return token;
  if (token) invalid("DOSIMETER_TOKEN", undefined, "not set next to DOSIMETER_TOKEN_FILE");
  return (await readFile(resolve(cwd, path), "utf8")).trim();
}

function remote(url: string): Door {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return { url, fetch: reach };
  invalid("url", url, "http://… or https://…");
}

/**
 * `fetch`, with one clear sentence where no server answers. Each request has a connection of its own: a server ends one that was idle for
 * five seconds, and a command that a busy machine held up for longer would send its next request into that one.
 */
async function reach(request: Request): Promise<Response> {
  request.headers.set("connection", "close");
  try {
    return await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw new Unreachable(new URL(request.url).origin);
  }
}

/** Where the operator's token is: a server that runs says it. INVALID_PARAMETER for a file of another installation. */
export async function operatorPath(context: Context): Promise<string> {
  const running = await runningInstance(dataFolder(context));
  const uploads = await uploadsOf(context.terminal);
  return findOperatorFile({ folder: dataFolder(context), uploads, said: running?.operator ?? null });
}

/** The folder of uploads that the settings name, in the environment or in the file of DOSIMETER_CONFIG. */
async function uploadsOf({ cwd, env }: Context["terminal"]): Promise<string | undefined> {
  if (env.DOSIMETER_FILES) return resolve(cwd, env.DOSIMETER_FILES);
  if (!env.DOSIMETER_CONFIG) return undefined;
  const { checkSettings } = await import("@dosimeter/server");
  return checkSettings({ env, cwd }).configuration.uploads; // what else is wrong there is no matter here
}

/** The token of the installation's operator; only the owner of the file can read it. */
export async function operatorToken(context: Context): Promise<string | undefined> {
  const path = await operatorPath(context);
  return readFile(path, "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
}
