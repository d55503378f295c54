import type { DraftSummary, Draft as SentDraft } from "@dosimeter/client";
import { invalid, PrivacyError } from "@dosimeter/core";
import type { Draft, ListedDraft, TeamId } from "@dosimeter/ledger";
import { plainPlan, planText } from "@dosimeter/query/plan";
import { keepsDraft, readableDataset, teamsOf } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import type { HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { PAGE_SIZE } from "../http/page.ts";
import { type Directory, directory } from "../view/directory.ts";

export const drafts = {
  async listDrafts({ deps: { database }, caller, input }) {
    const names = await directory(database);
    const { items, next } = await database.drafts.drafts({
      dataset: (await database.catalog.dataset(input.dataset)).id,
      owner: caller.principal.id,
      teams: teamsOf(caller.roles),
      after: input.cursor,
      limit: input.limit ?? PAGE_SIZE,
    });
    return { items: items.map((draft) => summary(draft, caller, names)), next };
  },

  async saveDraft({ deps, caller, input }) {
    const { database, rates } = deps;
    const { dataset, ledger } = await readableDataset(caller, input.dataset, deps);
    const account = await database.ledgers.account(input.account);
    if (ledger?.id !== account.ledger)
      invalid("body.account", input.account, "an account on the ledger of the dataset");
    await rates.take("refusal", caller.principal.id); // a line in the audit
    const draft = await database.drafts.createDraft({
      by: caller.principal.id,
      dataset: dataset.id,
      account: account.id,
      name: input.name,
      plan: textOf(input.plan),
      team: teamOf(input.team ?? null, caller),
    });
    return show(draft, caller, deps);
  },

  async showDraft({ deps, caller, input }) {
    return show(await deps.database.drafts.draft(input.draft), caller, deps);
  },

  async changeDraft({ deps, caller, input }) {
    await deps.rates.take("refusal", caller.principal.id);
    const draft = await deps.database.drafts.changeDraft({
      by: caller.principal.id,
      draft: input.draft,
      name: input.name,
      plan: input.plan === undefined ? undefined : textOf(input.plan),
      team: input.team === undefined ? undefined : teamOf(input.team, caller),
    });
    return show(draft, caller, deps);
  },

  async deleteDraft({ deps, caller, input }) {
    await deps.rates.take("refusal", caller.principal.id);
    await deps.database.drafts.deleteDraft({ by: caller.principal.id, draft: input.draft });
  },

  async commentDraft({ deps, caller, input }) {
    await deps.rates.take("refusal", caller.principal.id);
    await deps.database.drafts.commentDraft({ by: caller.principal.id, draft: input.draft, text: input.text });
    return show(await deps.database.drafts.draft(input.draft), caller, deps);
  },
} satisfies HandlersOf<"drafts">;

/** The plan in its one spelling. A saved plan that was edited by hand is refused here, not when it is opened. */
function textOf(plan: unknown): string {
  plainPlan(plan);
  return planText(plan);
}

/** A team of the caller's own: plans are not shown to teams that one is not in. */
function teamOf(team: string | null, { roles }: Caller): TeamId | null {
  if (team === null) return null;
  const own = teamsOf(roles).find((id) => id === team);
  if (own === undefined) throw new PrivacyError("NOT_FOUND", { name: "team", got: team, want: "a team of yours" });
  return own;
}

function summary(draft: ListedDraft, caller: Caller, { nameOf }: Directory): DraftSummary {
  const { owner, team } = draft;
  return {
    ...draft,
    ownerName: nameOf(owner),
    isMine: owner === caller.principal.id,
    mayDelete: keepsDraft(caller, draft),
    teamName: team === null ? null : nameOf(team),
  };
}

async function show({ plan, ...draft }: Draft, caller: Caller, { database }: Deps): Promise<SentDraft> {
  const names = await directory(database);
  const said = await database.drafts.comments(draft.id);
  return {
    ...summary({ ...draft, comments: said.length }, caller, names),
    plan: JSON.parse(plan) as SentDraft["plan"],
    said: said.map((comment) => ({ ...comment, byName: names.nameOf(comment.by) })),
  };
}
