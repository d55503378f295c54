import { invalid, PrivacyError } from "@dosimeter/core";
import type { Chain, Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { record, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { checkName, found, vacant } from "../values/check.ts";
import { type By, newId, type PrincipalId } from "../values/id.ts";
import { analystOf } from "./analyst.ts";

/** Someone or something that acts. Never deleted: every event keeps its principal. */
export interface Principal {
  readonly id: PrincipalId;
  readonly kind: "user" | "service" | "agent";
  readonly name: string;
  readonly email: string | null;
  /** Made by the demo; its sign-in ends as soon as a real user exists. */
  readonly demo: boolean;
  readonly createdAt: string;
  readonly removedAt: string | null;
}

/** The platform itself, the actor of automatic changes. It can neither sign in nor hold an account. */
export const systemPrincipal = "usr_system" as PrincipalId;

export const toPrincipal = (row: Tables["principal"]): Principal => ({
  ...record(row, "id", "kind", "name", "email", "created_at"),
  demo: row.demo === 1n,
  removedAt: row.disabled_at,
});

/** Makes the system principal in a new database. */
export async function seedSystem(context: Context): Promise<void> {
  await change(context, async ({ db }, chain) => {
    const present = await db.selectFrom("principal").select("id").where("id", "=", systemPrincipal).executeTakeFirst();
    if (present !== undefined) return;
    const row: Tables["principal"] = {
      id: systemPrincipal,
      kind: "service",
      name: "Dosimeter",
      email: null,
      demo: 0n,
      created_at: context.store.now(),
      disabled_at: null,
    };
    await db.insertInto("principal").values(row).execute();
    chain.append({ actor: row.id, action: "principal.create", subject: row.id, image: row });
  });
}

export interface NewPrincipal extends By {
  readonly kind: Principal["kind"];
  readonly name: string;
  readonly email?: string;
  readonly demo?: boolean;
  /** Whom a service or an agent acts for; its maker when absent; null: no person, so that it stays when its maker goes. */
  readonly onBehalfOf?: PrincipalId | null;
}

export function createPrincipal(context: Context, options: NewPrincipal): Promise<Principal> {
  return change(context, (tx, chain) => createPrincipalIn(context, { tx, chain }, options));
}

export async function createPrincipalIn(
  context: Context,
  { tx, chain }: Writing,
  { kind, name, email, demo = false, onBehalfOf, by }: NewPrincipal,
): Promise<Principal> {
  const { db } = tx;
  const row: Tables["principal"] = {
    id: newId("principal"),
    kind,
    name: checkName(name, "name"),
    email: email === undefined ? null : checkEmail(email),
    demo: demo ? 1n : 0n,
    created_at: context.store.now(),
    disabled_at: null,
  };
  if (row.email !== null) await vacantEmail(tx, row.email);
  await db.insertInto("principal").values(row).execute();
  chain.append({ actor: by, action: "principal.create", subject: row.id, detail: { kind }, image: row });
  await actFor(tx, chain, { row, onBehalfOf, by });
  return toPrincipal(row);
}

/** A service acts for the person who made it, unless another is named; a service that no person made acts for the instance. */
async function actFor(
  tx: Tx,
  chain: Chain,
  { row: { id, kind }, onBehalfOf, by }: By & { row: Tables["principal"]; onBehalfOf: PrincipalId | null | undefined },
): Promise<void> {
  if (kind === "user") {
    if (onBehalfOf === undefined) return;
    invalid("onBehalfOf", kind, "a service or an agent");
  }
  if (onBehalfOf === null) return;
  const analyst = onBehalfOf ?? (await analystOf(tx, by));
  const behind = await principalRow(tx, analyst);
  if (onBehalfOf === undefined && behind.kind !== "user") return;
  if (behind.kind !== "user" || behind.disabled_at !== null) invalid("onBehalfOf", analyst, "a person who can sign in");
  const row: Tables["service"] = { principal_id: id, on_behalf_of: analyst };
  await tx.db.insertInto("service").values(row).execute();
  chain.append({ actor: by, action: "principal.actFor", ...images.service(row) });
}

/** CONFLICT when a person has this address, removed or not. */
export async function vacantEmail({ db }: Tx, email: string): Promise<void> {
  const holder = await db.selectFrom("principal").selectAll().where("email", "=", email).executeTakeFirst();
  if (holder !== undefined && holder.disabled_at !== null)
    throw new PrivacyError("CONFLICT", {
      name: "email",
      got: email,
      want: `not in use: ${holder.name}, who was removed, can be let back in`,
    });
  vacant(holder, "email", email);
}

/** The person for whom each service and agent acts. */
export async function analystsBehind({ store }: Context): Promise<ReadonlyMap<string, PrincipalId>> {
  const rows = await store.read.selectFrom("service").selectAll().execute();
  return new Map(rows.map((row) => [row.principal_id, row.on_behalf_of]));
}

export async function principalRow({ db }: Pick<Tx, "db">, id: string): Promise<Tables["principal"]> {
  return found(await rowWith(db, "principal", { id }), "person", id);
}

export const principal = async ({ store }: Context, id: string): Promise<Principal> =>
  toPrincipal(await principalRow({ db: store.read }, id));

/** The row of a principal; CONFLICT when it was removed. */
export async function presentRow(tx: Pick<Tx, "db">, id: string): Promise<Tables["principal"]> {
  const row = await principalRow(tx, id);
  if (row.disabled_at !== null)
    throw new PrivacyError("CONFLICT", { name: "person", got: row.name, want: "a person who was not removed" });
  return row;
}

export async function principals({ store }: Context): Promise<readonly Principal[]> {
  const rows = await store.read
    .selectFrom("principal")
    .selectAll()
    .where("id", "<>", systemPrincipal)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(toPrincipal);
}

/** `on`: every user, removed ones too, was made by the demo. `ended`: there are others. Null: the demo made none. */
export type DemoStatus = "on" | "ended" | null;

export const demoStatus = ({ store }: Context): Promise<DemoStatus> => demoStatusIn({ db: store.read });

export async function demoStatusIn({ db }: Pick<Tx, "db">): Promise<DemoStatus> {
  const made = (demo: 0n | 1n) =>
    db
      .selectFrom("principal")
      .select("id")
      .where("kind", "=", "user")
      .where("demo", "=", demo)
      .where("id", "<>", systemPrincipal)
      .limit(1)
      .executeTakeFirst();
  if ((await made(1n)) === undefined) return null;
  return (await made(0n)) === undefined ? "on" : "ended";
}

export async function principalByEmail({ store }: Context, email: string): Promise<Principal | null> {
  const row = await rowWith(store.read, "principal", { email: checkEmail(email) });
  return row === undefined ? null : toPrincipal(row);
}

export function checkEmail(email: string): string {
  const text = email.trim().toLowerCase();
  if (!/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text)) {
    invalid("email", email, "an address such as ada@example.org");
  }
  return text;
}
