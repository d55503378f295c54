import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@dosimeter/client";
import { createLog, type Serving, serve } from "@dosimeter/server";
import { buildFixture, type Fixture, openTestInstance } from "../../packages/server/src/instance.kit.ts";

let opened: Promise<Fixture> | undefined;

/**
 * A server with a dataset of lifetime (5, 10⁻⁶), a team with 2 of it and a member with 1 of that; opened on first use.
 */
export function platform(): Promise<Fixture> {
  opened ??= openTestInstance().then(buildFixture);
  return opened;
}

/** The same again on the same server, with no charge yet: for rows that other rows would change. */
export const freshPlatform = async (): Promise<Fixture> => buildFixture((await platform()).instance);

let served: Promise<Serving> | undefined;
const folder = () => join(tmpdir(), `sources-served-${process.pid}`);

/** Options of the command line: a server over HTTP, and its operator; opened on first use. */
export async function atServer(): Promise<string> {
  served ??= serve({ folder: folder(), log: createLog("silent"), port: 0, webRoot: null });
  const { url, instance } = await served;
  return `--url ${url} --token ${instance.operatorToken}`;
}

export async function closePlatform(): Promise<void> {
  const [fixture, serving] = [await opened, await served];
  [opened, served] = [undefined, undefined];
  await fixture?.instance.close();
  await serving?.close();
  if (serving !== undefined) rmSync(folder(), { recursive: true });
}

export const accountsOf = async (client: Client, ledger: string) => (await client.listAccounts({ ledger })).items;
