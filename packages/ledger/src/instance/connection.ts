import { PrivacyError } from "@dosimeter/core";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import { found } from "../values/check.ts";
import type { By, PrincipalId } from "../values/id.ts";
import type { Json } from "../values/json.ts";

/** A database whose tables may be declared, as an admin added it. */
export interface AddedConnection {
  readonly name: string;
  /** Without a password. */
  readonly url: string;
  /** The name of a password or token in a file of the operator's. */
  readonly secret: string;
  readonly at: string;
  readonly by: PrincipalId;
}

/** By name. */
export async function addedConnections({ store: { read } }: Context): Promise<readonly AddedConnection[]> {
  const rows = await read.selectFrom("connection").selectAll().orderBy("name").execute();
  return rows.map(({ added_at: at, added_by: by, ...row }) => ({ ...row, at, by }));
}

/** Whether a declaration is of a table that is read through the connection. */
interface Reading {
  readonly isRead: (declaration: Json) => boolean;
}

/** Each is signed in to again and again, and read for each job. */
const MAX_CONNECTIONS = 100;

/**
 * CONFLICT where there is one of this name or to the same database, or a version of a dataset is read through an operator's: it would be read
 * elsewhere from now on. At most 100.
 */
export function addConnection(
  context: Context,
  {
    by,
    name,
    url,
    secret,
    isRead,
    isSame,
  }: By & Omit<AddedConnection, "at"> & Reading & { readonly isSame: (url: string) => boolean },
): Promise<AddedConnection> {
  return change(context, async (tx, chain) => {
    const known = await tx.db.selectFrom("connection").select(["name", "url"]).execute();
    if (known.length >= MAX_CONNECTIONS)
      throw new PrivacyError("CONFLICT", {
        name: "connections",
        got: known.length,
        want: `less than ${MAX_CONNECTIONS}`,
      });
    const same = known.find((one) => one.name !== name && isSame(one.url));
    if (same !== undefined) throw sameDatabase(same.name);
    if (known.some((one) => one.name === name) || (await anyVersion(tx, isRead)))
      throw new PrivacyError("CONFLICT", {
        name: "body.name",
        got: name,
        want: "a name that no connection and no table of a dataset has",
      });
    const at = context.store.now();
    await tx.db.insertInto("connection").values({ name, url, secret, added_at: at, added_by: by }).execute();
    chain.append({ actor: by, action: "connection.add", subject: name, detail: { url, secret } });
    return { name, url, secret, at, by };
  });
}

/** A table that is declared through both would have two ledgers. */
export const sameDatabase = (other: string): PrivacyError =>
  new PrivacyError(
    "CONFLICT",
    { name: "body.url" },
    `the connection ${other} reads this database: declare tables through it, so that their people have one budget`,
  );

/** CONFLICT while any version of a dataset is read through it. */
export function removeConnection(
  context: Context,
  { by, name, isRead }: By & Pick<AddedConnection, "name"> & Reading,
): Promise<void> {
  return change(context, async (tx, chain) => {
    const { url, secret } = found(await rowWith(tx.db, "connection", { name }), "connection", name);
    if (await anyVersion(tx, isRead))
      throw new PrivacyError("CONFLICT", { name: "connection" }, "a dataset is read through this connection: it stays");
    await tx.db.deleteFrom("connection").where("name", "=", name).execute();
    chain.append({ actor: by, action: "connection.remove", subject: name, detail: { url, secret } });
  });
}

async function anyVersion({ db }: Tx, isRead: Reading["isRead"]): Promise<boolean> {
  const versions = await db.selectFrom("dataset_version").select("declaration").execute();
  return versions.some(({ declaration }) => isRead(JSON.parse(declaration) as Json));
}
