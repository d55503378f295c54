import {
  type Caps,
  type ChargedStep,
  type DpEvent,
  type FilterState,
  type Lane,
  openState,
  replay,
} from "@dosimeter/core";
import type { Adjacency } from "../catalog/population.ts";
import type { Tx } from "../store.ts";

/** Everything that an account and all accounts below it were charged, in ledger order. */
export async function historyOf(tx: Pick<Tx, "db">, account: string): Promise<readonly ChargedStep[]> {
  const rows = await tx.db
    .selectFrom("entry")
    .select(["events", "lane"])
    .where("account_id", "in", await subtree(tx, account))
    .orderBy("number")
    .execute();
  return rows.map(({ events, lane }) => ({ events: JSON.parse(events) as DpEvent[], lane: lane as Lane }));
}

/** The account and all below it. */
async function subtree({ db }: Pick<Tx, "db">, account: string): Promise<readonly string[]> {
  const all = [account];
  for (let level: readonly string[] = all; level.length > 0; ) {
    const rows = await db.selectFrom("account").select("id").where("parent_id", "in", level).execute();
    level = rows.map(({ id }) => id);
    all.push(...level);
  }
  return all;
}

/** The state that a filter with these caps is in after a history; the same bits on every run of a build. */
export const stateAfter = (caps: Caps, history: readonly ChargedStep[], adjacency: Adjacency): FilterState =>
  replay(caps, history, adjacency).at(-1) ?? openState(caps);

/** Whether the rule in force admits such a state. */
export function holds(caps: Caps, state: FilterState, lane: Lane): boolean {
  if (state.delta > caps.delta) return false;
  return lane === "tight" ? state.residue !== null : state.epsilon !== null && state.epsilon <= caps.epsilon;
}
