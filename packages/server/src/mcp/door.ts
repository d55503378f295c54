import { schemas } from "./arguments.ts";
import { budget, quote, release } from "./ask.ts";
import { find } from "./find.ts";
import { ownTool, type Tool } from "./tool.ts";

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
