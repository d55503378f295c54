import { PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { rowWith, setRow } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { By, PrincipalId } from "../values/id.ts";
import { endCredentials } from "./credential.ts";
import { principalRow } from "./principal.ts";

interface SecondFactor {
  /** Shared with an authenticator app, as it is stored. A person who reads it can make every code. */
  readonly secret: string;
  /** Null until a code has shown that the app holds the secret: no sign-in asks for it before. */
  readonly confirmedAt: string | null;
  readonly recoveryLeft: number;
}

type Of = By & { readonly principal: PrincipalId };

export async function secondFactorOf({ store }: Context, principal: PrincipalId): Promise<SecondFactor | null> {
  const row = await rowWith(store.read, "second_factor", { principal_id: principal });
  if (row === undefined) return null;
  return { secret: row.secret, confirmedAt: row.confirmed_at, recoveryLeft: hashesIn(row).length };
}

export async function secondFactors({ store }: Context): Promise<ReadonlySet<PrincipalId>> {
  const rows = await store.read
    .selectFrom("second_factor")
    .select("principal_id")
    .where("confirmed_at", "is not", null)
    .execute();
  return new Set(rows.map(({ principal_id }) => principal_id));
}

type Begun = Of & {
  readonly secret: string;
  /** By who gave the password and has no session: the person is notified. */
  readonly atSignIn: boolean;
};

/** Keeps the secret of an app that has shown no code yet, in the place of an earlier one. CONFLICT where one is confirmed. */
export function beginSecondFactor(context: Context, { principal, secret, atSignIn, by }: Begun): Promise<void> {
  return change(context, async (tx, chain) => {
    await principalRow(tx, principal);
    const before = await rowWith(tx.db, "second_factor", { principal_id: principal });
    if (before !== undefined && before.confirmed_at !== null)
      throw new PrivacyError("CONFLICT", {}, "there is a second factor already: end it first");
    await remove(tx, principal);
    const row = { principal_id: principal, secret, last_step: 0n, recovery: "[]", created_at: context.store.now() };
    const detail = { principal, how: atSignIn ? "signIn" : "settings" };
    chain.append({ actor: by, action: "secondFactor.begin", subject: principal, detail });
    await tx.db
      .insertInto("second_factor")
      .values({ ...row, confirmed_at: null })
      .execute();
  });
}

type Confirmed = Of & {
  /** The secret, as it is stored, whose code was right: another may have taken its place since. */
  readonly secret: string;
  /** The time step of that code. */
  readonly step: number;
  /** Recovery codes, as text; only their hashes are kept. */
  readonly recovery: readonly string[];
  /** The session that goes on; every other ends. */
  readonly keep?: string | undefined;
};

/** From now on a password is not enough. CONFLICT where the secret has changed or is confirmed already. */
export function confirmSecondFactor(context: Context, given: Confirmed): Promise<void> {
  const { principal, secret, step, recovery, keep, by } = given;
  return change(context, async (tx, chain) => {
    const before = await rowWith(tx.db, "second_factor", { principal_id: principal });
    if (before === undefined || before.confirmed_at !== null || before.secret !== secret)
      throw new PrivacyError("CONFLICT", {}, "the second factor has changed meanwhile: begin again");
    const hashes = JSON.stringify(recovery.map((code) => context.store.sha256(code)));
    await setRow(
      tx.db,
      "second_factor",
      { principal_id: principal },
      { last_step: BigInt(step), recovery: hashes, confirmed_at: context.store.now() },
    );
    chain.append({ actor: by, action: "secondFactor.confirm", subject: principal, detail: { principal } });
    await endCredentials(context, { tx, chain }, { principal, kind: "session", keep, by });
  });
}

/** Takes the code of a time step, once: false for this step or an earlier one again, also when two servers are asked at once. */
export function useSecondFactor(
  { store }: Context,
  { principal, secret, step }: { principal: PrincipalId; secret: string; step: number },
): Promise<boolean> {
  return store.transact(async (tx) => {
    const row = await rowWith(tx.db, "second_factor", { principal_id: principal });
    if (row === undefined || row.secret !== secret || row.last_step >= BigInt(step)) return false;
    const next = { last_step: BigInt(step) };
    await tx.db.updateTable("second_factor").set(next).where("principal_id", "=", principal).execute();
    return true;
  });
}

/** Takes a recovery code, once, and says so in the audit; false where it is none of this person's. */
export function useRecoveryCode(
  context: Context,
  { principal, code }: { principal: PrincipalId; code: string },
): Promise<boolean> {
  return change(context, async (tx, chain) => {
    const row = await rowWith(tx.db, "second_factor", { principal_id: principal });
    if (row === undefined || row.confirmed_at === null) return false;
    const hashes = hashesIn(row);
    const left = hashes.filter((hash) => hash !== context.store.sha256(code));
    if (left.length === hashes.length) return false;
    const next = { recovery: JSON.stringify(left) };
    await tx.db.updateTable("second_factor").set(next).where("principal_id", "=", principal).execute();
    const detail = { principal, left: left.length };
    chain.append({ actor: principal, action: "secondFactor.recover", subject: principal, detail });
    return true;
  });
}

/** Deletes it, its secret and its recovery codes: the password alone is enough again. NOT_FOUND where there is none. */
export function endSecondFactor(context: Context, options: Of & { reason?: string | undefined }): Promise<void> {
  return change(context, async (tx, chain) => {
    if (!(await endSecondFactorIn({ tx, chain }, options)))
      throw new PrivacyError("NOT_FOUND", {}, "there is no second factor");
  });
}

export async function endSecondFactorIn(
  { tx, chain }: Writing,
  { principal, by, reason }: Of & { reason?: string | undefined },
): Promise<boolean> {
  const before = await rowWith(tx.db, "second_factor", { principal_id: principal });
  await remove(tx, principal);
  if (before === undefined || before.confirmed_at === null) return false;
  const detail = { principal, ...present({ reason }) };
  chain.append({ actor: by, action: "secondFactor.end", subject: principal, detail });
  return true;
}

const remove = (tx: Tx, principal: PrincipalId) =>
  tx.db.deleteFrom("second_factor").where("principal_id", "=", principal).execute();

const hashesIn = ({ recovery }: { readonly recovery: string }): readonly string[] => JSON.parse(recovery) as string[];
