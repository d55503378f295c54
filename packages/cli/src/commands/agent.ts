import { invalid } from "@dosimeter/core";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { findPerson, listOf } from "../find.ts";
import { say, sayFacts, sayJson, sayTable } from "../terminal/output.ts";

interface LimitFlags {
  readonly hourEpsilon?: string;
  readonly confirmAbove?: string;
}

interface GiveFlags {
  readonly dataset?: string;
  readonly back?: boolean;
}

/** `dosimeter agent [list] | limit | give | remove`. What an agent waits for is confirmed in a browser, and nowhere else. */
// long: one command after another, none of them long
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("list", { isDefault: true })
    .description("the AI agents that act for me: their limits, what they spent, and what waits for my click")
    .action(async () => {
      const agents = await withClient(context, (client) => listOf(client.all("listAgents")));
      if (globals().json) return sayJson(terminal, agents);
      await sayTable(terminal, agents, [
        { heading: "name", cell: ({ name }) => name },
        { heading: "ε an hour", cell: ({ hourEpsilon }) => hourEpsilon ?? "no limit" },
        { heading: "this hour", cell: ({ spentThisHour }) => spentThisHour ?? "unknown" },
        { heading: "click above", cell: ({ confirmAbove }) => confirmAbove ?? "never" },
        {
          heading: "waiting",
          cell: ({ waiting }) => String(waiting.filter(({ status }) => status === "pending").length),
        },
        { heading: "state", cell: ({ removedAt }) => (removedAt === null ? "" : "removed") },
        { heading: "id", cell: ({ id }) => id },
      ]);
    });

  command
    .command("limit")
    .description("what an agent may spend by itself (platform admins; its person does it in a browser)")
    .argument("<agent>", "by name or id")
    .option("--hour-epsilon <epsilon>", 'the most within any hour, or "none"')
    .option("--confirm-above <epsilon>", 'a release that costs more waits for a click of its person, or "none"')
    .action(async (who: string, { hourEpsilon, confirmAbove }: LimitFlags) => {
      const set = await withClient(context, async (client) =>
        client.setAgentLimits({
          agent: (await findPerson(client, who)).id,
          ...(hourEpsilon === undefined ? {} : { hourEpsilon: amountOf(hourEpsilon) }),
          ...(confirmAbove === undefined ? {} : { confirmAbove: amountOf(confirmAbove) }),
        }),
      );
      if (globals().json) return sayJson(terminal, set);
      sayFacts(terminal, [
        ["ε an hour", set.hourEpsilon ?? "no limit"],
        ["click above", set.confirmAbove ?? "never"],
      ]);
    });

  command
    .command("give")
    .description("give an agent of mine budget of my own account, to the account that stands next to it")
    .argument("<agent>", "by name or id")
    .argument("<epsilon>", "how much")
    .option("--dataset <name>", "whose budget, where the agent has several")
    .option("--back", "take back what I gave and it did not spend")
    .action(async (who: string, epsilon: string, { dataset, back = false }: GiveFlags) => {
      const { agent, share } = await withClient(context, async (client) => {
        const mine = (await listOf(client.all("listAgents"))).filter(({ id, name }) => id === who || name === who);
        const one = onlyOne(mine, who, "an agent of mine", ({ id }) => id);
        const shares = one.shares.filter(({ datasetNames }) => dataset === undefined || datasetNames.includes(dataset));
        const { own, account } = onlyOne(
          shares,
          dataset ?? who,
          "an account next to mine: --dataset names one",
          (each) => each.datasetNames.join(),
        );
        const [from, to] = back ? [account, own] : [own, account];
        const moved = await client.moveShare({ agent: one.id, from, to, epsilon });
        return { agent: moved, share: moved.shares.find((each) => each.account === account) };
      });
      if (globals().json) return sayJson(terminal, agent);
      sayFacts(terminal, [
        ["given", share?.given ?? "0"],
        ["it has left", share?.free ?? "0"],
        ["I have left", share?.ownFree ?? "0"],
      ]);
    });

  command
    .command("remove")
    .description("remove an agent: its tokens and accounts stop, what it spent stays spent")
    .argument("<agent>", "by name or id")
    .action(async (who: string) => {
      await withClient(context, async (client) => client.removeAgent({ agent: (await findPerson(client, who)).id }));
      if (!globals().json) say(terminal, "removed");
    });
}

function onlyOne<T>(found: readonly T[], got: string, want: string, nameOf: (one: T) => string): T {
  const [only, ...others] = found;
  if (only === undefined) return invalid("agent", got, want);
  return others.length === 0 ? only : invalid("agent", got, `one of ${found.map(nameOf).join(", ")}`);
}

const amountOf = (given: string): string | null => (given === "none" ? null : given);
