import { invalid, PrivacyError } from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { outboxRow } from "../outbox/notify.ts";
import { record, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { found } from "../values/check.ts";
import { type By, newId, newSecret, type PrincipalId, type TeamId } from "../values/id.ts";
import { isBannedIn } from "./ban.ts";
import { mayInvite, writeInvitationEnd } from "./expire-delegations.ts";
import { setPasswordIn } from "./password.ts";
import { checkEmail, createPrincipalIn, type Principal } from "./principal.ts";
import { addMemberIn, type Team, teamRow, toTeam } from "./team.ts";
import { linksAdmitIn } from "./team-policy.ts";
import { typeAddressIn } from "./typed-address.ts";

/** A way into a team for the holder of its secret: once, until it expires or is taken back. */
export interface Invitation {
  readonly id: string;
  readonly team: TeamId;
  readonly role: "member" | "teamAdmin";
  /** Where it was sent; null for a link that is handed over. */
  readonly email: string | null;
  readonly by: PrincipalId;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly acceptedBy: PrincipalId | null;
  readonly endedAt: string | null;
}

type Row = Tables["invitation"];

const toInvitation = (row: Row): Invitation => ({
  ...record(row, "id", "team_id", "role", "email", "created_at", "expires_at", "accepted_by", "ended_at"),
  by: row.created_by,
});

interface NewInvitation extends By {
  readonly team: TeamId;
  readonly role: Invitation["role"];
  readonly email?: string | undefined;
  readonly days: number;
}

/** With an address: mailed, its secret made when the mail is. Without: the secret, this once. */
export function invite(
  context: Context,
  { team, role, email, days, by }: NewInvitation,
): Promise<{ invitation: Invitation; secret: string | null }> {
  const { store } = context;
  return change(context, async (tx, chain) => {
    await teamRow(tx, team);
    const address = email === undefined ? null : checkEmail(email);
    const secret = address === null ? newSecret("dsi") : null;
    const now = store.now();
    const row: Row = {
      id: newId("invitation"),
      team_id: team,
      role,
      email: address,
      secret_hash: secret === null ? null : store.sha256(secret),
      created_by: by,
      created_at: now,
      expires_at: new Date(Date.parse(now) + days * 86_400_000).toISOString(),
      accepted_by: null,
      ended_at: null,
    };
    await tx.db.insertInto("invitation").values(row).execute();
    chain.append({ actor: by, action: "invitation.create", detail: { team, role }, ...images.invitation(row) });
    if (address !== null) {
      const message = JSON.stringify({ kind: "invitation", invitation: row.id });
      const mail = outboxRow({ channel: "mail", address, message, principal: null, at: now });
      await tx.db.insertInto("outbox").values(mail).execute();
    }
    return { invitation: toInvitation(row), secret };
  });
}

/** A fresh secret for the mail about to be sent; the one before it, if any, no longer works. Null when it has ended. */
export function mintInvitation(
  context: Context,
  invitation: string,
): Promise<{ invitation: Invitation; secret: string } | null> {
  const { store } = context;
  return change(context, async (tx, chain) => {
    const row = await rowOf(tx, invitation);
    if (!(await letsIn(tx, row, store.now()))) return null;
    const secret = newSecret("dsi");
    const after = { ...row, secret_hash: store.sha256(secret) };
    await tx.db.updateTable("invitation").set({ secret_hash: after.secret_hash }).where("id", "=", row.id).execute();
    chain.append({ actor: row.created_by, action: "invitation.mail", ...images.invitation(after) });
    return { invitation: toInvitation(after), secret };
  });
}

interface Newcomer {
  readonly secret: string;
  readonly name: string;
  /** By a link, with a password: proves nothing. A mailed invitation has its own. */
  readonly email?: string | undefined;
  readonly hash?: string | undefined;
  /** Whether this instance lets a link vouch for a newcomer at all, whatever the team's policy. */
  readonly mayLinksAdmit: boolean;
}

/**
 * Someone new, let in: by a mail with its address, by a link where the team's policy, as it stands now, allows it. CONFLICT where it does not,
 * and when a person has the address of the mail, or had it whom an admin removed: of an address that is typed nothing is said.
 */
export function joinByInvitation(
  context: Context,
  { secret, name, mayLinksAdmit, email: given, hash }: Newcomer,
): Promise<Principal> {
  return change(context, async (tx, chain) => {
    const { row } = await liveInvitation(context, tx, secret);
    const { created_by: by } = row;
    const { email } = row;
    if (!(await admitsNewcomer(tx, row, mayLinksAdmit)) || (await isBannedIn(context, tx, { email })))
      throw new PrivacyError(
        "CONFLICT",
        { name: "invitation" },
        email === null
          ? "sign in first: this link is for people who are here already"
          : "someone here has this address: sign in first",
      );
    if (email === null && (hash === undefined) !== (given === undefined))
      invalid("email", given, "given with a password, or neither: people sign in with both");
    const address = email === null ? {} : { email };
    const person = await createPrincipalIn(context, { tx, chain }, { kind: "user", name, ...address, by });
    await acceptIn(context, { tx, chain }, { secret, by: person.id });
    if (hash !== undefined) await setPasswordIn(context, { tx, chain }, { principal: person.id, hash, by: person.id });
    if (email === null && given !== undefined) await typeAddressIn(tx, person.id, given);
    return person;
  });
}

/** Joins; UNAUTHENTICATED, in the same words, for a secret that is wrong, used, expired, taken back or of an inviter without the right. */
export function acceptInvitation(
  context: Context,
  options: By & { secret: string },
): Promise<{ invitation: Invitation; team: Team }> {
  return change(context, (tx, chain) => acceptIn(context, { tx, chain }, options));
}

async function acceptIn(
  context: Context,
  { tx, chain }: Writing,
  { secret, by }: By & { secret: string },
): Promise<{ invitation: Invitation; team: Team }> {
  const { row, team } = await liveInvitation(context, tx, secret);
  const ended = await writeInvitationEnd(context, { tx, chain }, { row, by, verb: "accept", acceptedBy: by });
  const place = { team: row.team_id, principal: by, role: row.role };
  await addMemberIn(context, { tx, chain }, { ...place, by: row.created_by });
  return { invitation: toInvitation(ended), team: toTeam(team) };
}

/** A link makes a newcomer a member: who leads a team lets others in, and must be known by more than a name. */
async function admitsNewcomer(
  tx: Pick<Tx, "db">,
  { email, team_id, role }: Row,
  mayLinksAdmit: boolean,
): Promise<boolean> {
  if (email === null) return mayLinksAdmit && role === "member" && (await linksAdmitIn(tx, team_id)) === "newcomers";
  return (await rowWith(tx.db, "principal", { email })) === undefined;
}

/** What a secret lets in to, and whether a person who is not here yet can come in with it; null where it lets no one in. */
export async function openInvitation(
  context: Context,
  { secret, mayLinksAdmit }: Pick<Newcomer, "secret" | "mayLinksAdmit">,
): Promise<{ invitation: Invitation; team: Team; newcomer: boolean } | null> {
  const { read } = context.store;
  const live = await liveInvitation(context, { db: read }, secret).catch((error: unknown) => {
    if (error instanceof PrivacyError && error.code === "UNAUTHENTICATED") return null;
    throw error;
  });
  if (live === null) return null;
  const newcomer = await admitsNewcomer({ db: read }, live.row, mayLinksAdmit);
  return { invitation: toInvitation(live.row), team: toTeam(live.team), newcomer };
}

async function liveInvitation({ store }: Context, tx: Pick<Tx, "db">, secret: string) {
  const row = await rowWith(tx.db, "invitation", { secret_hash: store.sha256(secret) });
  if (row === undefined || !(await letsIn(tx, row, store.now()))) throw new PrivacyError("UNAUTHENTICATED");
  const team = await teamRow(tx, row.team_id);
  if (team.closed_at !== null) throw new PrivacyError("UNAUTHENTICATED");
  return { row, team };
}

export function endInvitation(context: Context, { invitation, by }: By & { invitation: string }): Promise<Invitation> {
  return change(context, async (tx, chain) => {
    const row = await rowOf(tx, invitation);
    if (row.ended_at !== null) return toInvitation(row);
    return toInvitation(await writeInvitationEnd(context, { tx, chain }, { row, by, verb: "end", acceptedBy: null }));
  });
}

const rowOf = async ({ db }: Pick<Tx, "db">, id: string): Promise<Row> =>
  found(await db.selectFrom("invitation").selectAll().where("id", "=", id).executeTakeFirst(), "invitation", id);

const letsIn = async (tx: Pick<Tx, "db">, row: Row, now: string): Promise<boolean> =>
  row.ended_at === null && row.expires_at > now && (await mayInvite(tx, row));

export const invitation = async ({ store }: Context, id: string): Promise<Invitation> =>
  toInvitation(await rowOf({ db: store.read }, id));

/** The open invitations, newest first. */
export async function invitations({ store }: Context, team: TeamId): Promise<readonly Invitation[]> {
  const rows = await store.read
    .selectFrom("invitation")
    .selectAll()
    .where("team_id", "=", team)
    .where("ended_at", "is", null)
    .where("expires_at", ">", store.now())
    .orderBy("id", "desc")
    .execute();
  return rows.map(toInvitation);
}
