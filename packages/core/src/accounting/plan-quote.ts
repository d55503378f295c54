import { type DeltaAmount, deltaNumber, mu2FromUnits, mu2Number } from "../amounts/amount.ts";
import { PrivacyError, unlessRefused } from "../error.ts";
import type { DpEvent } from "../event.ts";
import type { Adjacency } from "../filter/adjacency.ts";
import type { FilterNode, Mu2Quote } from "../filter/filter.ts";
import { priceEvents } from "../filter/price.ts";
import { type Margin, payMu2 } from "../filter/remaining-mu2.ts";
import { QUESTION_WORK, unboundedWork, type Work, workBudget } from "../work.ts";
import { neededAdjacency, spendClasses } from "./classes.ts";
import { isPlanPaid, planPrice } from "./plan-price.ts";

/**
 * One plan may take this part of a filter's room for Σδ as its η: a hundred plans fit before η alone uses the room up.
 */
const SLACK_PARTS = 100n;

/**
 * The certified step of one charge whose events were all fixed before any answer, for a filter in this state: null where
 * folding its events is as cheap, where there is no room for η, or where the filter cannot pay at all. Same input, same
 * units, on the same build. Rounded against the payer: r before down, r after up, η down. `paid`: the step that a past
 * charge took, when it is priced again at another r: it keeps its η, and costs no more at a larger r. [M150] A list that takes more than
 * the work of one question is folded.
 */
export function planQuote(
  { caps, state }: FilterNode,
  events: readonly DpEvent[],
  adjacency: Adjacency,
  paid?: Mu2Quote,
): Mu2Quote | null {
  const before = state.mu2;
  const slack = paid?.slack ?? ((caps.delta / SLACK_PARTS) as DeltaAmount);
  if (before === null || before <= 0n || slack <= 0n || !isPlan(events, adjacency)) return null;
  const price = priceEvents(events, adjacency);
  if (state.delta + price.delta + slack > caps.delta) return null;
  const folded = price.mu2 === null ? null : payMu2(before, price.mu2);
  const work = paid === undefined ? workBudget(QUESTION_WORK) : unboundedWork;
  try {
    const least = leastAfter(events, { before, slack, folded, adjacency, work });
    const carried = paid === undefined || before < paid.before ? -1n : before - (paid.before - paid.after);
    for (const after of [least, carried].sort((a, b) => Number(b - a))) {
      if (after < 0n || (folded !== null && after <= folded)) continue;
      const quote = { before, after: mu2FromUnits(after), slack };
      if (isPaidBy(events, quote, { adjacency, work })) return quote;
    }
  } catch (error) {
    if (!(error instanceof PrivacyError && error.code === "TOO_MUCH_WORK")) throw error;
  }
  return null;
}

/** What the cheapest step leaves, in units; −1 where folding is as cheap or r cannot pay. */
function leastAfter(
  events: readonly DpEvent[],
  { before, slack, folded, adjacency, work }: Pick<Mu2Quote, "before" | "slack"> & Folded,
): bigint {
  // Most plans are decided here: is a step at least half a percent cheaper than folding?
  const worthwhile = folded === null ? 0n : folded + (before - folded) / 200n;
  if (!isPaidBy(events, { before, after: mu2FromUnits(worthwhile), slack }, { adjacency, work })) return -1n;
  const mu2 = mu2Number(before, "down");
  const { cost } = planPrice(events, { mu2, eta: deltaNumber(slack, "down"), adjacency, work });
  return cost < mu2 ? before - BigInt(Math.ceil(cost * 1e12)) - 1n : -1n;
}

interface Folded {
  /** What folding the events leaves; null where it cannot pay. */
  readonly folded: bigint | null;
  readonly adjacency: Adjacency;
  readonly work: Work;
}

/** The quotes of a path, one for each r in it; filters with the same r share the one of least η. */
export function planQuotes(
  path: readonly FilterNode[],
  events: readonly DpEvent[],
  adjacency: Adjacency,
  paid?: Mu2Quote,
): readonly Mu2Quote[] {
  const quotes = new Map<bigint, Mu2Quote>();
  for (const node of path) {
    const quote = planQuote(node, events, adjacency, paid);
    const known = quote === null ? undefined : quotes.get(quote.before);
    if (quote !== null && (known === undefined || quote.slack < known.slack)) quotes.set(quote.before, quote);
  }
  return [...quotes.values()];
}

/**
 * Whether the exact profile of the events under the ledger's relation certifies a quote; `verify` accepts the rounding of
 * other builds. [M150]
 */
export function isPaidBy(
  events: readonly DpEvent[],
  { before, after, slack }: Mu2Quote,
  {
    adjacency,
    margin = "charge",
    work = unboundedWork,
  }: { readonly adjacency: Adjacency; readonly margin?: Margin; readonly work?: Work },
): boolean {
  const loose = margin === "verify" ? 1 + 1e-9 : 1;
  return unlessRefused(
    () =>
      isPlanPaid(events, {
        mu2: mu2Number(before, "down"),
        remaining: mu2Number(after, "up"),
        eta: deltaNumber(slack, "down") * loose,
        adjacency,
        work,
      }),
    false,
    "UNSUPPORTED_EVENT",
  );
}

/** Whether the exact composition could be cheaper: more than one event, or a sampled one, all of the ledger's relation. */
function isPlan(events: readonly DpEvent[], adjacency: Adjacency): boolean {
  const classes = spendClasses(events, "events", adjacency);
  if (classes.every(({ event }) => event.kind === "gaussian" || event.kind === "gdp")) return false;
  const isOne = classes.length === 1 && classes[0]?.count === 1;
  if (isOne && classes.every(({ event }) => event.kind === "pure" || event.kind === "exponential")) return false;
  const needed = neededAdjacency(events);
  return needed === undefined || needed === adjacency;
}
