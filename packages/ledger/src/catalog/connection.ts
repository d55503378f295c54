import { PrivacyError } from "@dosimeter/core";
import { rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";

/** The connection that a table was checked through: as an admin had added it, null where none had. */
export interface CheckedThrough {
  readonly name: string;
  readonly added: { readonly url: string; readonly at: string } | null;
}

/** CONFLICT where it was removed, or added again, while the table was checked. */
export async function refuseOtherConnection({ db }: Pick<Tx, "db">, { name, added }: CheckedThrough): Promise<void> {
  const row = await rowWith(db, "connection", { name });
  if (row?.url !== added?.url || row?.added_at !== added?.at)
    throw new PrivacyError(
      "CONFLICT",
      { name: "declaration.source" },
      `the connection ${name} was changed meanwhile; try again`,
    );
}
