import type { DraftSummary, Input, Draft as SentDraft } from "@dosimeter/client";
import { invalid, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Draft, ListedDraft, TeamId } from "@dosimeter/ledger";
import { plainPlan, planText } from "@dosimeter/query/plan";
import { authorise, keepsDraft, readableDataset, teamsOf } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import type { HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { PAGE_SIZE } from "../http/page.ts";
import { type Directory, directory } from "../view/directory.ts";
import { fileView, uploadFor } from "./datasets.ts";

export const drafts = {
  async listDrafts({ deps: { database }, caller, input }) {
    const names = await directory(database);
    const { items, next } = await database.drafts.drafts({
      kinds: ["plan"],
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
    const about = await plannedOn(input, caller, deps);
    await rates.take("refusal", caller.principal.id); // a line in the audit
    const draft = await database.drafts.createDraft({
      by: caller.principal.id,
      kind: "plan",
      ...about,
      name: input.name,
      content: textOf(input.plan),
      team: teamOf(input.team ?? null, caller),
      upload: null,
    });
    return show(draft, caller, deps);
  },

  async showDraft({ deps, caller, input }) {
    return show(await deps.database.drafts.draft(input.draft), caller, deps);
  },

  async changeDraft({ deps, caller, input }) {
    await deps.rates.take("refusal", caller.principal.id);
    await kept(input.draft, ["plan"], deps);
    const draft = await deps.database.drafts.changeDraft({
      by: caller.principal.id,
      draft: input.draft,
      name: input.name,
      content: input.plan === undefined ? undefined : textOf(input.plan),
      team: input.team === undefined ? undefined : teamOf(input.team, caller),
    });
    return show(draft, caller, deps);
  },

  async deleteDraft({ deps, caller, input }) {
    await deps.rates.take("refusal", caller.principal.id);
    await deps.database.drafts.deleteDraft({ by: caller.principal.id, draft: input.draft });
  },

  async listUnfinished({ deps, caller, input }) {
    const { database } = deps;
    const names = await directory(database);
    const { items, next } = await database.drafts.drafts({
      kinds: ["declaration", "unfinishedPlan"],
      dataset:
        input.dataset === undefined ? undefined : (await readableDataset(caller, input.dataset, deps)).dataset.id,
      owner: caller.principal.id,
      teams: [],
      after: input.cursor,
      limit: input.limit ?? PAGE_SIZE,
    });
    return { items: items.map((draft) => summary(draft, caller, names)), next };
  },

  async saveUnfinished({ deps, caller, input }) {
    const isPlan = input.dataset !== undefined || input.account !== undefined;
    const about = await (isPlan ? typedOn : declared)(input, caller, deps);
    await deps.rates.take("refusal", caller.principal.id);
    const draft = await deps.database.drafts.createDraft({
      by: caller.principal.id,
      ...about,
      team: null,
      name: input.name,
      content: JSON.stringify(input.form),
    });
    return show(draft, caller, deps);
  },

  async changeUnfinished({ deps, caller, input }) {
    const { file, form, seen } = input;
    const content = form === undefined ? undefined : JSON.stringify(form);
    await deps.rates.take("typing", caller.principal.id, 1 + (content ?? "").length / CHARACTERS_OF_A_TOKEN);
    const { kind } = await kept(input.draft, ["declaration", "unfinishedPlan"], deps);
    if (kind !== "declaration" && file !== undefined) invalid("body.file", file, "absent: a plan has no upload");
    const draft = await deps.database.drafts.changeDraft({
      by: caller.principal.id,
      draft: input.draft,
      name: input.name,
      content,
      upload: file === undefined ? undefined : uploadOf(await uploadFor(file, caller, deps)),
      ...present({ seen }),
    });
    return show(draft, caller, deps);
  },

  async handDeclaration({ deps, caller, input }) {
    const { database, rates } = deps;
    const { upload } = await kept(input.draft, ["declaration"], deps);
    const { id: to, kind, removedAt, demo } = await database.people.principal(input.person);
    const isOther = to !== caller.principal.id && demo === caller.principal.demo;
    if (!isOther || kind !== "user" || removedAt !== null)
      invalid("body.person", input.person, "a colleague who can sign in");
    if (upload === null && !(await database.people.rolesOf(to)).platformAdmin)
      invalid("body.person", input.person, "a platform admin: only they declare tables of a connection");
    await rates.take("refusal", caller.principal.id);
    await database.drafts.handDraft({ by: caller.principal.id, draft: input.draft, to });
  },

  async commentDraft({ deps, caller, input }) {
    await deps.rates.take("refusal", caller.principal.id);
    await deps.database.drafts.commentDraft({ by: caller.principal.id, draft: input.draft, text: input.text });
    return show(await deps.database.drafts.draft(input.draft), caller, deps);
  },
} satisfies HandlersOf<"drafts">;

/** A change that is saved while it is typed is written whole. */
const CHARACTERS_OF_A_TOKEN = 20_000;

const uploadOf = ({ id, digest }: Awaited<ReturnType<typeof uploadFor>>) => ({ file: id, digest });

/** What a declaration is of: an upload of mine, or a table of a connection. */
async function declared({ file }: Pick<Input<"saveUnfinished">, "file">, caller: Caller, deps: Deps) {
  if (file === undefined) await authorise("platformAdmin", caller, {}, deps);
  const upload = file === undefined ? null : uploadOf(await uploadFor(file, caller, deps));
  return { kind: "declaration", dataset: null, account: null, upload } as const;
}

/** Where a plan is typed that is not finished. */
async function typedOn({ dataset, account, file }: Input<"saveUnfinished">, caller: Caller, deps: Deps) {
  if (dataset === undefined) return invalid("body.dataset", undefined, "given with the account of a plan");
  await readableDataset(caller, dataset, deps);
  if (account === undefined) return invalid("body.account", undefined, "given with the dataset of a plan");
  if (file !== undefined) invalid("body.file", file, "absent: a plan has no upload");
  await authorise("accountReader", caller, { account }, deps);
  return { kind: "unfinishedPlan", ...(await plannedOn({ dataset, account }, caller, deps)), upload: null } as const;
}

async function plannedOn(on: { readonly dataset: string; readonly account: string }, caller: Caller, deps: Deps) {
  const { dataset, ledger } = await readableDataset(caller, on.dataset, deps);
  const account = await deps.database.ledgers.account(on.account);
  if (ledger?.id !== account.ledger) invalid("body.account", on.account, "an account on the ledger of the dataset");
  return { dataset: dataset.id, account: account.id };
}

/** A draft of one of these kinds; NOT_FOUND for others. */
async function kept(draft: string, kinds: readonly Draft["kind"][], { database }: Deps): Promise<Draft> {
  const found = await database.drafts.draft(draft);
  if (!kinds.includes(found.kind))
    throw new PrivacyError("NOT_FOUND", { name: "draft", got: draft, want: "a draft of another kind" });
  return found;
}

/** The plan in its one spelling. A saved plan that was edited by hand is refused here, not when it is opened. */
function textOf(plan: unknown): string {
  plainPlan(plan);
  return planText(plan);
}

/** A team of the caller's own: plans are not shown to teams that one is not in. */
export function teamOf(team: string | null, { roles }: Caller): TeamId | null {
  if (team === null) return null;
  const own = teamsOf(roles).find((id) => id === team);
  if (own === undefined) throw new PrivacyError("NOT_FOUND", { name: "team", got: team, want: "a team of yours" });
  return own;
}

function summary({ upload: _, ...draft }: ListedDraft, caller: Caller, { nameOf }: Directory): DraftSummary {
  const { owner, team } = draft;
  return {
    ...draft,
    ownerName: nameOf(owner),
    isMine: owner === caller.principal.id,
    mayDelete: keepsDraft(caller, draft),
    teamName: team === null ? null : nameOf(team),
  };
}

function unlessGone(error: unknown): null {
  if (error instanceof PrivacyError && error.code === "NOT_FOUND") return null;
  throw error;
}

async function show({ content, ...draft }: Draft, caller: Caller, deps: Deps): Promise<SentDraft> {
  const { database } = deps;
  const isPlan = draft.kind === "plan";
  const stored = draft.upload === null ? null : await deps.files.file(draft.upload.file, null).catch(unlessGone);
  const names = await directory(database);
  const said = await database.drafts.comments(draft.id);
  return {
    ...summary({ ...draft, comments: said.length }, caller, names),
    plan: isPlan ? (JSON.parse(content) as SentDraft["plan"]) : null,
    form: isPlan ? null : (JSON.parse(content) as SentDraft["form"]),
    file: stored === null ? null : await fileView(stored, caller, { deps }),
    said: said.map((comment) => ({ ...comment, byName: names.nameOf(comment.by) })),
  };
}
