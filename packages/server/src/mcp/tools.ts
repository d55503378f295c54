import { routeTables } from "@dosimeter/client/routes";
import { isStatisticName, statisticNames, statisticOf } from "@dosimeter/query/statistics";
import { z } from "zod";
import { planForAccuracy } from "./plan-for-accuracy.ts";
import { ownTool, routeTool, type Tool } from "./tool.ts";
import { buyRelease, waitForRelease } from "./wait-for-release.ts";

const { quotePlan } = routeTables.releases;
const { dataset, account, plan, people } = quotePlan.body.shape;

const statistic = z.object({
  name: z.string(),
  label: z.string(),
  help: z.string(),
  column: z.enum(["none", "numeric", "binned", "any", "key", "present"]).meta({
    description:
      "What it reads: no column, one with numeric bounds, one with bins, one of any type, one whose values are the groups, or an optional one",
  }),
  takes: z.array(z.string()).meta({ description: "Fields of a row of the plan that only some statistics take" }),
  needsUnitColumn: z.boolean().meta({ description: "Only for tables whose privacy unit is a column" }),
});

/**
 * The tools behind the listed ones, with the whole plan and the whole answer. A row names a route, or asks several; a route that does not exist does not compile.
 * None grants, raises or moves a budget, or reads a row.
 */
export const tools = {
  list_datasets: routeTool("listDatasets", {
    title: "List datasets",
    description: "The datasets I can see, with what of their ledgers is spent, promised and free. Free.",
    effect: "reads",
  }),
  describe_dataset: routeTool("showDataset", {
    title: "Describe a dataset",
    description:
      "Its columns with their bounds and categories, its privacy unit, its guarantee, and the accounts I can spend from. Says nothing about the rows. Free.",
    effect: "reads",
  }),
  list_statistics: ownTool({
    title: "List statistics",
    description: "Every statistic that a plan can ask for, and the fields it takes. Free.",
    effect: "reads",
    routes: [],
    input: z.strictObject({
      name: z.string().max(80).optional().meta({ description: "Only this one; all when absent" }),
    }),
    output: z.object({ statistics: z.array(statistic) }),
    run: async (_client, { name }) => ({
      statistics: (name === undefined ? statisticNames : [name].filter(isStatisticName)).map((each) => {
        const { label, help, column, takes, unitColumn = false } = statisticOf(each);
        return { name: each, label, help, column, takes: [...takes], needsUnitColumn: unitColumn };
      }),
    }),
  }),
  my_budget: routeTool("listMyAccounts", {
    title: "My budget",
    description:
      "The accounts I can spend from: quota, what of each is spent, promised to accounts below, and free. Free.",
    effect: "reads",
  }),
  quote_plan: routeTool("quotePlan", {
    title: "Quote a plan",
    description:
      'What a plan would cost, how far each answer would be off, what would be left, and earlier answers that are free. Reads no data, charges nothing. Quote before you release. Rows state their price, or share a total, `epsilon`, evenly: `plan` of the answer has the split. A plan: {"statistics": [{"statistic": "mean", "column": "income", "where": "sex = \'female\'", "groupBy": ["education"], "epsilon": "0.1"}]}',
    effect: "reads",
  }),
  plan_for_accuracy: ownTool({
    title: "Plan for an accuracy",
    description:
      "The least price (to two in a hundred) at which each answer is within the error you state, with the quote of that plan. Charges nothing.",
    effect: "reads",
    routes: ["quotePlan"],
    input: z.strictObject({
      dataset,
      account,
      plan,
      people,
      within: z.union([z.number().gt(0), z.record(z.string(), z.number().gt(0))]).meta({
        description:
          "How far off an answer may be, as halfWidth of a quote says it: one number for all rows, or one for each row by its id; other rows keep their price",
      }),
    }),
    output: z.object({ plan, quote: quotePlan.response }),
    run: planForAccuracy,
  }),
  sql_quote: routeTool("quoteSql", {
    title: "Quote SQL",
    description:
      "The plan that one SELECT asks for, and its quote. Give its dataset and plan to release. Reads no data, charges nothing.",
    effect: "reads",
  }),
  earlier_answers: routeTool("listReleased", {
    title: "Earlier answers",
    description:
      "Statistics of a dataset that were released before and that I may be given again for free: ask the same row with reuse: asAccurate. Those of kind outside are of other programs: cite them.",
    effect: "reads",
  }),
  release_plan: routeTool("createRelease", {
    title: "Release a plan",
    description:
      "Charges the plan to the account, for ever, and gives its noisy answers. The same key is charged once, however often it is sent. Quote first, and say in `purpose` what it is for: a person reads it. Above an amount it waits for that person's click.",
    effect: "spends",
    also: ["showRelease"],
    run: (client, { wait, ...asked }, signal) =>
      buyRelease(client, { ...asked, ...(wait === undefined ? {} : { wait: Number(wait) }) }, signal),
  }),
  charge_quote: routeTool("quoteCharge", {
    title: "Quote a program outside",
    description:
      "What a run of another tool (OpenDP, DP-SGD) would cost an account, by the events that bound its loss, whether it fits, and whether its key was charged before. Charges nothing.",
    effect: "reads",
  }),
  charge: routeTool("declareCharge", {
    title: "Charge a program outside",
    description:
      "Charges the account for a run of another tool, for ever, before it runs, once by its key, and gives its permit. Refused unless an admin gave the account the right, and agents too.",
    effect: "spends",
  }),
  get_release: routeTool("showRelease", {
    title: "Get a release",
    description:
      "One release that I can read: its stage, cost, and answers when they are there. Charges no account; reading one that is not mine may count against my cap.",
    effect: "reads",
    without: ["wait"],
  }),
  wait_release: routeTool("showRelease", {
    title: "Wait for a release",
    description:
      "As get_release, once its answers are there, or after `wait` seconds. Also takes the `confirmation` of a release that waits for a click of a person. Charges and counts as get_release.",
    effect: "reads",
    also: ["showConfirmation"],
    run: (client, { release, wait }, signal) =>
      waitForRelease(client, { release, ...(wait === undefined ? {} : { wait: Number(wait) }) }, signal),
  }),
  request_budget: routeTool("createRequest", {
    title: "Request budget",
    description:
      "Asks the people who give out this budget for access or for more quota, with a note and a plan. They decide: what an AI agent asks always waits for them.",
    effect: "asksAPerson",
  }),
} as const satisfies Record<string, Tool>;

export type ToolName = keyof typeof tools;
