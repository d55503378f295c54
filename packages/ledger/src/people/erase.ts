import { PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { putRow, rowsWith, rowWith, setRow } from "../stores/row.ts";
import type { Tables } from "../stores/tables.ts";
import type { By, PrincipalId } from "../values/id.ts";
import type { Facts } from "../values/notification-kind.ts";
import { banIn, type ProviderNames } from "./ban.ts";
import { writeInvitationEnd } from "./expire-delegations.ts";
import { type Principal, principalRow, toPrincipal } from "./principal.ts";

/** What stands in the place of a name. */
const ERASED = "Erased";

/**
 * Takes the name and the address of a removed principal out of every row, what names them at a provider, and what only they kept; what they did,
 * spent, wrote for others and were granted stays, under their id. CONFLICT for one who was not removed. It cannot be undone. Whom an admin removed stays out: of what a provider may
 * call them a keyed hash is left, until they are let back in.
 */
export function erasePrincipal(
  context: Context,
  { principal, by }: By & { readonly principal: PrincipalId },
): Promise<Principal> {
  return change(context, async (tx, chain) => {
    const before = await principalRow(tx, principal);
    if (before.disabled_at === null)
      throw new PrivacyError("CONFLICT", { name: "person", got: before.name, want: "one who was removed" });
    if ((await rowWith(tx.db, "erased_person", { principal_id: principal })) !== undefined) return toPrincipal(before); // another server was first
    const writing = { tx, chain };
    await banIn(context, tx, { principal, names: await keptOut(writing, before) });
    const row = { ...before, name: ERASED, email: null };
    await tx.db.updateTable("principal").set({ name: ERASED, email: null }).where("id", "=", principal).execute();
    await tx.db
      .insertInto("erased_person")
      .values({ principal_id: principal, erased_at: context.store.now() })
      .execute();
    chain.append({ actor: by, action: "principal.erase", subject: principal, image: row });
    await eraseCredentials(writing, { principal, by });
    await eraseIdentities(writing, { principal, by });
    await eraseInvitations(context, writing, { principal, email: before.email, by });
    for (const table of ["provisioned_member", "provisioned_user", "preference", "notification", "outbox"] as const)
      await tx.db.deleteFrom(table).where("principal_id", "=", principal).execute();
    if (before.email !== null) await tx.db.deleteFrom("outbox").where("address", "=", before.email).execute();
    await eraseOwn(writing, { principal, by });
    await eraseWaiting(context, writing, { principal, by });
    await eraseAgents(context, writing, { principal, by });
    await eraseMentions(writing, before);
    return toPrincipal(row);
  });
}

/** Whom to erase of those who were removed before `until`: not again who is erased. */
export async function erasable(
  { store: { read } }: Context,
  { until }: { readonly until: string },
): Promise<readonly PrincipalId[]> {
  const rows = await read
    .selectFrom("principal")
    .select("id")
    .where("disabled_at", "<", until)
    .where("id", "not in", read.selectFrom("erased_person").select("principal_id"))
    .execute();
  return rows.map(({ id }) => id);
}

/** By which names a person whom an admin removed could come back; none of one whom their provider removed, and may bring again. */
async function keptOut({ tx }: Writing, { id, email }: Tables["principal"]): Promise<readonly ProviderNames[]> {
  const kept = await rowWith(tx.db, "provisioned_user", { principal_id: id });
  if (kept?.is_ended === 1n) return [];
  const linked = await tx.db.selectFrom("identity").selectAll().where("principal_id", "=", id).execute();
  const provider =
    kept === undefined
      ? []
      : [{ provider: { id: kept.provider, userKey: kept.user_key, externalId: kept.external_id } }];
  return [{ email }, ...linked.map((identity) => ({ identity })), ...provider];
}

/** Tokens are called what their owner likes, sessions after a browser. */
async function eraseCredentials(writing: Writing, { principal, by }: By & { principal: PrincipalId }) {
  const named = writing.tx.db.selectFrom("credential").selectAll().where("principal_id", "=", principal);
  await eraseNames(writing, await named.where("name", "<>", "").orderBy("id").execute(), by);
}

async function eraseNames({ tx, chain }: Writing, rows: readonly Tables["credential"][], by: PrincipalId) {
  for (const row of rows) {
    await tx.db.updateTable("credential").set({ name: "" }).where("id", "=", row.id).execute();
    chain.append({ actor: by, action: `${row.kind}.erase`, subject: row.id, image: { ...row, name: "" } });
  }
}

/** What one transaction forgets at most. */
const MAX_NOW = 100;

/** Takes the names of sessions, tokens and links, and the addresses of invitations, that ended before `until`, each with its line. */
export function forgetAccess(context: Context, { until, by }: By & { readonly until: string }): Promise<void> {
  return change(context, async (tx, chain) => {
    const writing = { tx, chain };
    const named = tx.db.selectFrom("credential").selectAll().where("name", "<>", "").orderBy("id").limit(MAX_NOW);
    const isOver = named.where(({ eb, or }) => or([eb("ended_at", "<", until), eb("expires_at", "<", until)]));
    await eraseNames(writing, await isOver.execute(), by);
    const sent = tx.db.selectFrom("invitation").selectAll().where("email", "is not", null).orderBy("id").limit(MAX_NOW);
    const isPast = sent.where(({ eb, or }) => or([eb("ended_at", "<", until), eb("expires_at", "<", until)]));
    await eraseAddresses(context, writing, await isPast.execute(), by);
  });
}

async function eraseIdentities({ tx, chain }: Writing, { principal, by }: By & { principal: PrincipalId }) {
  const linked = tx.db.selectFrom("identity").selectAll().where("principal_id", "=", principal);
  for (const row of await linked.orderBy("id").execute()) {
    const after = { ...row, subject: `${ERASED} ${row.id}` };
    await tx.db.updateTable("identity").set({ subject: after.subject }).where("id", "=", row.id).execute();
    chain.append({ actor: by, action: "identity.erase", ...images.identity(after) });
  }
}

async function eraseInvitations(
  context: Context,
  writing: Writing,
  { principal, email, by }: By & { principal: PrincipalId; email: string | null },
) {
  const invited = writing.tx.db
    .selectFrom("invitation")
    .selectAll()
    .where("email", "is not", null)
    .where(({ eb, or }) => or([eb("accepted_by", "=", principal), eb("email", "=", email)]));
  await eraseAddresses(context, writing, await invited.orderBy("id").execute(), by);
}

async function eraseAddresses(context: Context, writing: Writing, rows: Tables["invitation"][], by: PrincipalId) {
  const { tx, chain } = writing;
  for (const row of rows) {
    const ended =
      row.ended_at === null
        ? await writeInvitationEnd(context, writing, { row, by, verb: "end", acceptedBy: null })
        : row;
    await tx.db.updateTable("invitation").set({ email: null }).where("id", "=", row.id).execute();
    chain.append({ actor: by, action: "invitation.erase", ...images.invitation({ ...ended, email: null }) });
  }
}

/** AI agents are called what their person likes. They were removed with them. */
async function eraseAgents(
  context: Context,
  { tx, chain }: Writing,
  { principal, by }: By & { principal: PrincipalId },
) {
  const acted = tx.db
    .selectFrom("principal")
    .selectAll()
    .where("kind", "=", "agent")
    .where("id", "in", tx.db.selectFrom("service").select("principal_id").where("on_behalf_of", "=", principal));
  for (const agent of await acted.orderBy("id").execute()) {
    await tx.db.updateTable("principal").set({ name: ERASED }).where("id", "=", agent.id).execute();
    chain.append({ actor: by, action: "principal.erase", subject: agent.id, image: { ...agent, name: ERASED } });
    await eraseCredentials({ tx, chain }, { principal: agent.id, by });
    await eraseWaiting(context, { tx, chain }, { principal: agent.id, by });
    await eraseConfirmations(context, { tx, chain }, { agent: agent.id, by });
    await eraseMentions({ tx, chain }, agent);
  }
}

/** Charges of programs outside that were not made keep neither key nor purpose: what waits is refused. */
async function eraseWaiting(
  { store }: Context,
  { tx, chain }: Writing,
  { principal, by }: By & { principal: PrincipalId },
) {
  for (const before of await rowsWith(tx.db, "declare_wait", { principal_id: principal }, "digest")) {
    const { digest, key, refused_at, refused_by } = before;
    // Of what was made the ledger says it all; what was refused under the key of another charge was not made.
    const made = refused_at === null && (await rowWith(tx.db, "charge", { principal_id: principal, key }));
    if (made) continue;
    const refused = { refused_at: refused_at ?? store.now(), refused_by: refused_by ?? by };
    const row = { ...before, key: ERASED, request: "{}", ...refused };
    await setRow(tx.db, "declare_wait", { digest }, { key: ERASED, request: "{}", ...refused });
    chain.append({ actor: by, action: "charge.erase", ...images.declare_wait(row) });
    await rewriteMessages({ tx, chain }, digest, ({ subject, facts }) =>
      subject === digest ? { ...facts, key: ERASED } : facts,
    );
  }
}

/** Releases of an agent that waited for a click and were not made keep neither key, question nor purpose: they are refused. */
async function eraseConfirmations(
  { store }: Context,
  { tx, chain }: Writing,
  { agent, by }: By & { agent: PrincipalId },
) {
  for (const before of await rowsWith(tx.db, "confirmation", { principal_id: agent }, "id")) {
    if ((await rowWith(tx.db, "charge", { principal_id: agent, key: before.key })) !== undefined) continue;
    const said = { key: `${ERASED} ${before.id}`, asked: "{}", purpose: null };
    const row = { ...before, ...said, status: "refused", decided_at: before.decided_at ?? store.now() } as const;
    await putRow(tx.db, "confirmation", row, "id");
    chain.append({ actor: by, action: "confirmation.erase", ...images.confirmation(row) });
  }
}

/** Drafts with what was said about them, and dashboards that no one else sees. A dashboard that others see stays, as what else one wrote for them. */
async function eraseOwn({ tx, chain }: Writing, { principal, by }: By & { principal: PrincipalId }) {
  const { db } = tx;
  const drafts = await db.selectFrom("draft").select("id").where("owner_id", "=", principal).orderBy("id").execute();
  for (const { id } of drafts) {
    await db.deleteFrom("draft_comment").where("draft_id", "=", id).execute();
    await db.deleteFrom("draft").where("id", "=", id).execute();
    chain.append({ actor: by, action: "draft.delete", subject: id });
  }
  const own = db.selectFrom("dashboard").select("id").where("owner_id", "=", principal);
  for (const { id } of await own.where("team_id", "is", null).where("readers", "=", "[]").orderBy("id").execute()) {
    await db.deleteFrom("dashboard").where("id", "=", id).execute();
    chain.append({ actor: by, action: "dashboard.delete", subject: id });
  }
}

/** The facts of a notification that name a person. */
const NAMES = new Set(["requester", "holder", "agent", "person"]);

/** Notifications of others, and letters to them that wait, say the name. They also forget other people of the same name. */
const eraseMentions = (writing: Writing, { name }: Tables["principal"]): Promise<void> =>
  rewriteMessages(writing, name, ({ facts }) =>
    Object.fromEntries(
      Object.entries(facts).map(([fact, said]) => [fact, NAMES.has(fact) && said === name ? ERASED : said]),
    ),
  );

/** A message, as `notify` writes it: one of a webhook stands for `others`. */
interface Message {
  readonly subject: string;
  readonly facts: Facts;
  readonly others?: readonly Message[];
}

/** Rewrites the facts of notifications, and of letters that wait, that have `text` somewhere; a letter that was sent goes. */
async function rewriteMessages({ tx }: Writing, text: string, rewritten: (message: Message) => Facts): Promise<void> {
  const like = `%${JSON.stringify(text).replace(/[\\%_]/g, "_")}%`;
  const shown = tx.db.selectFrom("notification").select(["id", "subject", "facts"]);
  const named = shown.where(({ eb, or }) => or([eb("facts", "like", like), eb("subject", "=", text)]));
  for (const { id, subject, facts: before } of await named.execute()) {
    const facts = JSON.stringify(rewritten({ subject, facts: JSON.parse(before) }));
    await setRow(tx.db, "notification", { id }, { facts });
  }
  const all = (one: Message): Message => ({
    ...one,
    facts: rewritten(one),
    ...present({ others: one.others?.map(all) }),
  });
  const letters = tx.db.selectFrom("outbox").select(["id", "message", "ended_at"]).where("message", "like", like);
  for (const { id, message, ended_at } of await letters.execute())
    await (ended_at === null
      ? setRow(tx.db, "outbox", { id }, { message: JSON.stringify(all(JSON.parse(message))) })
      : tx.db.deleteFrom("outbox").where("id", "=", id).execute());
}
