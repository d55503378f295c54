import { PrivacyError } from "@dosimeter/core";
import { rowsOf } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import type { AccountId, LedgerId, PrincipalId } from "../values/id.ts";
import { principalRow } from "./principal.ts";

type Binding = Tables["role_binding"]["role"];

/** The source of quota: the account, or the ledger itself when null. */
export interface Payer {
  readonly ledger: LedgerId;
  readonly parent: AccountId | null;
}

/**
 * Whether a person gives out the quota of this node, as the roles stand in this transaction: an admin of the team that
 * holds it or a node above it, or an admin of every dataset of the ledger.
 */
export async function paysFrom(tx: Pick<Tx, "db">, { ledger, parent }: Payer, person: PrincipalId): Promise<boolean> {
  for (let node = parent; node !== null; ) {
    const row = await tx.db
      .selectFrom("account")
      .select(["holder_kind", "holder_id", "parent_id"])
      .where("id", "=", node)
      .executeTakeFirstOrThrow();
    if (row.holder_kind === "team" && (await holds(tx, person, "teamAdmin", row.holder_id))) return true;
    node = row.parent_id;
  }
  const datasets = await tx.db
    .selectFrom("dataset")
    .innerJoin("ledger", "ledger.population_id", "dataset.population_id")
    .select("dataset.id")
    .where("ledger.id", "=", ledger)
    .execute();
  for (const { id } of datasets) if (!(await holds(tx, person, "datasetAdmin", id))) return false;
  return datasets.length > 0;
}

/** Whether an enabled principal has this role now; on everything where the object is null. */
export async function holds(
  { db }: Pick<Tx, "db">,
  person: PrincipalId,
  role: Binding,
  object: string | null,
): Promise<boolean> {
  const row = await db
    .selectFrom("role_binding")
    .innerJoin("principal", "principal.id", "role_binding.principal_id")
    .select("role_binding.id")
    .where("principal_id", "=", person)
    .where("role", "=", role)
    .where("object_id", object === null ? "is" : "=", object)
    .where("until_at", "is", null)
    .where("disabled_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

const MEMBER = "SELECT id FROM membership WHERE principal_id = ? AND team_id = ? AND until_at IS NULL";

export async function isMember({ db }: Pick<Tx, "db">, person: PrincipalId, team: string): Promise<boolean> {
  return (await rowsOf(db, MEMBER, [person, team])).length > 0;
}

/** People and services decide about budget; an AI agent does not, whatever roles it has. FORBIDDEN. */
export async function refuseAgent(tx: Pick<Tx, "db">, by: PrincipalId): Promise<void> {
  if ((await principalRow(tx, by)).kind === "agent")
    throw new PrivacyError("FORBIDDEN", {}, "an AI agent does not decide about budget");
}
