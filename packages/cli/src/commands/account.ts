import type { Account, Client, Output } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { findAccount, findLedger, findPerson, findTeam, listOf, pathOf } from "../find.ts";
import { needsAnOption } from "../flags/needs-option.ts";
import { accountColumns } from "../show/columns.ts";
import { reportCommand } from "../show/report.ts";
import { say, sayJson, sayTable } from "../terminal/output.ts";

interface QuotaFlags {
  readonly epsilon: string;
  readonly delta?: string;
}

interface CreateFlags extends QuotaFlags {
  readonly parent?: string;
  readonly team?: string;
  readonly person?: string;
  readonly kind?: "share" | "cap";
  readonly overbooked?: true;
  readonly purpose?: string;
  readonly expires?: string;
  readonly queryEpsilon?: string;
}

/** `dosimeter account list | report | create | allocate | withdraw | transfer | recall | set | freeze | unfreeze | close`. */
export function define(command: Command, context: Context): void {
  defineList(command, context);
  const { terminal, globals } = context;
  command
    .command("create")
    .description("open an account for a team or a person, with a first quota")
    .argument("<dataset>", "its name or id")
    .requiredOption("--epsilon <decimal>", "the first quota")
    .option("--delta <decimal>", "its δ (default: in proportion to ε)")
    .option("--team <team>", "whose account it is: a team, by name or id")
    .option("--person <person>", "whose account it is: a person, by name or id")
    .option("--purpose <name>", "set aside for a purpose, below a team's account or your own")
    .option("--parent <account>", "the account above it, by path or id (default: the ledger's own)")
    .option("--kind <kind>", "share (default), or cap: it also limits what its holder learns")
    .option("--expires <time>", "when it closes by itself, ISO 8601")
    .option("--query-epsilon <decimal>", "the most one charge may take, as a pure ε")
    .option(
      "--overbooked",
      "the accounts below may be promised more than this one has; it only ever costs availability",
    )
    .action(async (dataset: string, flags: CreateFlags) => {
      const account = await withClient(context, (client) => createAccount(client, dataset, flags));
      if (globals().json) return sayJson(terminal, account);
      await sayTable(terminal, [account], accountColumns);
    });

  reportCommand(
    command
      .command("report")
      .description("the same reports for one account, as if it shared nothing, and how much more would fit")
      .argument("<dataset>", "its name or id")
      .argument("[account]", "its path or id (default: the one you spend from)"),
    context,
    async (client, [dataset = "", account], options) =>
      client.reportAccount({
        account: (await findAccount(client, (await findLedger(client, dataset)).id, account)).id,
        ...options,
      }),
  );

  for (const { verb, route, description } of moves) {
    command
      .command(verb)
      .description(description)
      .argument("<dataset>", "its name or id")
      .argument("<account>", "its path or id")
      .requiredOption("--epsilon <decimal>", "how much")
      .option("--delta <decimal>", "how much δ (default: in proportion to ε)")
      .action(async (dataset: string, name: string, { epsilon, delta }: QuotaFlags) => {
        const moved: Output<"allocateQuota"> = await withClient(context, async (client) => {
          const { id } = await findAccount(client, (await findLedger(client, dataset)).id, name);
          return client[route]({ account: id, epsilon, ...(delta === undefined ? {} : { delta }) });
        });
        if (globals().json) return sayJson(terminal, moved);
        const changed = [moved.parent, moved.account].filter((account): account is Account => account !== null);
        await sayTable(terminal, changed, accountColumns);
        say(terminal);
      });
  }
  defineMore(command, context);
}

/** The operations on one account that need no amount, or more than one account. */
function defineMore(command: Command, context: Context): void {
  const { terminal, globals } = context;
  const on = (client: Client, dataset: string, name: string) =>
    findLedger(client, dataset).then(({ id }) => findAccount(client, id, name));
  const tell = async (value: unknown, accounts: readonly (Account | null)[], words: readonly string[] = []) => {
    if (globals().json) return sayJson(terminal, value);
    await sayTable(
      terminal,
      accounts.filter((account): account is Account => account !== null),
      accountColumns,
    );
    for (const line of words) say(terminal, line);
  };
  const named = (verb: string, description: string) =>
    command
      .command(verb)
      .description(description)
      .argument("<dataset>", "its name or id")
      .argument("<account>", "its path or id");

  named("transfer", "move free quota from an account to another one of the ledger, in one transaction")
    .argument("<to>", "the account that gets it, by path or id")
    .requiredOption("--epsilon <decimal>", "how much")
    .option("--delta <decimal>", "how much δ (default: in proportion to ε)")
    .action(async (dataset: string, from: string, to: string, flags: QuotaFlags) => {
      const moved = await withClient(context, async (client) => {
        const [source, target] = [await on(client, dataset, from), await on(client, dataset, to)];
        return client.transferQuota({ account: source.id, to: target.id, ...flags });
      });
      await tell(moved, [moved.from, moved.to]);
    });

  named("recall", "take back as much as is free, and say what could not be taken")
    .requiredOption("--epsilon <decimal>", "at most how much")
    .option("--delta <decimal>", "at most how much δ (default: in proportion to ε)")
    .option("--cascade", "take from the accounts below as well")
    .action(async (dataset: string, name: string, flags: QuotaFlags & { cascade?: true }) => {
      const found = await withClient(context, async (client) =>
        client.recallQuota({ account: (await on(client, dataset, name)).id, ...flags }),
      );
      const { recalled, shortfall } = found;
      const short =
        shortfall.epsilon === "0" && shortfall.delta === "0"
          ? []
          : [`not taken: ε ${shortfall.epsilon}, δ ${shortfall.delta}; it is spent, or promised below`];
      await tell(found, [found.parent, found.account], [`taken: ε ${recalled.epsilon}, δ ${recalled.delta}`, ...short]);
    });

  named("set", "when an account closes by itself, how much one charge may take, what it may promise on")
    .option("--expires <time>", "ISO 8601; `never` takes the date away")
    .option("--query-epsilon <decimal>", "the most one charge may take, as a pure ε; `none` takes the limit away")
    .option("--mode <mode>", "funded or overbooked")
    .hook("preAction", needsAnOption)
    .action(async (dataset: string, name: string, { expires, queryEpsilon, mode }: SetFlags) => {
      const account = await withClient(context, async (client) =>
        client.setAccount({
          account: (await on(client, dataset, name)).id,
          ...(expires === undefined ? {} : { expiresAt: expires === "never" ? null : expires }),
          ...(queryEpsilon === undefined ? {} : { queryEpsilon: queryEpsilon === "none" ? null : queryEpsilon }),
          ...(mode === undefined ? {} : { mode }),
        }),
      );
      await tell(account, [account]);
    });

  for (const { verb, route, description } of states) {
    named(verb, description).action(async (dataset: string, name: string) => {
      const account = await withClient(context, async (client) =>
        client[route]({ account: (await on(client, dataset, name)).id }),
      );
      await tell(account, [account]);
    });
  }
}

function defineList(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("list", { isDefault: true })
    .description("the account tree of a dataset's ledger, as far as I can see it; without a dataset, my own accounts")
    .argument("[dataset]", "its name or id")
    .option("--text <text>", "of my own, those whose dataset or path holds it")
    .action(async (dataset: string | undefined, { text }: { readonly text?: string }) => {
      const accounts = await withClient(context, async (client) =>
        listOf(
          dataset === undefined
            ? client.all("listMyAccounts", text === undefined ? {} : { text })
            : client.all("listAccounts", { ledger: (await findLedger(client, dataset)).id }),
        ),
      );
      const inTreeOrder = accounts.toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
      if (globals().json) return sayJson(terminal, inTreeOrder);
      const on = {
        heading: "of",
        cell: ({ datasetNames }: Account) => datasetNames.join(", "),
      };
      await sayTable(terminal, inTreeOrder, dataset === undefined ? [on, ...accountColumns] : accountColumns);
    });
}

interface SetFlags {
  readonly expires?: string;
  readonly queryEpsilon?: string;
  readonly mode?: "funded" | "overbooked";
}

const states = [
  { verb: "freeze", route: "freezeAccount", description: "refuse charges on an account and all below it, for now" },
  { verb: "unfreeze", route: "unfreezeAccount", description: "allow charges again" },
  {
    verb: "close",
    route: "closeAccount",
    description: "close an account for good: what is free goes back, what was spent stays",
  },
] as const;

const moves = [
  { verb: "allocate", route: "allocateQuota", description: "move free quota from the parent into an account" },
  { verb: "withdraw", route: "withdrawQuota", description: "move an account's free quota back to its parent" },
] as const;

async function createAccount(client: Client, dataset: string, flags: CreateFlags): Promise<Account> {
  const { epsilon, delta, team, person, purpose, parent, kind, overbooked, expires, queryEpsilon } = flags;
  if ([team, person, purpose].filter((one) => one !== undefined).length !== 1) {
    invalid("holder", undefined, "one of --team, --person and --purpose");
  }
  const ledger = await findLedger(client, dataset);
  const above = parent === undefined ? {} : { parent: (await findAccount(client, ledger.id, parent)).id };
  const holder =
    purpose !== undefined
      ? ({ kind: "purpose", name: purpose } as const)
      : team === undefined
        ? ({ kind: "person", id: (await findPerson(client, person ?? "")).id } as const)
        : ({ kind: "team", id: await teamId(client, team) } as const);
  return client.createAccount({
    ledger: ledger.id,
    ...above,
    holder,
    epsilon,
    ...(delta === undefined ? {} : { delta }),
    ...(kind === undefined ? {} : { kind }),
    ...(overbooked === undefined ? {} : { mode: "overbooked" as const }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
    ...(queryEpsilon === undefined ? {} : { queryEpsilon }),
  });
}

/** A person who gives quota to a team may not see it; the team's admin gives them its id. */
const teamId = async (client: Client, team: string): Promise<string> =>
  /^tem_\w+$/.test(team) ? team : (await findTeam(client, team)).id;
