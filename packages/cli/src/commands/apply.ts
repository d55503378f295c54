import { basename, dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Client } from "@dosimeter/client";
import { invalid, PrivacyError } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { isConnected, overFile, pathIn, signsOf, uploadFormatOf } from "@dosimeter/query/source";
import type { Command } from "commander";
import type { Declare, Step } from "../apply/scene.ts";
import { stepsTo } from "../apply/steps.ts";
import { parseWanted, type WantedDataset } from "../apply/wanted.ts";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { upload } from "../derived/bring.ts";
import { type Place, readStructured } from "../flags/structured.ts";
import { say, sayJson } from "../terminal/output.ts";

interface ApplyFlags {
  readonly file: string;
  readonly dryRun?: true;
}

/** `dosimeter apply`: people, teams, datasets, ledgers and quotas as a file says; twice is once. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .requiredOption("-f, --file <file>", "YAML or JSON: people, teams, datasets with their ledgers and budgets")
    .option("--dry-run", "only print what is missing")
    .action(async ({ file, dryRun }: ApplyFlags) => {
      const wanted = parseWanted(await readStructured(file, terminal));
      const folder = dirname(resolve(terminal.cwd, file));
      const done = await withClient(context, async (client) => {
        const { steps, problems } = await stepsTo(wanted, {
          client,
          declare: declareIn({ cwd: folder, in: terminal.in }, client),
        });
        if (problems.length > 0) throw new PrivacyError("CONFLICT", { problems }, problems.join("; "));
        for (const step of steps) {
          if (!dryRun) await inTurn(step);
          if (!globals().json) say(terminal, `${dryRun ? "would " : ""}${step.says}`);
        }
        return steps.map(({ says }) => says);
      });
      if (globals().json) return sayJson(terminal, { dryRun: dryRun === true, changes: done });
      if (done.length === 0) say(terminal, "Everything in the file is there already; nothing was changed.");
    });
}

/** A file of many people may be above what one person may do in a minute: then it waits. */
async function inTurn(step: Step): Promise<void> {
  for (;;) {
    try {
      await step.run();
      return;
    } catch (error) {
      const { code, details } = error instanceof PrivacyError ? error : { code: null, details: {} };
      if (code !== "RATE_LIMITED" || typeof details.seconds !== "number") throw error;
      await setTimeout(1000 * details.seconds);
    }
  }
}

/** Declares datasets whose files are named from this folder, or from that of their declaration. */
function declareIn(place: Place, client: Client): Declare {
  return async ({ name, declaration: given }: WantedDataset) => {
    const json = typeof given === "string" ? await readStructured(given, place) : given;
    if (!isRecord(json)) invalid(`${name}.declaration`, undefined, "an object");
    const source = isRecord(json.source) ? json.source : {};
    if (isConnected(source)) {
      const declaration = { ...json, name };
      checkDeclaration(declaration);
      return (population) => client.createDataset({ declaration, ...among(population) });
    }
    const base = typeof given === "string" ? dirname(resolve(place.cwd, given)) : place.cwd;
    const path = resolve(
      base,
      String(pathIn(source) ?? invalid(`${name}.declaration.source`, undefined, "a file or a table")),
    );
    const declaration = { ...json, name, source: overFile(source, uploadFormatOf(path), basename(path)) };
    checkDeclaration(declaration);
    return async (population) => {
      const { id: file } = await upload(client, path, signsOf(json));
      return client.createDataset({ file, declaration, ...among(population) });
    };
  };
}

const among = (population: string | undefined) => (population === undefined ? {} : { population });
