import type { Account, Client, Output } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import { findAccount, findLedger, findPerson, findTeam, listOf, pathOf } from "../find.ts";
import { say, sayJson, sayTable } from "../output.ts";
import type { Context } from "../program.ts";
import { reportCommand } from "../report.ts";
import { accountColumns } from "../show.ts";

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
}

/** `dosimeter account list | report | create | allocate | withdraw`. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("list", { isDefault: true })
    .description("the account tree of a dataset's ledger, as far as I can see it; without a dataset, my own accounts")
    .argument("[dataset]", "its name or id")
    .action(async (dataset: string | undefined) => {
      const { accounts, names } = await withClient(context, async (client) => {
        const ledger = dataset === undefined ? null : (await findLedger(client, dataset)).id;
        const datasets = await listOf(client.all("listDatasets"));
        return {
          accounts: await listOf(
            ledger === null ? client.all("listMyAccounts") : client.all("listAccounts", { ledger }),
          ),
          names: new Map(datasets.map(({ id, name }) => [id, name])),
        };
      });
      const inTreeOrder = accounts.toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
      if (globals().json) return sayJson(terminal, inTreeOrder);
      const on = {
        heading: "of",
        cell: ({ datasets }: Account) => datasets.map((id) => names.get(id) ?? id).join(", "),
      };
      await sayTable(terminal, inTreeOrder, dataset === undefined ? [on, ...accountColumns] : accountColumns);
    });

  command
    .command("create")
    .description("open an account for a team or a person, with a first quota")
    .argument("<dataset>", "its name or id")
    .requiredOption("--epsilon <decimal>", "the first quota")
    .option("--delta <decimal>", "its δ (default: in proportion to ε)")
    .option("--team <team>", "whose account it is: a team, by name or id")
    .option("--person <person>", "whose account it is: a person, by name or id")
    .option("--parent <account>", "the account above it, by path or id (default: the ledger's own)")
    .option("--kind <kind>", "share (default), or cap: it also limits what its holder learns")
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
}

const moves = [
  { verb: "allocate", route: "allocateQuota", description: "move free quota from the parent into an account" },
  { verb: "withdraw", route: "withdrawQuota", description: "move an account's free quota back to its parent" },
] as const;

async function createAccount(client: Client, dataset: string, flags: CreateFlags): Promise<Account> {
  const { epsilon, delta, team, person, parent, kind, overbooked } = flags;
  if ((team === undefined) === (person === undefined)) {
    throw new PrivacyError("INVALID_PARAMETER", { name: "holder", want: "one of --team and --person" });
  }
  const ledger = await findLedger(client, dataset);
  const above = parent === undefined ? {} : { parent: (await findAccount(client, ledger.id, parent)).id };
  const holder =
    team === undefined
      ? ({ kind: "person", id: (await findPerson(client, person ?? "")).id } as const)
      : ({ kind: "team", id: (await findTeam(client, team)).id } as const);
  return client.createAccount({
    ledger: ledger.id,
    ...above,
    holder,
    epsilon,
    ...(delta === undefined ? {} : { delta }),
    ...(kind === undefined ? {} : { kind }),
    ...(overbooked === undefined ? {} : { mode: "overbooked" as const }),
  });
}
