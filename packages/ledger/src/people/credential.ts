import { invalid, PrivacyError } from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { record, rowsOf, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { checkInstant, checkName, found } from "../values/check.ts";
import { type By, newId, newSecret, type PrincipalId } from "../values/id.ts";
import { type Principal, principalRow, systemPrincipal, toPrincipal } from "./principal.ts";

/** A bearer token, a browser session or a one-time sign-in link. Only the SHA-256 of its secret is stored. */
export interface Credential {
  readonly id: string;
  readonly kind: "token" | "session" | "link";
  readonly principal: PrincipalId;
  readonly name: string;
  /** Empty means everything the principal may do. */
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string;
  /** When it was revoked, signed out or used up. */
  readonly endedAt: string | null;
  /** The token or session that made it, where one is known. */
  readonly maker: string | null;
}

export interface NewCredential extends By {
  readonly kind: Credential["kind"];
  readonly principal: PrincipalId;
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** The address its secret goes to: CONFLICT unless it is the principal's. */
  readonly address?: string;
  /** ISO 8601, in the future. */
  readonly expiresAt: string;
  /** The id of the token or session that makes it. */
  readonly maker?: string | undefined;
  /** Where it follows from another. */
  readonly secret?: string;
}

/** The principal of a valid secret, and its credential. */
export interface Authenticated {
  readonly principal: Principal;
  readonly credential: Credential;
}

/** The prefix of a secret, by which scanners recognise leaked ones, and pages what a link is for. */
const secretPrefixes = {
  token: "dsm",
  session: "dss",
  link: "dsl",
  passwordLink: "dsp",
  code: "dsc",
  refresh: "dsr",
} as const;
type Purpose = keyof typeof secretPrefixes;

/** The first scope of a link that signs no one in: who has it sets a new password, or fetches tokens, for the first time or again. */
export const TO_SET_PASSWORD = "password";
export const TO_FETCH_TOKEN = "code";
export const TO_REFRESH = "refresh";

/** What its secret and its lines in the audit are called after. */
export function purposeOf({ kind, scopes }: Pick<Tables["credential"], "kind" | "scopes">): Purpose {
  const [first] = kind === "link" ? (JSON.parse(scopes) as string[]) : [];
  if (first === TO_FETCH_TOKEN || first === TO_REFRESH) return first;
  return first === TO_SET_PASSWORD ? "passwordLink" : kind;
}

type Made = Tables["credential"] & { readonly maker_id: string | null };

const withMaker = ({ db }: Pick<Tx, "db">) =>
  db
    .selectFrom("credential")
    .leftJoin("credential_maker", "credential_maker.credential_id", "credential.id")
    .selectAll("credential")
    .select("credential_maker.maker_id");

export const toCredential = (row: Made): Credential => ({
  ...record(row, "id", "kind", "principal_id", "name", "created_at", "expires_at", "ended_at", "maker_id"),
  scopes: JSON.parse(row.scopes) as string[],
});

export interface MadeCredential {
  readonly credential: Credential;
  readonly secret: string;
}

/** The secret is returned this once. */
export const createCredential = (context: Context, given: NewCredential): Promise<MadeCredential> =>
  change(context, (tx, chain) => createCredentialIn(context, { tx, chain }, given));

export async function createCredentialIn(
  context: Context,
  { tx, chain }: Writing,
  { kind, principal, name = "", scopes = [], address, expiresAt, maker, by, ...given }: NewCredential,
): Promise<MadeCredential> {
  const now = context.store.now();
  const expires = checkInstant(expiresAt, "expiresAt");
  if (expires <= now) invalid("expiresAt", expires, "in the future");
  const owner = await principalRow(tx, principal);
  if (owner.disabled_at !== null || principal === systemPrincipal) {
    throw new PrivacyError("FORBIDDEN", { name: "principal", got: principal, want: "someone who can sign in" });
  }
  // Someone who is let in could decide in a person's place what an agent asks.
  if (by !== principal && (await principalRow(tx, by)).kind === "agent")
    throw new PrivacyError("FORBIDDEN", {}, "an AI agent lets no one in");
  if (address !== undefined && owner.email !== address)
    throw new PrivacyError("CONFLICT", { name: "address", want: "that of the person" });
  const purpose = purposeOf({ kind, scopes: JSON.stringify(scopes) });
  const secret = given.secret ?? newSecret(secretPrefixes[purpose]);
  const row: Tables["credential"] = {
    id: newId(kind),
    kind,
    principal_id: principal,
    name: kind === "token" && name !== "" ? checkName(name, "name") : name.trim().slice(0, 200),
    secret_hash: context.store.sha256(secret),
    scopes: JSON.stringify(scopes),
    created_at: now,
    expires_at: expires,
    ended_at: null,
  };
  await tx.db.insertInto("credential").values(row).execute();
  chain.append({
    actor: by,
    action: `${purpose}.create`,
    subject: row.id,
    detail: { principal, scopes, ...(address === undefined ? {} : { how: "mail" }) },
    image: row,
  });
  if (maker !== undefined) {
    const made = { credential_id: row.id, maker_id: maker };
    await tx.db.insertInto("credential_maker").values(made).execute();
    chain.append({ actor: by, action: "credential.make", ...images.credential_maker(made) });
  }
  return { credential: toCredential({ ...row, maker_id: maker ?? null }), secret };
}

/** The same reply for every reason, so that guesses reveal nothing. */
export const unauthenticated = () => new PrivacyError("UNAUTHENTICATED");

/** Finds by hash, so that the time it takes does not depend on any stored secret. */
export async function authenticate(
  { store }: Context,
  kind: "token" | "session",
  secret: string,
): Promise<Authenticated> {
  const row = await withMaker({ db: store.read }).where("secret_hash", "=", store.sha256(secret)).executeTakeFirst();
  if (row === undefined || row.kind !== kind || !live(row, store.now())) throw unauthenticated();
  const principal = await principalRow({ db: store.read }, row.principal_id);
  if (principal.disabled_at !== null) throw unauthenticated();
  return { principal: toPrincipal(principal), credential: toCredential(row) };
}

/** A link that is in force, and whose it is. UNAUTHENTICATED, also for a link to something else. */
export async function liveLink(
  { store }: Context,
  tx: Pick<Tx, "db">,
  { secret, purpose }: { readonly secret: string; readonly purpose: "link" | "passwordLink" },
) {
  const row = await rowWith(tx.db, "credential", { secret_hash: store.sha256(secret) });
  if (row === undefined || purposeOf(row) !== purpose || !live(row, store.now())) throw unauthenticated();
  const principal = await principalRow(tx, row.principal_id);
  if (principal.disabled_at !== null) throw unauthenticated();
  return { row, principal: toPrincipal(principal) };
}

/** Looks and marks as used in one transaction: two browsers cannot both get in. */
export function redeemLink(context: Context, secret: string): Promise<Principal> {
  return change(context, async (tx, chain) => {
    const { row, principal } = await liveLink(context, tx, { secret, purpose: "link" });
    await endIn(context, { tx, chain }, { row, by: principal.id, action: "link.use" });
    return principal;
  });
}

/** Ends one secret. A token ends because it leaked: what was made with it ends too, and what was made with that; of a program, all it has. */
export function endCredential(context: Context, { credential, by }: By & { credential: string }): Promise<void> {
  return change(context, async (tx, chain) => {
    const row = found(
      await tx.db.selectFrom("credential").selectAll().where("id", "=", credential).executeTakeFirst(),
      "credential",
      credential,
    );
    for (const each of await withMade(tx, row))
      if (each.ended_at === null) await endIn(context, { tx, chain }, { row: each, by });
  });
}

async function withMade(tx: Tx, row: Tables["credential"]): Promise<readonly Tables["credential"][]> {
  const maker = await makerOf(tx, row.id);
  const first = maker !== undefined && purposeOf(maker) === "code" ? maker : row;
  const isMaker = first.kind === "token" || purposeOf(first) === "code";
  return isMaker ? [first, ...(await madeWith(tx, first.id))] : [first];
}

/** The token, session or code that made a secret, where one is known. */
export const makerOf = ({ db }: Tx, id: string): Promise<Tables["credential"] | undefined> =>
  db
    .selectFrom("credential")
    .innerJoin("credential_maker", "maker_id", "id")
    .selectAll("credential")
    .where("credential_id", "=", id)
    .executeTakeFirst();

/** What a secret made, and what that made, as far as it has not ended. One query: a program may have fetched more tokens than a list holds. */
export async function madeWith({ db }: Tx, id: string): Promise<readonly Tables["credential"][]> {
  return rowsOf(db, MADE, [id]);
}

const MADE = `WITH RECURSIVE made (id) AS (
    SELECT credential_id FROM credential_maker WHERE maker_id = ?
    UNION SELECT credential_id FROM credential_maker JOIN made ON maker_id = made.id)
  SELECT credential.* FROM credential JOIN made ON credential.id = made.id WHERE ended_at IS NULL ORDER BY credential.id`;

export async function endIn(
  { store }: Context,
  { tx, chain }: Writing,
  {
    row,
    by,
    action = `${purposeOf(row)}.end`,
  }: By & {
    readonly row: Tables["credential"];
    readonly action?: `${Exclude<Purpose, "token" | "session">}.use` | `${Purpose}.end`;
  },
): Promise<void> {
  const ended = { ...row, ended_at: store.now() };
  await tx.db.updateTable("credential").set({ ended_at: ended.ended_at }).where("id", "=", row.id).execute();
  chain.append({ actor: by, action, subject: row.id, image: ended });
}

interface Ended extends By {
  readonly principal: PrincipalId;
  readonly kind?: Credential["kind"];
  readonly keep?: string | undefined;
  /** Also what their tokens made, as where one leaked. */
  readonly areTokensLeaked?: boolean;
}

/** Ends the live secrets of a person, of one kind or all, except `keep`. */
export async function endCredentials(
  context: Context,
  writing: Writing,
  { principal, kind, keep, areTokensLeaked = false, by }: Ended,
): Promise<void> {
  let live = writing.tx.db
    .selectFrom("credential")
    .selectAll()
    .where("principal_id", "=", principal)
    .where("ended_at", "is", null);
  if (kind !== undefined) live = live.where("kind", "=", kind);
  const ended = new Set([keep]);
  for (const row of await live.orderBy("id").execute())
    for (const each of areTokensLeaked && !ended.has(row.id) ? await withMade(writing.tx, row) : [row]) {
      if (each.ended_at === null && !ended.has(each.id)) await endIn(context, writing, { row: each, by });
      ended.add(each.id);
    }
}

/** Ends the live links by which a person sets a new password. */
export async function endPasswordLinks(
  context: Context,
  writing: Writing,
  { principal, by }: By & { readonly principal: PrincipalId },
): Promise<void> {
  const links = await writing.tx.db
    .selectFrom("credential")
    .selectAll()
    .where("principal_id", "=", principal)
    .where("kind", "=", "link")
    .where("ended_at", "is", null)
    .where("expires_at", ">", context.store.now())
    .orderBy("id")
    .execute();
  for (const row of links) if (purposeOf(row) === "passwordLink") await endIn(context, writing, { row, by });
}

export async function credentials({ store }: Context, principal: PrincipalId): Promise<readonly Credential[]> {
  const rows = await withMaker({ db: store.read })
    .where("principal_id", "=", principal)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
  return rows.map(toCredential);
}

/** The tokens of a principal, newest first. A program that was let in has one line under the id of its code, as long as it may go on. */
export async function tokens(context: Context, principal: PrincipalId): Promise<readonly Credential[]> {
  const all = await credentials(context, principal);
  const refreshing = all.filter(({ scopes: [first] }) => first === TO_REFRESH);
  const codes = new Set(refreshing.map(({ maker }) => maker));
  const nexts = new Map(refreshing.flatMap((one) => (one.endedAt === null ? [[one.maker, one]] : [])));
  return all.flatMap((one) => {
    const next = nexts.get(one.id);
    if (next !== undefined) return [{ ...next, id: one.id, createdAt: one.createdAt }];
    return one.kind === "token" && !codes.has(one.maker) ? [one] : [];
  });
}

export const live = (row: Tables["credential"], now: string): boolean => row.ended_at === null && row.expires_at > now;
