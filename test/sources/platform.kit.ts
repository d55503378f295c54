import type { Client } from "@dosimeter/client";
import { buildFixture, type Fixture, openTestInstance } from "../../packages/server/src/instance.kit.ts";

let opened: Promise<Fixture> | undefined;

/**
 * A server with a dataset of lifetime (5, 10⁻⁶), a team with 2 of it and a member with 1 of that; opened on first use.
 */
export function platform(): Promise<Fixture> {
  opened ??= openTestInstance().then(buildFixture);
  return opened;
}

export async function closePlatform(): Promise<void> {
  if (opened === undefined) return;
  const { instance } = await opened;
  opened = undefined;
  await instance.close();
}

export const accountsOf = async (client: Client, ledger: string) => (await client.listAccounts({ ledger })).items;
