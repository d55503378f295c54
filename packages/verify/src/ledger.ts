import type { Report, Vouched } from "./chain.ts";
import { type Row, sha256 } from "./export.ts";
import { type Price, priceOf } from "./price.ts";
import { keepsPromise } from "./remaining-mu2.ts";
import { excess, isKnownRule, mayFollow, ruleOf } from "./rules.ts";

/** The lifetime promise of one version, in units: ε and μ² in 10⁻¹², δ in 10⁻¹⁸. */
export interface Terms {
  readonly rule: string;
  readonly adjacency: string;
  readonly epsilon: bigint;
  readonly delta: bigint;
  readonly deltaFilter: bigint;
  readonly deltaSelection: bigint;
  readonly residue: bigint;
}

/** What was counted. */
interface State {
  readonly epsilon: bigint | null;
  readonly delta: bigint;
  readonly residue: bigint | null;
}

/** One charge, as the entries tell it, and the plan prices that were certified for it. */
interface Charged {
  readonly seq: string;
  readonly account: string;
  readonly price: Price;
  readonly quotes: readonly Row[];
}

export interface Ledger {
  readonly terms: Terms;
  readonly lane: string;
  readonly state: State;
  readonly charges: readonly Charged[];
  /** Charges paid by a plan price, which this check takes over without deriving it again. */
  readonly takenOver: number;
}

export interface LedgerRows {
  readonly ledger: Row;
  readonly versions: readonly Row[];
  readonly entries: readonly Row[];
  readonly quotes: readonly Row[];
}

const GENESIS = "0".repeat(64);

/** A charge that solves for r more often than this is not followed, in an honest ledger or another: each takes about a millisecond. */
const MAX_STEPS = 10_000n;

/** The promise of each version, then every entry: its place in the chain, its price, what it left, and the caps after it. */
export async function checkLedger(rows: LedgerRows, vouched: Vouched, report: Report): Promise<Ledger> {
  const { ledger, versions, entries } = rows;
  const quotesOf = Map.groupBy(rows.quotes, ({ entry_seq }) => entry_seq);
  const charges: Charged[] = [];
  let version = 0;
  let takenOver = 0;
  let terms = termsOf(versions[0]?.terms ?? "{}");
  checkTerms(terms, report);
  let [number, last, activeRule]: [bigint, string, string] = [0n, GENESIS, ruleOf(terms.rule).opens];
  let state: State = { epsilon: 0n, delta: 0n, residue: terms.residue };
  for (const entry of entries) {
    const where = `entry ${entry.number}`;
    number += 1n;
    if (entry.number !== String(number)) report(where, `should be entry ${number}: entries are missing`);
    if (entry.prev_hash !== last) report(where, "does not hang on the entry before it");
    if (entry.hash !== (await sha256(textOf(entry)))) report(where, "has another hash than its text");
    if (!vouched.entries.has(entry.hash ?? "")) report(where, "is unknown to the audit chain");
    last = entry.hash ?? "";
    number = BigInt(entry.number ?? 0);
    if (!mayFollow(terms.rule, activeRule, entry.lane))
      report(where, `has the rule ${entry.lane} in force after ${activeRule}`);
    activeRule = entry.lane ?? activeRule;
    const says = (problem: string): void => report(where, problem);
    if (entry.kind === "amend") {
      version += 1;
      const text = versions[version]?.terms ?? "{}";
      if (entry.request_hash !== (await sha256(text))) says("amends to other terms than its version");
      const next = termsOf(text);
      if (fallen(terms, next)) says("lowers what was promised");
      checkTerms(next, report);
      terms = next;
      state = { ...state, residue: amended(entry, { terms, charges, report: says }) };
    }
    if (entry.kind !== "charge" && entry.kind !== "writeOff") continue;
    let price = priceOf(JSON.parse(entry.events ?? "[]") as unknown[], terms.adjacency);
    if (price.steps > MAX_STEPS) {
      says("repeats its steps more often than this check follows");
      price = { ...price, pay: null };
    }
    const quotes = quotesOf.get(entry.seq ?? null) ?? [];
    const paid = quotes.find(
      (quote) => quote.residue_before === entry.residue_before && quote.residue_after === entry.residue_after,
    );
    if (paid !== undefined) {
      takenOver += 1;
      if (!isPossible(paid, price, terms)) says("has a price for its plan that no plan can have");
    }
    state = step(state, entry, { price, paid, lane: activeRule, terms, report: says });
    charges.push({ seq: entry.seq ?? "", account: entry.account_id ?? "", price, quotes });
  }
  const hashes = new Set(entries.map(({ hash }) => hash));
  for (const hash of vouched.entries) if (!hashes.has(hash)) report("entry", `with the hash ${hash} is missing`);
  if (versions.length !== version + 1 || ledger.version !== String(version + 1))
    report("ledger", "has other versions than its entries");
  if (ledger.terms !== versions[version]?.terms) report("ledger", "has other terms than its version");
  if (String(number) !== ledger.entries || last !== ledger.head_hash)
    report("ledger", "has another head than its entries");
  if (activeRule !== ledger.lane) report("ledger", "has another rule in force than its entries");
  for (const name of ["epsilon", "delta", "residue"] as const) {
    const stored = ledger[`state_${name}`] ?? null;
    if (stored !== (state[name] === null ? null : String(state[name])))
      report("ledger", `has another ${name} than its entries add up to`);
  }
  return { terms, lane: activeRule, state, charges, takenOver };
}

/** What holds of every true plan price: it takes something, at least all Gaussian noise, and its δ fits the room. */
const isPossible = ({ residue_before, residue_after, slack }: Row, { gaussian }: Price, terms: Terms): boolean => {
  const [before, after, delta] = [units(residue_before) ?? 0n, units(residue_after) ?? 0n, units(slack) ?? 0n];
  return (
    after >= 0n && before - after >= (gaussian > 0n ? gaussian : 1n) && delta > 0n && delta <= terms.deltaSelection
  );
};

const fallen = (before: Terms, after: Terms): boolean =>
  (["epsilon", "deltaFilter", "deltaSelection", "residue"] as const).some((name) => after[name] < before[name]);

/** What an amendment leaves: no more than every charge so far, paid again from the new residue. */
function amended(
  entry: Row,
  { terms, charges, report }: { terms: Terms; charges: readonly Charged[]; report: (problem: string) => void },
): bigint | null {
  const residue = units(entry.residue_after);
  if (residue === null || charges.some(({ quotes }) => quotes.length > 0)) return residue;
  let left: bigint | null = terms.residue;
  for (const { price } of charges) left = left === null || price.pay === null ? null : price.pay(left);
  if (left === null || residue > left) report("leaves more μ² than its charges allow");
  return residue;
}

interface Step {
  readonly price: Price;
  readonly paid: Row | undefined;
  readonly lane: string;
  readonly terms: Terms;
  readonly report: (problem: string) => void;
}

/** The stored numbers may claim more loss than ours, never less; ours decide nothing else, so builds may differ in the last unit. */
function step(before: State, entry: Row, { price, paid, lane, terms, report }: Step): State {
  const stored = { epsilon: units(entry.price_epsilon), delta: units(entry.price_delta) ?? 0n };
  if (stored.epsilon !== null && (price.epsilon === null || stored.epsilon < price.epsilon))
    report("charges less ε than its events cost");
  if (stored.delta < price.delta) report("charges less δ than its events cost");
  if (units(entry.residue_before) !== before.residue) report("starts from another μ² than remained");
  const residue = units(entry.residue_after);
  if (residue !== null && paid === undefined) {
    const left = before.residue === null || price.pay === null ? null : price.pay(before.residue);
    if (left === null || residue > left) report("leaves more μ² than its events allow");
  }
  const state: State = {
    epsilon: before.epsilon === null || stored.epsilon === null ? null : before.epsilon + stored.epsilon,
    delta: before.delta + stored.delta + (units(paid?.slack) ?? 0n),
    residue,
  };
  if (state.delta > terms.deltaSelection) report("goes beyond the room for Σδ");
  const over = excess(lane, state, terms.epsilon);
  if (over === "epsilon") report("goes beyond the lifetime ε");
  if (over === "residue") report("could not be paid by the remaining μ²");
  return state;
}

/** δ is split in two, and the residue a ledger opens with keeps its part of the promise. */
function checkTerms({ rule, epsilon, delta, deltaFilter, deltaSelection, residue }: Terms, report: Report): void {
  if (deltaFilter + deltaSelection > delta) report("terms", "promise more δ in parts than in all");
  if (!isKnownRule(rule)) report("terms", `have the rule ${rule}, which this check does not know`);
  if (!ruleOf(rule).promisesMu2) return;
  const kept = keepsPromise(residue, epsilon, deltaFilter);
  if (kept === null) report("terms", "have an ε too large for this check");
  else if (!kept) report("terms", "open with more μ² than (ε, δ) allows");
}

export function termsOf(text: string): Terms {
  const stored = JSON.parse(text) as Record<string, string>;
  const amount = (name: string): bigint => BigInt(stored[name] ?? "0");
  return {
    rule: stored.rule ?? "",
    adjacency: stored.adjacency ?? "",
    epsilon: amount("epsilon"),
    delta: amount("delta"),
    deltaFilter: amount("deltaFilter"),
    deltaSelection: amount("deltaSelection"),
    residue: amount("residue"),
  };
}

export const units = (text: string | null | undefined): bigint | null =>
  text === null || text === undefined ? null : BigInt(text);

const textOf = (row: Row): string =>
  JSON.stringify([
    row.prev_hash,
    row.ledger_id,
    row.number,
    row.kind,
    row.charge_id,
    row.account_id,
    row.principal_id,
    row.dataset_id,
    row.lane,
    row.events,
    row.price_epsilon,
    row.price_delta,
    row.residue_before,
    row.residue_after,
    row.key,
    row.request_hash,
    row.at,
  ]);
