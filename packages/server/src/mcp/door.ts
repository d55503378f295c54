import type { Client } from "@dosimeter/client";
import { invalid, PrivacyError } from "@dosimeter/core";
import { choiceOf, type Fields, isRecord, present } from "@dosimeter/core/internal";
import { isStatisticName, saidOf, statisticNames, statisticOf } from "@dosimeter/query/statistics";
import { checked } from "../http/input.ts";
import { type Arguments, schemas } from "./arguments.ts";
import { budget, quote, release } from "./ask.ts";
import { accountLine, columnLine, datasetLine, datasetOf, releaseLines } from "./found.ts";
import { furtherTools } from "./listing.ts";
import { type Paged, paged } from "./paged.ts";
import { type JsonSchema, numbersAsTaken } from "./schema.ts";
import { ownTool, type Tool } from "./tool.ts";
import { type ToolName, tools } from "./tools.ts";
import { waitForRelease } from "./wait-for-release.ts";

/** Where to look: the first field that is given decides. */
async function find(client: Client, given: Arguments<"find">, signal: AbortSignal): Promise<object> {
  const { tool, release, wait, statistic, dataset, page = 1 } = given;
  if (tool !== undefined) return behind(client, { ...given, tool }, signal);
  if (release !== undefined)
    return releaseLines(await waitForRelease(client, { release, ...present({ wait }) }, signal), { page });
  if (statistic !== undefined) return statistics(statistic, given);
  if (dataset !== undefined) return described(client, { ...given, dataset }, signal);
  const { items } = await client.listDatasets({ limit: 200 }, { signal });
  const more = page === 1 ? { more: "find with dataset, statistic, release or tool" } : {};
  return { datasets: kept(items.map(datasetLine), given), ...more };
}

function kept(lines: readonly object[], { text, page }: Pick<Arguments<"find">, "text" | "page">): Paged<object> {
  const sought = text?.toLowerCase();
  return paged(
    sought === undefined ? lines : lines.filter((line) => JSON.stringify(line).toLowerCase().includes(sought)),
    page,
  );
}

async function described(client: Client, given: Arguments<"find"> & { readonly dataset: string }, signal: AbortSignal) {
  const found = await datasetOf(client, given.dataset);
  const { columns } = found.declaration;
  const { items } = await client.listReleased({ dataset: found.id, limit: 20 }, { signal });
  const lines = Object.entries(isRecord(columns) ? columns : {}).map(([name, declared]) => columnLine(name, declared));
  return {
    ...datasetLine(found),
    accounts: found.accounts.map(accountLine),
    columns: kept(lines, given),
    answeredBefore: kept(
      items.map((item) =>
        item.kind === "released"
          ? { label: item.label, release: item.release, at: item.at }
          : { madeOutside: item.label, charge: item.charge, at: item.at },
      ),
      { ...given, page: undefined },
    ).items.slice(0, 10),
  };
}

function statistics(name: string, given: Arguments<"find">): object {
  const names = name === "all" ? statisticNames : [name].filter(isStatisticName);
  if (names.length === 0) invalid("statistic", name, `all, or ${choiceOf(name, statisticNames, saidOf)}`);
  const lines = names.map((each) => {
    const { label, help, column, takes } = statisticOf(each);
    return name === "all" ? { name: each, label } : { name: each, label, help, column, takes: [...takes] };
  });
  return kept(lines, given);
}

/** Runs a tool that is not listed and only reads; without arguments, says what it is. */
async function behind(client: Client, given: Arguments<"find"> & { readonly tool: string }, signal: AbortSignal) {
  const found = furtherTools.find(({ name }) => name === given.tool);
  if (found === undefined) return invalid("tool", given.tool, choiceOf(given.tool, Object.keys(tools)));
  const { description, inputSchema } = found;
  if (given.arguments === undefined)
    return { tool: given.tool, description, schema: `dosimeter://tools/${given.tool}` };
  const { input, run, effect }: Tool = tools[given.tool as ToolName];
  if (effect !== "reads") throw new PrivacyError("FORBIDDEN", {}, "find only reads: use release or budget");
  const taken = numbersAsTaken(given.arguments, inputSchema as JsonSchema);
  return run(client, checked(input, taken as Fields, "arguments") as Fields, signal);
}

/** What is listed: four verbs, whose schemas cost an agent's context little. Every other tool is behind `find`. */
export const door = {
  find: ownTool({
    title: "Find",
    description:
      "Datasets I can see; with `dataset` its columns, my accounts and what was answered before; `statistic` (or all): how it is asked; `release`: its answers; `tool`: any other tool, listed at dosimeter://tools. `text` keeps what holds it. Charges no account; a release that is not mine may count against my cap.",
    effect: "reads",
    routes: ["listDatasets", "showDataset", "listReleased", "showRelease", "showConfirmation"],
    input: schemas.find,
    run: find,
  }),
  quote: ownTool({
    title: "Quote",
    description:
      "What a question costs and how far each answer will be off: reads no data, charges nothing. Quote before you release.",
    effect: "reads",
    routes: ["quoteSql", "quotePlan", "listMyAccounts", "listDatasets"],
    input: schemas.quote,
    run: quote,
  }),
  release: ownTool({
    title: "Release",
    description:
      "Charges the price to the account, for ever, and gives the noisy answers. The same key is charged once, however often it is sent. Above an amount it waits for a person's click.",
    effect: "spends",
    routes: ["releaseSql", "createRelease", "showRelease", "listMyAccounts", "listDatasets"],
    input: schemas.release,
    run: release,
  }),
  budget: ownTool({
    title: "Budget",
    description:
      "What I have spent, what is promised to budgets below, and what is free. With `epsilon` and `note`: asks the people who give it out for more; they decide.",
    effect: "asksAPerson",
    routes: ["listMyAccounts", "createRequest", "listDatasets"],
    input: schemas.budget,
    run: budget,
  }),
} as const satisfies Record<string, Tool>;
