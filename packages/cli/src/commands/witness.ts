import { resolve } from "node:path";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { portNumber } from "../flags/values.ts";
import { say, sayJson } from "../terminal/output.ts";

interface WitnessFlags {
  readonly for: readonly string[];
  readonly folder: string;
  readonly port?: string;
  readonly host?: string;
}

/** `dosimeter witness`: keeps and signs the newest checkpoint of other servers, until Ctrl-C. */
export function define(command: Command, { terminal, globals }: Context): void {
  command
    .requiredOption("--for <name...>", "the servers that this one is the witness of: letters, digits, - and _")
    .option("--folder <path>", "keeps its key, the secrets and the checkpoints here", "witness")
    .option("--port <n>", "listen here, and on no other port (default: the first free one from 8081 on)")
    .option("--host <address>", "listen on this address (default: 127.0.0.1, which only this machine can reach)")
    .action(async (flags: WitnessFlags) => {
      const { closedOnSignal, serveWitness } = await import("@dosimeter/server");
      const folder = resolve(terminal.cwd, flags.folder);
      const serving = await serveWitness({
        folder,
        names: flags.for,
        ...(flags.port === undefined ? {} : { port: portNumber(flags.port) }),
        ...(flags.host === undefined ? {} : { host: flags.host }),
      });
      const closed = closedOnSignal(serving);
      const { url, addresses } = serving;
      if (globals().json) sayJson(terminal, { url, folder, addresses });
      else {
        say(terminal, `The witness is at ${url} and keeps what it signs in ${folder}. Stop with Ctrl-C.`);
        say(
          terminal,
          "Give each server its address as DOSIMETER_WITNESS; it holds the secret, and the host as servers reach it:",
        );
        for (const [name, address] of Object.entries(addresses)) say(terminal, `  ${name}  ${address}`);
      }
      await closed;
    });
}
