import { rm } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import type { Input, Output } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { runningInstance } from "@dosimeter/server/running";
import type { Command } from "commander";
import { dataFolder, operatorPath, operatorToken, withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { findPerson, listOf } from "../find.ts";
import { wholeNumber } from "../flags/values.ts";
import { say, sayJson } from "../terminal/output.ts";

interface CreateFlags {
  readonly person?: string;
  readonly scope?: readonly string[];
  readonly days?: string;
}

/** `dosimeter token create | rotate`; the others are derived from the routes. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("create")
    .description("a new bearer token of mine; the secret is printed this once")
    .argument("<name>", "what it is for")
    .option(
      "--person <person>",
      "a token of this person, signed in through a one-time link, or of this service or agent (platform admins)",
    )
    .option(
      "--scope <scope...>",
      "a list of read, release, manage, admin, with spaces or commas (default: read release)",
      (scope: string, before: readonly string[] = []) => [...before, ...scope.split(/[ ,]+/).filter(Boolean)],
    )
    .option("--days <n>", "days until it ends (default: 90)")
    .action(async (name: string, flags: CreateFlags) => {
      const token = await createToken(context, name, flags);
      if (globals().json) return sayJson(terminal, token);
      say(terminal, token.secret);
    });

  command
    .command("rotate")
    .description("end the operator's token of this installation, everything made with it, and write a new one")
    .action(async () => {
      await rotate(context);
      if (!globals().json) say(terminal, `The operator has a new token in ${await operatorPath(context)}.`);
    });
}

/** Ends every token of the operator, and waits for the new one of a server that runs. */
async function rotate(context: Context): Promise<void> {
  const path = await operatorPath(context);
  const before = await operatorToken(context);
  await withClient(context, async (client) => {
    const { person } = await client.me();
    if (person.kind !== "service" || person.name !== "operator")
      throw new PrivacyError(
        "FORBIDDEN",
        {},
        "this is not the operator's token: run it without --token, where the data folder is",
      );
    const live = (await listOf(client.all("listTokens"))).filter(({ endedAt }) => endedAt === null);
    // The one in use ends last.
    for (const { id } of live.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1)))
      await client.revokeToken({ token: id });
  });
  await rm(path, { force: true });
  // The next process that opens the folder writes it.
  if ((await runningInstance(dataFolder(context))) === null) return withClient(context, async () => undefined);
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const now = await operatorToken(context);
    if (now !== undefined && now !== before) return;
    await setTimeout(LOOK_EVERY_MS);
  }
  throw new PrivacyError(
    "NOT_READY",
    {},
    "the old tokens have ended, and the server has not written a new one yet; look at its log",
  );
}

const LOOK_EVERY_MS = 250;
const MAX_LOOKS = 240;

async function createToken(context: Context, name: string, flags: CreateFlags): Promise<Output<"createToken">> {
  const scopes = (flags.scope ?? ["read", "release"]) as Input<"createToken">["scopes"];
  const input = { name, scopes, ...(flags.days === undefined ? {} : { days: wholeNumber("--days", flags.days) }) };
  const { person } = flags;
  if (person === undefined) return withClient(context, (client) => client.createToken(input));
  return withClient(context, async (client, door) => {
    const { id, kind } = await findPerson(client, person);
    if (kind !== "user") return client.createServiceToken({ ...input, person: id });
    const { url } = await client.createSignInLink({ person: id });
    const { signedIn } = await import("@dosimeter/server");
    const theirs = await signedIn(door, url);
    const token = await theirs.createToken(input);
    await theirs.signOut();
    return token;
  });
}
