import { type Caps, type EpsilonAmount, type FilterState, PrivacyError } from "@dosimeter/core";
import type { Writing } from "../audit/chain.ts";
import { change } from "../audit/change.ts";
import { images } from "../audit/image.ts";
import type { Context } from "../context.ts";
import { ledgerRow } from "../ledger/ledger.ts";
import { allocatedOf, capsOf, quotaOf, stateOf } from "../ledger/node.ts";
import { LEFT } from "../stores/left-accounts.ts";
import { rowsOf, rowsWith, rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { found } from "../values/check.ts";
import type { AccountId, By, DatasetId, LedgerId, PopulationId, PrincipalId, TeamId } from "../values/id.ts";
import type { Quota } from "../values/terms.ts";
import { refuseOwnRaise } from "./own-raise.ts";

export type Holder =
  | { readonly kind: "dataset"; readonly id: DatasetId }
  | { readonly kind: "team"; readonly id: TeamId }
  | { readonly kind: "principal"; readonly id: PrincipalId }
  /** Quota set aside under a name: `id` is the name itself. */
  | { readonly kind: "purpose"; readonly id: string };

/** A node of the tree below a ledger. Its quota is permission, not a guarantee. Only accounts of principals are charged. */
export interface Account {
  readonly id: AccountId;
  readonly ledger: LedgerId;
  /** null: funded by the ledger itself. */
  readonly parent: AccountId | null;
  readonly holder: Holder;
  /** A `share` of the guarantee, or a `cap` on what its holder learns: of a person or a team, as others read nothing. */
  readonly kind: "share" | "cap";
  readonly mode: "funded" | "overbooked";
  readonly status: "active" | "frozen" | "closed";
  readonly quota: Quota;
  /** The sum of the children's quotas. */
  readonly allocated: Quota;
  readonly caps: Caps;
  readonly state: FilterState;
  readonly openedAt: string;
  /** When it closes by itself; null: never. */
  readonly expiresAt: string | null;
  /** The most that one charge may take, as a pure ε; null: no limit. */
  readonly queryEpsilon: EpsilonAmount | null;
}

type AccountRow = Tables["account"];

export function checkActive({ id, status }: AccountRow): void {
  if (status !== "active")
    throw new PrivacyError("ACCOUNT_CLOSED", { name: "account", got: `${id} ${status}`, want: "active" });
}

export async function accountRow({ db }: Pick<Tx, "db">, id: string): Promise<AccountRow> {
  return found(await rowWith(db, "account", { id }), "account", id);
}

/** The accounts from the root down to this one. NOT_FOUND. */
export async function accountsTo(tx: Pick<Tx, "db">, account: AccountId): Promise<readonly AccountRow[]> {
  const path: AccountRow[] = [];
  for (let id: string | null = account; id !== null; id = path[0]?.parent_id ?? null)
    path.unshift(await accountRow(tx, id));
  return path;
}

/** Whether it is a cap that counts what someone reads: of a person or a team. */
export const promisesLearning = ({ kind, holder }: Pick<Account, "kind" | "holder">): boolean =>
  kind === "cap" && (holder.kind === "principal" || holder.kind === "team");

export const holderOf = ({ holder_kind, holder_id }: Pick<AccountRow, "holder_kind" | "holder_id">): Holder =>
  ({ kind: holder_kind, id: holder_id }) as Holder;

export const toAccount = (row: AccountRow): Account => ({
  id: row.id,
  ledger: row.ledger_id,
  parent: row.parent_id,
  holder: holderOf(row),
  kind: row.kind,
  mode: row.mode,
  status: row.status,
  quota: quotaOf(row),
  allocated: allocatedOf(row),
  caps: capsOf(row),
  state: stateOf(row),
  openedAt: row.opened_at,
  expiresAt: row.expires_at,
  queryEpsilon: row.query_epsilon,
});

export const account = async ({ store }: Context, id: string): Promise<Account> =>
  toAccount(await accountRow({ db: store.read }, id));

/** In the order they were opened: parents before children. */
export async function accounts({ store: { read } }: Context, ledger: LedgerId): Promise<readonly Account[]> {
  await ledgerRow({ db: read }, ledger);
  const rows = await rowsWith(read, "account", { ledger_id: ledger }, "opened_at", "id");
  return rows.map(toAccount);
}

/** Those of a person, except below a team that they have left. */
export async function accountsOf({ store: { read } }: Context, principal: PrincipalId): Promise<readonly Account[]> {
  const left = await rowsOf<{ readonly id: AccountId }>(read, `${LEFT} SELECT id FROM lost`, [principal, principal]);
  const rows = await rowsWith(read, "account", { holder_kind: "principal", holder_id: principal }, "opened_at", "id");
  const lost = new Set(left.map(({ id }) => id));
  return rows.filter(({ id }) => !lost.has(id)).map(toAccount);
}

type Freezing = By & { readonly account: AccountId };

/** Refuses charges until it is unfrozen; quota stays where it is. */
export const freeze = (context: Context, options: Freezing): Promise<Account> => setStatus(context, options, "frozen");

export const unfreeze = (context: Context, options: Freezing): Promise<Account> =>
  setStatus(context, options, "active");

function setStatus(context: Context, { account, by }: Freezing, status: "active" | "frozen"): Promise<Account> {
  return change(context, async (tx, chain) => {
    const before = await accountRow(tx, account);
    if (before.status === "closed") checkActive(before);
    if (before.status === status) return toAccount(before);
    if (status === "active") await refuseOwnRaise(context, tx, before, by);
    return toAccount(await writeStatus({ tx, chain }, { row: before, status, by }));
  });
}

export async function writeStatus(
  { tx, chain }: Writing,
  { row, status, by }: By & { readonly row: AccountRow; readonly status: "active" | "frozen" },
): Promise<AccountRow> {
  await tx.db.updateTable("account").set({ status }).where("id", "=", row.id).execute();
  const action = status === "frozen" ? "account.freeze" : "account.unfreeze";
  const after = { ...row, status };
  chain.append({ actor: by, action, ledger: row.ledger_id, ...images.account(after) });
  return after;
}

/** The accounts to list: a person's own, and those of their teams and of the datasets they administer. */
interface Holders {
  readonly principal: PrincipalId;
  readonly teams: readonly TeamId[];
  readonly datasets: readonly DatasetId[];
}

/** The ledgers on which one of these holders has an account that they have not left, with their populations; only `ledger` when given. */
export async function ledgersHeld(
  { store: { read } }: Context,
  { principal, teams, datasets }: Holders,
  ledger?: LedgerId,
): Promise<readonly { readonly ledger: LedgerId; readonly population: PopulationId }[]> {
  const holders = [principal, ...teams, ...datasets];
  const query = `${LEFT} SELECT DISTINCT ledger.id, ledger.population_id FROM account JOIN ledger ON ledger.id = account.ledger_id
    WHERE account.holder_id IN (${holders.map(() => "?")}) AND account.id NOT IN (SELECT id FROM lost)`;
  const given = [principal, principal, ...holders];
  const rows = await rowsOf<Pick<Tables["ledger"], "id" | "population_id">>(
    read,
    ledger === undefined ? query : `${query} AND account.ledger_id = ? LIMIT 1`,
    ledger === undefined ? given : [...given, ledger],
  );
  return rows.map(({ id, population_id }) => ({ ledger: id, population: population_id }));
}
