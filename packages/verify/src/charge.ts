import type { Range } from "./blocks.ts";
import type { Row } from "./export.ts";
import { type MayRepeat, type Price, priceOf } from "./price.ts";
import { type Terms, units } from "./terms.ts";

export type Say = (problem: string) => void;

/** One charge, as the entries tell it. */
export interface Charged {
  readonly events: readonly unknown[];
  readonly account: string;
  /** What it costs the account, and those above. */
  readonly price: Counted;
  /** What the ledger counts: as it is stored, or twice what was charged before there were blocks. */
  readonly counted: Counted;
  /** The blocks that it is about; none where the ledger has no blocks. */
  readonly ranges: readonly Range[];
}

/** What is counted of a charge, with the plan prices that were certified for it. */
export interface Counted extends Price {
  readonly quotes: readonly Row[];
}

export interface Charging extends Pick<Charged, "ranges"> {
  readonly terms: Terms;
  readonly quotes: readonly Row[];
  readonly mayRepeat: MayRepeat;
}

/** The price of an entry's events, and what it says of it: that may be more, never less. */
export function chargedBy(entry: Row, { terms, quotes, ranges, mayRepeat }: Charging, say: Say): Charged {
  const events = JSON.parse(entry.events ?? "[]") as unknown[];
  const price = { ...priceOf(events, terms.adjacency, { mayRepeat }), quotes };
  const [epsilon, delta] = [units(entry.price_epsilon), units(entry.price_delta) ?? 0n];
  if (epsilon !== null && (price.epsilon === null || epsilon < price.epsilon))
    say("charges less ε than its events cost");
  if (delta < price.delta) say("charges less δ than its events cost");
  return { events, account: entry.account_id ?? "", price, counted: { ...price, epsilon, delta }, ranges };
}

/** The plan price that a stored step from one r to the next was paid by. Reported where no plan can have it. */
export function planPrice(step: Row, { quotes, gaussian }: Counted, { terms, say }: Checking): Row | undefined {
  const paid = quotes.find(
    ({ remaining_mu2_before, remaining_mu2_after }) =>
      remaining_mu2_before === step.remaining_mu2_before && remaining_mu2_after === step.remaining_mu2_after,
  );
  if (paid !== undefined && !isPossible(paid, gaussian, terms)) say("has a price for its plan that no plan can have");
  return paid;
}

/** The most that a charge may leave where no row says by which of its prices it was paid: one of a plan holds at every larger r. [M319] */
export function mostLeft({ quotes, pay }: Counted, before: bigint): bigint | null {
  let most = pay?.(before) ?? null;
  for (const row of quotes) {
    const from = units(row.remaining_mu2_before) ?? 0n;
    const left = before - from + (units(row.remaining_mu2_after) ?? 0n);
    if (from <= before && (most === null || left > most)) most = left;
  }
  return most;
}

interface Checking {
  readonly terms: Terms;
  readonly say: Say;
}

/** What holds of every true plan price: it takes something, at least all Gaussian noise, and its δ fits the room. */
const isPossible = (
  { remaining_mu2_before, remaining_mu2_after, slack }: Row,
  gaussian: bigint,
  terms: Terms,
): boolean => {
  const [before, after, delta] = [
    units(remaining_mu2_before) ?? 0n,
    units(remaining_mu2_after) ?? 0n,
    units(slack) ?? 0n,
  ];
  return (
    after >= 0n && before - after >= (gaussian > 0n ? gaussian : 1n) && delta > 0n && delta <= terms.deltaSelection
  );
};

/** The most δ that a plan price may have added. */
export const dearest = (quotes: readonly Row[]): bigint =>
  quotes.reduce((most, { slack }) => (most > (units(slack) ?? 0n) ? most : (units(slack) ?? 0n)), 0n);

/** A sum that a charge without a price ends. */
export const sum = (a: bigint | null, b: bigint | null): bigint | null => (a === null || b === null ? null : a + b);
