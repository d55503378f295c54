import type { Savings } from "@dosimeter/client";
import { casesText } from "@dosimeter/core";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { findDataset, listOf } from "../find.ts";
import { wholeNumber } from "../flags/whole-number.ts";
import { say, sayFacts, sayJson, sayTable } from "../terminal/output.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface ListFlags {
  readonly statistic?: string;
  readonly column?: string;
  readonly text?: string;
  readonly version?: string;
}

/** `dosimeter reuse list | show | policy | combine`: what was paid for before and is free now. */
export function define(command: Command, context: Context): void {
  defineList(command, context);
  defineShow(command, context);
  definePolicy(command, context);
  defineCombine(command, context);
}

function defineList(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("list")
    .description("the released statistics whose answers I may be given again, newest first")
    .argument("<dataset>", "its name or id")
    .option("--statistic <name>", "only of this statistic")
    .option("--column <name>", "only of this column")
    .option("--text <words>", "only with these words")
    .option("--of-version <n>", "only of this version of the dataset")
    .action(async (name: string, { statistic, column, text, ...flags }: ListFlags & { ofVersion?: string }) => {
      const released = await withClient(context, async (client) =>
        listOf(
          client.all("listReleased", {
            dataset: (await findDataset(client, name)).id,
            ...(statistic === undefined ? {} : { statistic }),
            ...(column === undefined ? {} : { column }),
            ...(text === undefined ? {} : { text }),
            ...(flags.ofVersion === undefined ? {} : { version: wholeNumber("--of-version", flags.ofVersion) }),
          }),
        ),
      );
      if (globals().json) return sayJson(terminal, released);
      await sayTable(terminal, released, [
        { heading: "statistic", cell: ({ label }) => label },
        { heading: "gives", cell: ({ derivable }) => derivable.join("; ") },
        { heading: "version", cell: ({ version }) => String(version), right: true },
        { heading: "released", cell: ({ at }) => at.replace(/\.\d+Z$/, "Z") },
        { heading: "by", cell: ({ by }) => by },
        { heading: "from", cell: ({ release, row }) => `${release} ${row}` },
      ]);
    });
}

function defineShow(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("show")
    .description("whose answers are offered to whom, and what was saved")
    .argument("<dataset>", "its name or id")
    .action(async (name: string) => {
      const savings = await withClient(context, async (client) =>
        client.showReuse({ dataset: (await findDataset(client, name)).id }),
      );
      if (globals().json) return sayJson(terminal, savings);
      showSavings(terminal, savings);
    });
}

function definePolicy(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("policy")
    .description("decide whose answers are offered to whom, and whether a share pays for them")
    .argument("<dataset>", "its name or id")
    .argument("<visibility>", "member, team or dataset")
    .option("--own-level", "the share that is given an earlier answer pays what it cost; the ledger pays nothing")
    .action(async (name: string, visibility: string, { ownLevel }: { ownLevel?: true }) => {
      const savings = await withClient(context, async (client) =>
        client.setReusePolicy({
          dataset: (await findDataset(client, name)).id,
          visibility: visibility as Savings["policy"]["visibility"],
          price: ownLevel === true ? "ownLevel" : "free",
        }),
      );
      if (globals().json) return sayJson(terminal, savings);
      showSavings(terminal, savings);
    });
}

function defineCombine(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("combine")
    .description("the sum, difference or ratio of two released cells, for free")
    .argument("<dataset>", "its name or id")
    .argument("<operation>", "sum, difference or ratio")
    .argument("<a>", "release/row or release/row/cell")
    .argument("<b>", "release/row or release/row/cell")
    .action(async (name: string, operation: string, a: string, b: string) => {
      const result = await withClient(context, async (client) =>
        client.combineReleased({
          dataset: (await findDataset(client, name)).id,
          operation: operation as "sum",
          of: [cellOf(a), cellOf(b)],
        }),
      );
      if (globals().json) return sayJson(terminal, result);
      const [from, to] = result.interval;
      say(terminal, `${result.value}  (${from ?? "?"} … ${to ?? "?"}, ${casesText(result.confidence)}), free`);
    });
}

function cellOf(text: string): { release: string; row: string; cell?: number } {
  const [release = "", row = "", cell] = text.split("/");
  return { release, row, ...(cell === undefined ? {} : { cell: wholeNumber("cell", cell) }) };
}

const seen = {
  member: "one's own answers only",
  team: "the answers of the teams one is in",
  dataset: "the answers of everyone who spends on the dataset",
};

function showSavings(terminal: Terminal, { policy, answers, epsilon, muSquared, kinds }: Savings): void {
  sayFacts(terminal, [
    ["offered", seen[policy.visibility]],
    ["a share pays", policy.price === "free" ? "nothing" : "what the earlier answer cost"],
    ["answers reused", String(answers)],
    ["saved", `ε ${epsilon}${muSquared === "0" ? "" : `, μ² ${muSquared}`}`],
    ...Object.entries(kinds).map(([kind, count]) => [kind, String(count)] as const),
  ]);
}
