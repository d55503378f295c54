import type { DeltaAmount, EpsilonAmount, Mu2Amount } from "@dosimeter/core";
import { plus } from "@dosimeter/core/internal";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { NOTHING } from "../ledger/amounts.ts";
import { type Entry, entriesOf } from "../ledger/entry.ts";
import { missingOf } from "../restore/restore-gap.ts";
import { type Declared, programOf } from "../values/declared.ts";
import type { AccountId, LedgerId, PrincipalId } from "../values/id.ts";
import { accountsBelow } from "./history.ts";

export interface OutsideProgram {
  readonly name: string;
  readonly person: PrincipalId;
  readonly charges: number;
  readonly tool: Declared["tool"] | null;
  readonly published: Declared["published"] | null;
  /** Stated by an admin of the ledger, and not by who holds an account. */
  readonly isImported: boolean;
}

/** What programs outside spent of a ledger, or through an account and those below it, as they declared. */
export interface OutsideSpend {
  readonly charges: number;
  /** null: something had no price in this sum. With blocks μ² is that of the fullest block of each charge. */
  readonly epsilon: EpsilonAmount | null;
  readonly delta: DeltaAmount;
  readonly mu2: Mu2Amount | null;
  readonly programs: readonly OutsideProgram[];
  /** What was published before and the ledger, frozen for it, does not count. [M391] */
  readonly uncounted: string | null;
}

export function outsideSpend(
  { store }: Context,
  { ledger, account }: { readonly ledger: LedgerId; readonly account?: AccountId | undefined },
): Promise<OutsideSpend> {
  return store.snapshot(async (db) => {
    const below = account === undefined ? null : await accountsBelow(account, ledger, db);
    // Two queries, each by its index: most ledgers have many charges and few of these.
    const charged = db
      .selectFrom("declared_charge")
      .innerJoin("entry", "entry.seq", "declared_charge.entry_seq")
      .selectAll("entry")
      .where("declared_charge.ledger_id", "=", ledger);
    const published = db
      .selectFrom("entry")
      .selectAll()
      .where("ledger_id", "=", ledger)
      .where(sql<boolean>`kind <> 'charge'`)
      .where("key", "is not", null);
    const rows = [...(await charged.execute()), ...(await published.execute())].sort((a, b) =>
      a.seq < b.seq ? -1 : 1,
    );
    const mine = rows.filter(({ account_id }) => below === null || (account_id !== null && below.has(account_id)));
    const { published: unpaid } = await missingOf({ db }, ledger);
    return { ...sumOf(await entriesOf({ db }, mine)), uncounted: unpaid?.amounts ?? null };
  });
}

function sumOf(entries: readonly Entry[]): Omit<OutsideSpend, "uncounted"> {
  const programs = new Map<string, OutsideProgram>();
  let [epsilon, delta, mu2]: [EpsilonAmount | null, DeltaAmount, Mu2Amount | null] = [
    NOTHING.epsilon,
    NOTHING.delta,
    0n as Mu2Amount,
  ];
  for (const entry of entries) {
    const key = entry.key ?? "";
    const name = entry.kind === "charge" ? programOf(key) : key;
    const at = JSON.stringify([entry.kind, entry.principal, name]);
    const { tool = null, published = null } = entry.declared ?? {};
    const charges = (programs.get(at)?.charges ?? 0) + 1;
    programs.set(at, { name, person: entry.principal, charges, tool, published, isImported: entry.kind !== "charge" });
    epsilon = epsilon === null || entry.epsilon === null ? null : plus(epsilon, entry.epsilon);
    delta = plus(plus(delta, entry.delta), entry.slack);
    mu2 = mu2 === null || entry.mu2Spent === null ? null : plus(mu2, entry.mu2Spent);
  }
  return { charges: entries.length, epsilon, delta, mu2, programs: [...programs.values()] };
}
