import type { Draft } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { findAccount, findDataset, findLedger, findTeam, listOf, withJoinedId } from "../find.ts";
import { type PlanFlags, planOf, planOptions } from "../flags/plan.ts";
import { say, sayFacts, sayJson, sayTable } from "../terminal/output.ts";
import { printableLines } from "../terminal/terminal.ts";

interface SaveFlags extends PlanFlags {
  readonly name: string;
  readonly account?: string;
  readonly team?: string;
}

interface ChangeFlags extends PlanFlags {
  readonly name?: string;
  readonly team?: string;
}

/** `dosimeter draft list | show | save | change | comment | delete`. */
export function define(command: Command, context: Context): void {
  defineReading(command, context);
  const { terminal } = context;
  const show = (draft: Draft): void => showDraft(draft, context);
  const save = command
    .command("save")
    .description("keep a plan as a draft; nothing is charged")
    .argument("<dataset>", "its name or id")
    .requiredOption("-n, --name <name>", "what to call it")
    .option(
      "-a, --account <account>",
      "the account that it is made on: a path or id (default: the only one that I hold)",
    )
    .option("--team <team>", "share it with a team of mine, by name or id");
  planOptions(save).action(async (name: string, flags: SaveFlags) => {
    const plan = await planOf(flags, terminal.cwd);
    show(
      await withClient(context, async (client) => {
        const ledger = await findLedger(client, name);
        const { id: account } = await findAccount(client, ledger.id, flags.account);
        const team = flags.team === undefined ? {} : { team: (await findTeam(client, flags.team)).id };
        return client.saveDraft({
          dataset: ledger.dataset,
          account,
          name: flags.name,
          plan: (await withJoinedId(client, plan)) as never,
          ...team,
        });
      }),
    );
  });

  const change = command
    .command("change")
    .description("rename a draft, replace its plan, or share it with a team of mine")
    .argument("<draft>", "its id")
    .option("-n, --name <name>", "what to call it from now on")
    .option("--team <team>", 'the team that may read it, by name or id; "" for none');
  planOptions(change).action(async (draft: string, flags: ChangeFlags) => {
    const plan = await planOf(flags, terminal.cwd);
    const { name, team } = flags;
    const isNew = plan.statistics.length > 0;
    if (!isNew && name === undefined && team === undefined) invalid("change", undefined, "--name, --team or a plan");
    show(
      await withClient(context, async (client) =>
        client.changeDraft({
          draft,
          ...(name === undefined ? {} : { name }),
          ...(isNew ? { plan: (await withJoinedId(client, plan)) as never } : {}),
          ...(team === undefined ? {} : { team: team === "" ? null : (await findTeam(client, team)).id }),
        }),
      ),
    );
  });

  command
    .command("comment")
    .description("say something about a draft to everyone who reads it")
    .argument("<draft>", "its id")
    .argument("<text>", "at most 2000 characters")
    .action(async (draft: string, text: string) => {
      show(await withClient(context, (client) => client.commentDraft({ draft, text })));
    });

  command
    .command("delete")
    .description("delete a draft of mine with its comments")
    .argument("<draft>", "its id")
    .action(async (draft: string) => {
      await withClient(context, (client) => client.deleteDraft({ draft }));
      if (context.globals().json) return sayJson(terminal, { deleted: draft });
      say(terminal, `Deleted ${draft}.`);
    });
}

function defineReading(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("list", { isDefault: true })
    .description("my drafts on a dataset, and those shared with my teams, newest first")
    .argument("<dataset>", "its name or id")
    .action(async (name: string) => {
      const drafts = await withClient(context, async (client) =>
        listOf(client.all("listDrafts", { dataset: (await findDataset(client, name)).id })),
      );
      if (globals().json) return sayJson(terminal, drafts);
      await sayTable(terminal, drafts, [
        { heading: "draft", cell: ({ id }) => id },
        { heading: "name", cell: ({ name: called }) => called },
        { heading: "by", cell: ({ ownerName }) => ownerName },
        { heading: "shared with", cell: ({ teamName }) => teamName ?? "—" },
        { heading: "comments", cell: ({ comments }) => String(comments), right: true },
        { heading: "changed", cell: ({ changedAt }) => changedAt.replace(/\.\d+Z$/, "Z") },
      ]);
    });

  command
    .command("show")
    .description("one draft with its comments; --plan prints its plan, for plan quote and release")
    .argument("<draft>", "its id")
    .option("--plan", "print the plan as JSON and nothing else")
    .action(async (id: string, flags: { plan?: true }) => {
      const draft = await withClient(context, (client) => client.showDraft({ draft: id }));
      if (flags.plan) return sayJson(terminal, draft.plan);
      showDraft(draft, context);
    });
}

function showDraft(draft: Draft, { terminal, globals }: Context): void {
  if (globals().json) {
    sayJson(terminal, draft);
    return;
  }
  sayFacts(terminal, [
    ["draft", draft.id],
    ["name", draft.name],
    ["by", draft.ownerName],
    ["shared with", draft.teamName ?? "—"],
    ["statistics", String(draft.plan.statistics.length)],
    ["changed", draft.changedAt.replace(/\.\d+Z$/, "Z")],
  ]);
  for (const { byName, at, text } of draft.said)
    terminal.out.write(printableLines(`\n${byName}, ${at.replace(/\.\d+Z$/, "Z")}\n${text}\n`));
}
