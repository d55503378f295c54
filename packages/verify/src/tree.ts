import type { Report } from "./chain.ts";
import type { Row } from "./export.ts";
import { type Ledger, units } from "./ledger.ts";
import { excess } from "./rules.ts";

/** Every account: its quota is the fold of its transfers, its parent promised no more than it has, its charges fit its room. */
export function checkTree(
  { accounts, transfers, ledger }: { accounts: readonly Row[]; transfers: readonly Row[]; ledger: Row },
  { terms, lane, charges }: Ledger,
  report: Report,
): void {
  const byId = new Map(accounts.map((account) => [account.id, account]));
  const moved = new Map<string, { epsilon: bigint; delta: bigint }>();
  for (const transfer of transfers) {
    const [epsilon, delta] = [units(transfer.epsilon) ?? 0n, units(transfer.delta) ?? 0n];
    const gives = transfer.kind === "allocate";
    const child = (gives ? transfer.to_account_id : transfer.from_account_id) ?? "";
    const before = moved.get(child) ?? { epsilon: 0n, delta: 0n };
    const sign = gives ? 1n : -1n;
    moved.set(child, { epsilon: before.epsilon + sign * epsilon, delta: before.delta + sign * delta });
  }
  const spent = spends(byId, charges);
  for (const node of [ledger, ...accounts]) {
    const where = node === ledger ? "ledger" : `account ${node.id}`;
    const children = accounts.filter(({ parent_id }) => parent_id === (node === ledger ? null : node.id));
    for (const name of ["epsilon", "delta"] as const) {
      const promised = children.reduce((sum, child) => sum + (units(child[`quota_${name}`]) ?? 0n), 0n);
      const quota = units(node[`quota_${name}`]) ?? 0n;
      if (promised !== units(node[`allocated_${name}`]))
        report(where, `has allocated another ${name} than its accounts hold`);
      if (node.mode === "funded" && promised > quota) report(where, `has promised more ${name} than it has`);
      if (node !== ledger && quota !== (moved.get(node.id ?? "")?.[name] ?? 0n))
        report(where, `has another ${name} than its transfers add up to`);
    }
    if (node === ledger) continue;
    const sum = spent.get(node.id ?? "") ?? nothing;
    const room =
      node.kind === "share"
        ? shareOf(node, terms)
        : { epsilon: units(node.cap_epsilon) ?? 0n, delta: units(node.cap_delta) ?? 0n };
    if (sum.delta > room.delta) report(where, "has spent more δ than its room");
    if (excess(lane, { ...sum, residue: 0n }, room.epsilon) !== null) report(where, "has spent more ε than its quota");
    // A cap also counts answers of others that its holder read; plan prices add their own δ where they were used.
    const stored = { epsilon: units(node.state_epsilon), delta: units(node.state_delta) ?? 0n };
    const isExact = node.kind === "share";
    if (stored.delta < sum.delta || (isExact && stored.delta > sum.delta + sum.slack))
      report(where, "has another Σδ than its charges");
    if (isExact ? stored.epsilon !== sum.epsilon : forgets(stored.epsilon, sum.epsilon))
      report(where, "has another Σε than its charges");
  }
}

interface Sum {
  readonly epsilon: bigint | null;
  readonly delta: bigint;
  /** The most that plan prices may have added to δ. */
  readonly slack: bigint;
}

const nothing: Sum = { epsilon: 0n, delta: 0n, slack: 0n };

const forgets = (stored: bigint | null, sum: bigint | null): boolean =>
  stored !== null && (sum === null || stored < sum);

/** What went through each account: its own charges and those of every account below it. */
function spends(
  byId: ReadonlyMap<string | null | undefined, Row>,
  charges: Ledger["charges"],
): ReadonlyMap<string, Sum> {
  const sums = new Map<string, Sum>();
  for (const { account, price, quotes } of charges) {
    const slack = quotes.reduce(
      (most, quote) => (most > (units(quote.slack) ?? 0n) ? most : (units(quote.slack) ?? 0n)),
      0n,
    );
    for (let row = byId.get(account); row !== undefined; row = byId.get(row.parent_id)) {
      const before = sums.get(row.id ?? "") ?? nothing;
      sums.set(row.id ?? "", {
        epsilon: before.epsilon === null || price.epsilon === null ? null : before.epsilon + price.epsilon,
        delta: before.delta + price.delta,
        slack: before.slack + slack,
      });
    }
  }
  return sums;
}

/** A share's room: its ε, and of the room for Σδ what its δ is of the ledger's. */
function shareOf(node: Row, { delta, deltaSelection }: Ledger["terms"]): { epsilon: bigint; delta: bigint } {
  const quota = units(node.quota_delta) ?? 0n;
  return { epsilon: units(node.quota_epsilon) ?? 0n, delta: delta === 0n ? 0n : (deltaSelection * quota) / delta };
}
