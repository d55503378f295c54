import { opening, repaid, told } from "./block-ledger.ts";
import { openStates } from "./blocks.ts";
import { type Charged, dearest } from "./charge.ts";
import type { Row } from "./export.ts";
import type { Ledger } from "./ledger.ts";
import { attempt, type Report } from "./report.ts";
import { excess } from "./rules.ts";
import { units } from "./terms.ts";
import { sumColumns } from "./whole.ts";

export interface TreeRows {
  readonly ledger: Row;
  readonly accounts: readonly Row[];
  readonly transfers: readonly Row[];
  /** What the ledger and its accounts have counted in their blocks. */
  readonly runs: readonly Row[];
}

/** Every account: its quota is the fold of its transfers, its parent promised no more than it has, its charges fit its room. */
export async function checkTree(
  { accounts, transfers, ledger, runs }: TreeRows,
  { terms, activeRule, charges, cuts }: Ledger,
  report: Report,
): Promise<void> {
  const byId = new Map(accounts.map((account) => [account.id, account]));
  const moved = new Map<string, { epsilon: bigint; delta: bigint }>();
  for (const transfer of transfers)
    await attempt(`transfer ${transfer.seq}`, report, () => {
      const [epsilon, delta] = [units(transfer.epsilon) ?? 0n, units(transfer.delta) ?? 0n];
      const gives = transfer.kind === "allocate";
      const child = (gives ? transfer.to_account_id : transfer.from_account_id) ?? "";
      const before = moved.get(child) ?? { epsilon: 0n, delta: 0n };
      const sign = gives ? 1n : -1n;
      moved.set(child, { epsilon: before.epsilon + sign * epsilon, delta: before.delta + sign * delta });
    });
  const childrenOf = Map.groupBy(accounts, ({ parent_id }) => parent_id);
  const below = belowLedger(childrenOf);
  const through = chargesOf(below, charges);
  const runsOf = Map.groupBy(runs, ({ node_id }) => node_id);
  for (const node of runsOf.keys())
    if (cuts === null || (node !== ledger.id && !byId.has(node))) report(`blocks of ${node}`, "belong to no account");
  const read = (node: Row, where: string): void => {
    const children = childrenOf.get(node === ledger ? null : (node.id ?? "")) ?? [];
    for (const name of ["epsilon", "delta"] as const) {
      const promised = children.reduce((sum, child) => sum + (units(child[`quota_${name}`]) ?? 0n), 0n);
      const quota = units(node[`quota_${name}`]) ?? 0n;
      if (promised !== units(node[`allocated_${name}`]))
        report(where, `has allocated another ${name} than its accounts hold`);
      if (node.mode === "funded" && promised > quota) report(where, `has promised more ${name} than it has`);
      if (node !== ledger && quota !== (moved.get(node.id ?? "")?.[name] ?? 0n))
        report(where, `has another ${name} than its transfers add up to`);
    }
    if (node === ledger) {
      checkCaps(node, { epsilon: terms.epsilon, delta: terms.deltaSelection, mu2: terms.mu2 }, where, report);
      if (units(node.quota_epsilon) !== terms.epsilon || units(node.quota_delta) !== terms.delta)
        report(where, "has another quota than its terms");
      return;
    }
    if (below.get(node.id) !== node) report(where, "is not below the ledger");
    const own = through.get(node.id ?? "") ?? [];
    const room = roomOf(node, terms);
    checkCaps(node, room, where, report);
    if (cuts === null) checkWhole(node, own, { activeRule, room, report });
    else checkBlocks(node, { charges: own, cuts, runs: runsOf.get(node.id) ?? [] }, { activeRule, room, report });
  };
  for (const node of [ledger, ...accounts]) {
    const where = node === ledger ? "ledger" : `account ${node.id}`;
    await attempt(where, report, () => read(node, where));
  }
}

function checkCaps(node: Row, room: Room, where: string, report: Report): void {
  for (const name of ["epsilon", "delta", "mu2"] as const)
    if (units(node[`cap_${name}`]) !== room[name]) report(where, `has another cap of ${name} than its quota gives it`);
}

interface Checking {
  readonly activeRule: string;
  readonly room: Room;
  readonly report: Report;
}

/** An account of a ledger with one lifetime for all. */
function checkWhole(node: Row, charges: readonly Charged[], { activeRule, room, report }: Checking): void {
  const where = `account ${node.id}`;
  const sum = charges.reduce(plus, nothing);
  if (sum.delta > room.delta) report(where, "has spent more δ than its room");
  if (excess(activeRule, { ...sum, mu2: 0n }, room.epsilon) !== null) report(where, "has spent more ε than its quota");
  // A cap also counts answers of others that its holder read; plan prices add their own δ where they were used.
  const stored = { epsilon: units(node.state_epsilon), delta: units(node.state_delta) ?? 0n };
  const isExact = node.kind === "share";
  if (stored.delta < sum.delta || (isExact && stored.delta > sum.delta + sum.slack))
    report(where, "has another Σδ than its charges");
  if (isExact ? stored.epsilon !== sum.epsilon : forgets(stored.epsilon, sum.epsilon))
    report(where, "has another Σε than its charges");
}

interface InBlocks {
  readonly charges: readonly Charged[];
  readonly cuts: readonly number[];
  readonly runs: readonly Row[];
}

/** The same block by block. Each has the whole quota for itself. */
function checkBlocks(node: Row, { charges, cuts, runs }: InBlocks, { activeRule, room, report }: Checking): void {
  const say = told((problem) => report(`account ${node.id}`, problem));
  const states = openStates(cuts, opening(room.mu2));
  for (const { price, ranges } of charges) states.pay(ranges, repaid(price));
  const most = states.compare(runs, opening(room.mu2), say);
  if (most.delta > room.delta) say("has spent more δ than its room");
  if (excess(activeRule, most, room.epsilon) !== null) say("has spent more than its quota in a block");
  for (const { name, column, words } of sumColumns)
    if (units(node[column]) !== most[name]) say(`has another ${words} than its fullest block`);
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

const plus = (before: Sum, { price }: Charged): Sum => ({
  epsilon: before.epsilon === null || price.epsilon === null ? null : before.epsilon + price.epsilon,
  delta: before.delta + price.delta,
  slack: before.slack + dearest(price.quotes),
});

type Accounts = ReadonlyMap<string | null | undefined, Row>;

/** The accounts that a path leads to from the ledger, each behind the one above it: no circle. */
function belowLedger(childrenOf: ReadonlyMap<string | null | undefined, readonly Row[]>): Accounts {
  const found = new Map<string | null | undefined, Row>();
  const add = (parent: string | null): void => {
    for (const child of childrenOf.get(parent) ?? [])
      if (typeof child.id === "string" && !found.has(child.id)) found.set(child.id, child);
  };
  add(null);
  for (const { id } of found.values()) add(id ?? null);
  return found;
}

/** What went through each account: its own charges and those of every account below it. */
function chargesOf(byId: Accounts, charges: readonly Charged[]): ReadonlyMap<string, readonly Charged[]> {
  const through = new Map<string, Charged[]>();
  for (const charge of charges)
    for (let row = byId.get(charge.account); row !== undefined; row = byId.get(row.parent_id)) {
      const own = through.get(row.id ?? "");
      if (own === undefined) through.set(row.id ?? "", [charge]);
      else own.push(charge);
    }
  return through;
}

interface Room {
  readonly epsilon: bigint;
  readonly delta: bigint;
  readonly mu2: bigint;
}

/** A share's room: its ε, and of the room for Σδ and of the μ² what its δ and its ε are of the ledger's. */
function roomOf(node: Row, { epsilon, delta, deltaSelection, mu2 }: Ledger["terms"]): Room {
  if (node.kind !== "share")
    return {
      epsilon: units(node.cap_epsilon) ?? 0n,
      delta: units(node.cap_delta) ?? 0n,
      mu2: units(node.cap_mu2) ?? 0n,
    };
  const own = { epsilon: units(node.quota_epsilon) ?? 0n, delta: units(node.quota_delta) ?? 0n };
  return {
    epsilon: own.epsilon,
    delta: delta === 0n ? 0n : (deltaSelection * own.delta) / delta,
    mu2: epsilon === 0n ? 0n : (mu2 * own.epsilon) / epsilon,
  };
}
