import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { findPerson, listOf } from "../find.ts";
import { say, sayFacts, sayJson, sayTable } from "../terminal/output.ts";

interface LimitFlags {
  readonly hourEpsilon?: string;
  readonly confirmAbove?: string;
}

/** `dosimeter agent [list] | limit | remove`. What an agent waits for is confirmed in a browser, and nowhere else. */
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
    .command("remove")
    .description("remove an agent: its tokens and accounts stop, what it spent stays spent")
    .argument("<agent>", "by name or id")
    .action(async (who: string) => {
      await withClient(context, async (client) => client.removeAgent({ agent: (await findPerson(client, who)).id }));
      if (!globals().json) say(terminal, "removed");
    });
}

const amountOf = (given: string): string | null => (given === "none" ? null : given);
