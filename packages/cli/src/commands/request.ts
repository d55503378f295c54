import type { Client, Plan, Request } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { findAccount, findDataset, findLedger, findListed, findTeam, listOf, withJoinedId } from "../find.ts";
import { type PlanFlags, planOf, planOptions } from "../flags/plan.ts";
import { wholeNumber } from "../flags/whole-number.ts";
import { amount } from "../show/columns.ts";
import { type Column, say, sayFacts, sayJson, sayTable } from "../terminal/output.ts";

interface MakeFlags extends PlanFlags {
  readonly epsilon: string;
  readonly delta?: string;
  readonly account?: string;
  readonly team?: string;
  readonly parent?: string;
  readonly note?: string;
  readonly days?: string;
  readonly supersede?: true;
}

interface AnswerFlags {
  readonly epsilon?: string;
  readonly delta?: string;
  readonly note?: string;
  readonly ifVersion?: string;
}

/** `dosimeter request list | make | show | approve | reject | offer | ask | escalate | accept | decline | answer | withdraw | advance`. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("list", { isDefault: true })
    .description("what waits for my decision, and what I asked for")
    .option("--received", "only those I may decide")
    .option("--submitted", "only those I made")
    .option("--open", "only those that are still open")
    .action(async (flags: { received?: true; submitted?: true; open?: true }) => {
      const boxes = (["received", "submitted"] as const).filter(
        (box) => flags[box] || (!flags.received && !flags.submitted),
      );
      const all = await withClient(context, async (client) => {
        const lists = await Promise.all(boxes.map((box) => listOf(client.all("listRequests", { box }))));
        return [...new Map(lists.flat().map((request) => [request.id, request])).values()];
      });
      const shown = flags.open ? all.filter(({ status }) => open.includes(status)) : all;
      if (globals().json) return sayJson(terminal, shown);
      await sayTable(terminal, shown, columns);
    });

  const make = command
    .command("make")
    .description("ask for an account, or for more on one; a plan shows the one who decides what it buys")
    .argument("<dataset>", "its name or id")
    .requiredOption("--epsilon <decimal>", "how much")
    .option("--delta <decimal>", "how much δ (default: in proportion to ε)")
    .option("-a, --account <account>", "more for this account: a path or id")
    .option("--team <team>", "an account for this team, which I administer")
    .option("--parent <account>", "an account for myself below this account of my team")
    .option("--note <text>", "what it is for")
    .option("--days <n>", "days until it expires (default: 30)")
    .option("--supersede", "instead of my open request for the same account");
  planOptions(make).action(async (dataset: string, flags: MakeFlags) => {
    const hasPlan = flags.plan !== undefined || flags.statistic !== undefined;
    const plan = hasPlan ? ((await planOf(flags, terminal.cwd)) as Plan) : undefined;
    const made = await withClient(context, (client) => makeRequest(client, { dataset, flags, plan }));
    await show(made, context);
  });

  command
    .command("show")
    .description("one request: what was asked, where it stands, who decided and why")
    .argument("<request>", "its id")
    .action(async (id: string) =>
      show(await withClient(context, (client) => client.showRequest({ request: id })), context),
    );

  defineAdvance(command, context);
  for (const { verb, description, act, needs } of answers) {
    const answer = command.command(verb).description(description).argument("<request>", "its id");
    if (needs.includes("epsilon")) {
      const text =
        verb === "offer"
          ? "how much is offered"
          : verb === "escalate"
            ? "how much to ask for above (default: what was asked)"
            : "less than was asked: approves in part";
      if (verb === "offer") answer.requiredOption("--epsilon <decimal>", text);
      else answer.option("--epsilon <decimal>", text);
      answer.option("--delta <decimal>", "how much δ (default: in proportion to ε)");
    }
    if (needs.includes("note")) {
      if (noteNeeded[verb] !== undefined) answer.requiredOption("--note <text>", noteNeeded[verb]);
      else answer.option("--note <text>", "for the one who asked");
    }
    answer
      .option("--if-version <n>", "only if it is still this version (default: as it is now)")
      .action(async (id: string, { ifVersion, ...flags }: AnswerFlags) => {
        const answered = await withClient(context, async (client) => {
          const version =
            ifVersion === undefined
              ? (await client.showRequest({ request: id })).version
              : wholeNumber("--if-version", ifVersion);
          return act(client, { request: id, version, ...flags });
        });
        await show(answered, context);
      });
  }
}

const noteNeeded: Readonly<Record<string, string>> = {
  reject: "the reason",
  ask: "the question",
  answer: "the answer",
};

/** `dosimeter request advance`: lists, gives and ends approvals in advance. */
function defineAdvance(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("advance")
    .description("approve small requests in advance; without --most: what is in force")
    .argument("<dataset>", "its name or id")
    .option("--account <account>", "whose quota is given out (default: the ledger itself)")
    .option("--most <decimal>", "each request up to this ε")
    .option("--room <decimal>", "all together up to this ε (default: ten times as much)")
    .option("--end <approval>", "stop this one")
    .action(async (dataset: string, flags: AdvanceFlags) => {
      const shown = await withClient(context, async (client) => {
        const { id: ledger } = await findLedger(client, dataset);
        if (flags.end !== undefined) await client.endStandingApproval({ approval: flags.end });
        if (flags.most !== undefined)
          await client.createStandingApproval({
            ledger,
            ...(flags.account === undefined ? {} : { parent: (await findAccount(client, ledger, flags.account)).id }),
            most: flags.most,
            room: flags.room ?? String(10 * Number(flags.most)),
          });
        return listOf(client.all("listStandingApprovals", { ledger }));
      });
      if (globals().json) return sayJson(terminal, shown);
      await sayTable(terminal, shown, [
        { heading: "each up to ε", cell: ({ most }) => most, right: true },
        { heading: "left in all", cell: ({ room }) => room, right: true },
        { heading: "by", cell: ({ by }) => by },
        { heading: "of", cell: ({ parent }) => parent ?? "the ledger" },
        { heading: "id", cell: ({ id }) => id },
      ]);
    });
}

interface AdvanceFlags {
  readonly account?: string;
  readonly most?: string;
  readonly room?: string;
  readonly end?: string;
}

type Answer = { readonly request: string; readonly version: number } & Omit<AnswerFlags, "ifVersion">;

interface AnswerRow {
  readonly verb: string;
  readonly description: string;
  readonly needs: readonly ("epsilon" | "note")[];
  readonly act: (client: Client, answer: Answer) => Promise<Request>;
}

const answers: readonly AnswerRow[] = [
  {
    verb: "approve",
    description: "grant it, all or a part: decision and quota move together, or neither",
    needs: ["epsilon", "note"],
    act: (client, answer) => client.approveRequest(answer),
  },
  {
    verb: "reject",
    description: "refuse it, with the reason",
    needs: ["note"],
    act: (client, { note = "", ...answer }) => client.rejectRequest({ ...answer, note }),
  },
  {
    verb: "offer",
    description: "offer another amount, to be accepted or declined",
    needs: ["epsilon", "note"],
    act: (client, { epsilon = "", ...answer }) => client.offerRequest({ ...answer, epsilon }),
  },
  {
    verb: "ask",
    description: "ask for information before deciding",
    needs: ["note"],
    act: (client, { note = "", ...answer }) => client.askRequest({ ...answer, note }),
  },
  {
    verb: "escalate",
    description: "the paying account has too little: ask the holder of the account above, with the same plan",
    needs: ["epsilon", "note"],
    act: (client, answer) => client.escalateRequest(answer),
  },
  {
    verb: "answer",
    description: "answer what was asked back",
    needs: ["note"],
    act: (client, { note = "", ...answer }) => client.answerRequest({ ...answer, note }),
  },
  { verb: "accept", description: "take the offer", needs: [], act: (client, answer) => client.acceptOffer(answer) },
  {
    verb: "decline",
    description: "decline the offer, which ends the request",
    needs: [],
    act: (client, answer) => client.declineOffer(answer),
  },
  {
    verb: "withdraw",
    description: "take my request back",
    needs: [],
    act: (client, answer) => client.withdrawRequest(answer),
  },
];

async function makeRequest(
  client: Client,
  { dataset, flags, plan }: { dataset: string; flags: MakeFlags; plan: Plan | undefined },
): Promise<Request> {
  const { account, team, parent, epsilon, delta, note, days, supersede } = flags;
  if (account !== undefined && (team !== undefined || parent !== undefined)) {
    invalid("--account", undefined, "alone, without --team and --parent");
  }
  const id = await idOf(client, dataset);
  const accountAt = async (name: string) =>
    (await findAccount(client, (await findLedger(client, dataset)).id, name)).id;
  return client.createRequest({
    dataset: id,
    epsilon,
    ...(account === undefined ? {} : { account: await accountAt(account) }),
    ...(team === undefined ? {} : { team: (await findTeam(client, team)).id }),
    ...(parent === undefined ? {} : { parent: await accountAt(parent) }),
    ...(delta === undefined ? {} : { delta }),
    ...(note === undefined ? {} : { note }),
    ...(days === undefined ? {} : { days: wholeNumber("--days", days) }),
    ...(plan === undefined ? {} : { plan: await withJoinedId(client, plan) }),
    ...(supersede === undefined ? {} : { supersede }),
  });
}

/** A dataset that I cannot see is requested by its id, and by its name where the catalogue has it. */
async function idOf(client: Client, dataset: string): Promise<string> {
  if (dataset.startsWith("dat_")) return dataset;
  const seen = (await client.listDatasets({ name: dataset })).items.length > 0;
  return (await (seen ? findDataset : findListed)(client, dataset)).id;
}

const open: readonly Request["status"][] = ["submitted", "counterOffered", "infoRequested", "escalated"];

const columns: readonly Column<Request>[] = [
  { heading: "who", cell: ({ requester }) => requester.name },
  {
    heading: "asks for",
    cell: ({ holder, account }) => `${account === null ? "access for" : "more for"} ${holder.name}`,
  },
  { heading: "of", cell: ({ dataset }) => dataset.name },
  { heading: "ε", cell: ({ asked }) => asked.epsilon, right: true },
  { heading: "status", cell: ({ status }) => status },
  { heading: "id", cell: ({ id }) => id },
];

async function show(request: Request, { terminal, globals }: Context): Promise<void> {
  if (globals().json) return sayJson(terminal, request);
  const { asked, offered, granted, decision, note } = request;
  sayFacts(terminal, [
    ["request", request.id],
    ["status", `${request.status} (version ${request.version})`],
    ["asked", `ε ${asked.epsilon}, δ ${asked.delta} of ${request.from}, for ${request.holder.name}`],
    ...(offered === null ? [] : [["offered", `ε ${offered.epsilon}, δ ${offered.delta}`] as const]),
    ...(granted === null ? [] : [["granted", `ε ${granted.epsilon}, δ ${granted.delta}`] as const]),
    ...(note === "" ? [] : [["note", note] as const]),
    ...(decision === null
      ? []
      : [["decided by", `${decision.by.name}${decision.self ? " (who asked)" : ""}`] as const]),
    ...(decision === null || decision.note === "" ? [] : [["because", decision.note] as const]),
    ...(request.answer === "" ? [] : [["answered", request.answer] as const]),
    ...(request.origin === null ? [] : [["passed on from", request.origin] as const]),
    ["expires", request.expiresAt],
  ]);
  const statistics = request.plan?.statistics ?? [];
  if (statistics.length > 0) say(terminal);
  for (const { statistic, column = "", epsilon } of statistics)
    say(terminal, `· ${`${statistic} ${column}`.trim()}, ε ${amount(epsilon === undefined ? null : String(epsilon))}`);
}
