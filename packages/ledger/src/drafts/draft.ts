import { invalid, PrivacyError } from "@dosimeter/core";
import { isPrintable, present } from "@dosimeter/core/internal";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { By } from "../values/by.ts";
import { checkName, found } from "../values/check.ts";
import { type AccountId, type DatasetId, type DraftId, newId, type PrincipalId, type TeamId } from "../values/id.ts";
import { checkLimit, type Page, type PageOptions } from "../values/page.ts";

/** A plan that someone keeps before releasing it. */
export interface Draft {
  readonly id: DraftId;
  readonly dataset: DatasetId;
  readonly account: AccountId;
  readonly owner: PrincipalId;
  /** The team whose members read it too; null: only its owner does. */
  readonly team: TeamId | null;
  readonly name: string;
  /** JSON, in the one spelling that its hash is about. */
  readonly plan: string;
  readonly changedAt: string;
}

export interface ListedDraft extends Omit<Draft, "plan"> {
  readonly comments: number;
}

/** Of one owner on one dataset. */
const MAX_DRAFTS = 100;
const MAX_PLAN_LENGTH = 65_536;

const toDraft = (row: Tables["plan_draft"]): Draft => ({
  id: row.id,
  dataset: row.dataset_id,
  account: row.account_id,
  owner: row.owner_id,
  team: row.team_id,
  name: row.name,
  plan: row.plan,
  changedAt: row.changed_at,
});

/** A control character or half a letter, as JSON writes them. */
const ESCAPED = /(?<!\\)(?:\\\\)*\\u(?:00[01]|d[89a-f])/;

/** The texts of a plan are shown to others. */
function checkPlan(plan: string): string {
  if (plan.length > MAX_PLAN_LENGTH) invalid("plan", plan.length, `at most ${MAX_PLAN_LENGTH} characters of JSON`);
  if (!isPrintable(plan) || ESCAPED.test(plan)) invalid("plan", undefined, "of printable characters");
  return plan;
}

/** NOT_FOUND. */
export async function draft({ store: { read } }: Context, id: string): Promise<Draft> {
  return toDraft(found(await rowWith(read, "plan_draft", { id }), "draft", id));
}

/** Those on a dataset that a person made or that one of these teams reads, newest first. */
export async function drafts(
  { store: { read } }: Context,
  {
    dataset,
    owner,
    teams,
    after,
    limit,
  }: PageOptions & {
    readonly dataset: DatasetId;
    readonly owner: PrincipalId;
    readonly teams: readonly TeamId[];
  },
): Promise<Page<ListedDraft>> {
  const rows = checkLimit(limit);
  let query = read
    .selectFrom("plan_draft")
    .select((row) => [
      "id",
      "dataset_id",
      "account_id",
      "owner_id",
      "team_id",
      "name",
      "changed_at",
      row
        .selectFrom("draft_comment")
        .whereRef("draft_comment.draft_id", "=", "plan_draft.id")
        .select(({ fn }) => fn.countAll().as("count"))
        .as("comments"),
    ])
    .where("dataset_id", "=", dataset)
    .where(({ eb, or }) =>
      or([eb("owner_id", "=", owner), ...(teams.length === 0 ? [] : [eb("team_id", "in", [...teams])])]),
    );
  if (after !== undefined) query = query.where("id", "<", after as DraftId);
  const found = await query.orderBy("id", "desc").limit(rows).execute();
  const items = found.map(({ comments, ...row }) => {
    const { plan: _, ...listed } = toDraft({ ...row, plan: "" });
    return { ...listed, comments: Number(comments) };
  });
  const last = items.at(-1);
  return { items, next: last === undefined || items.length < rows ? null : last.id };
}

export function createDraft(
  context: Context,
  { by, dataset, account, name, plan, team }: By & Omit<Draft, "id" | "owner" | "changedAt">,
): Promise<Draft> {
  return change(context, async ({ db }, chain) => {
    const { count } = await db
      .selectFrom("plan_draft")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("dataset_id", "=", dataset)
      .where("owner_id", "=", by)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_DRAFTS)
      throw new PrivacyError("CONFLICT", { name: "drafts", got: Number(count), want: `less than ${MAX_DRAFTS}` });
    const row = {
      id: newId("draft"),
      dataset_id: dataset,
      account_id: account,
      owner_id: by,
      team_id: team,
      name: checkName(name, "name"),
      plan: checkPlan(plan),
      changed_at: context.store.now(),
    };
    await db.insertInto("plan_draft").values(row).execute();
    chain.append({ actor: by, action: "draft.create", subject: row.id, detail: { dataset, team } });
    return toDraft(row);
  });
}

/** What is absent stays. */
export function changeDraft(
  context: Context,
  {
    draft: id,
    by,
    name,
    plan,
    team,
  }: By & { readonly draft: string } & { [K in "name" | "plan" | "team"]?: Draft[K] | undefined },
): Promise<Draft> {
  return change(context, async ({ db }, chain) => {
    const before = await rowIn(db, id);
    const row = {
      ...before,
      ...(name === undefined ? {} : { name: checkName(name, "name") }),
      ...(plan === undefined ? {} : { plan: checkPlan(plan) }),
      ...present({ team_id: team }),
      changed_at: context.store.now(),
    };
    await db.updateTable("plan_draft").set(row).where("id", "=", row.id).execute();
    chain.append({ actor: by, action: "draft.change", subject: row.id, detail: { team: row.team_id } });
    return toDraft(row);
  });
}

/** With what was said about it. */
export function deleteDraft(context: Context, { draft: id, by }: By & { readonly draft: string }): Promise<void> {
  return change(context, async ({ db }, chain) => {
    const row = await rowIn(db, id);
    await db.deleteFrom("draft_comment").where("draft_id", "=", row.id).execute();
    await db.deleteFrom("plan_draft").where("id", "=", row.id).execute();
    chain.append({ actor: by, action: "draft.delete", subject: row.id });
  });
}

/** NOT_FOUND. */
export const rowIn = async (db: Tx["db"], id: string): Promise<Tables["plan_draft"]> =>
  found(await rowWith(db, "plan_draft", { id }), "draft", id);
