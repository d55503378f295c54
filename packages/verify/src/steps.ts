import type { Blocks, Range } from "./blocks.ts";
import { windowText } from "./calendar.ts";
import type { Charged, Say } from "./charge.ts";
import type { Row } from "./export.ts";
import { type Price, priceOf } from "./price.ts";

/** Follows running totals that go on: a step reads blocks that it does not pay for, as the steps before it did. [M209] */
export interface StepFollower {
  /** Every charge, in order, of which some are steps. */
  charge(entry: Row, charged: Pick<Charged, "events" | "ranges" | "price">, say: Say): void;
  /** The ledger may lack steps, so that none of those so far goes on. */
  writeOff(): void;
}

interface Step {
  /** The charges of its total, itself the last of them. */
  readonly chain: readonly string[];
  /** What all steps have alike: account, dataset, and the plan but for the blocks that it reads. */
  readonly about: string;
  readonly block: number;
  /** What each event of the first step takes from r whatever r is, as Gaussian noise does; null of any other. */
  readonly whole: readonly Price["flat"][];
  readonly writeOffs: number;
}

interface Request {
  readonly plan?: { readonly horizon?: unknown; readonly window?: unknown };
  readonly window?: unknown;
  readonly continues?: unknown;
}

/** More periods than any ledger prices together: what a file may have this check compute ends there. */
const MAX_HORIZON = 1_000;

export function followSteps(blocks: Blocks | null): StepFollower {
  const steps = new Map<string, Step>();
  const ids = new Set<string>();
  const paidFor = new Set<string>();
  let writeOffs = 0;
  return {
    charge: (entry, { events, ranges, price }, say) => {
      const id = entry.charge_id ?? "";
      if (id === "") say("has no id");
      else if (ids.has(id)) say("has the id of another charge");
      ids.add(id);
      const { plan, window, continues } = requestOf(entry, say);
      if (plan?.horizon === undefined && continues === undefined) {
        const read = window ?? plan?.window;
        const mayBeSilent = ranges.length === 0 || typeof plan !== "object";
        if (blocks !== null && !(read === undefined ? mayBeSilent : isWindow(read, blocks, ranges)))
          say("reads other blocks than it pays for");
        return;
      }
      if (blocks === null || blocks.protects !== undefined) return say("goes on in blocks that are no periods");
      const [{ from: block, to } = { from: 0, to: 1 }, ...others] = ranges;
      if (block !== to || others.length > 0) return say("pays for other blocks than its newest one");
      const before = Array.isArray(continues) ? continues.map((one) => (typeof one === "string" ? one : "")) : [];
      const about = JSON.stringify([entry.account_id, entry.dataset_id, { ...plan, window: null }]);
      const last = before.length === 0 ? undefined : steps.get(before.at(-1) ?? "");
      if (!isWindow(window, blocks, [{ from: block - before.length, to: block }]))
        say("reads other blocks than those so far");
      if (before.length > 0 && !(last?.about === about && last.block === block - 1 && isSame(last.chain, before)))
        say("reads a block that no step before it has paid for");
      if (last !== undefined && last.writeOffs !== writeOffs) say("goes on after a write-off");
      const flats = events.map(flatOf);
      const whole = last?.whole ?? flats;
      if (!isPriced(plan?.horizon, before.length, { whole, flats }))
        say("has another price than its part of the first step");
      if (price.quotes.length > 0) say("has a price for its plan, which no step has");
      const place = JSON.stringify([entry.account_id, block]);
      if (paidFor.has(place)) say("is a second step of the same block");
      paidFor.add(place);
      steps.set(id, { chain: [...before, id], about, block, whole, writeOffs });
    },
    writeOff: () => {
      writeOffs += 1;
    },
  };
}

function requestOf({ request }: Row, say: Say): Request {
  try {
    return (JSON.parse(request ?? "null") ?? {}) as Request;
  } catch {
    say("has a request that is no JSON");
    return {};
  }
}

/** Of plain Gaussian noise alone: of a sample the ledger may take less than that. */
const flatOf = (event: unknown): Price["flat"] =>
  (event as { readonly kind?: unknown }).kind === "gaussian"
    ? priceOf([event], "addRemove", { mayRepeat: () => true }).flat
    : null;

/** Whether a request names these blocks, and no others. */
const isWindow = (window: unknown, { every }: Blocks, ranges: readonly Range[]): boolean =>
  JSON.stringify(window) === JSON.stringify({ blocks: ranges.map(({ from, to }) => windowText(every, from, to)) });

const isSame = (chain: readonly string[], before: readonly string[]): boolean =>
  chain.length === before.length && chain.every((id, at) => id === before[at]);

/**
 * Whether each event is Gaussian noise at the price of its column of the matrix, which ends with the horizon. A higher one is of less noise than
 * the first step paid for.
 */
function isPriced(
  horizon: unknown,
  before: number,
  { whole, flats }: Pick<Step, "whole"> & { readonly flats: Step["whole"] },
): boolean {
  if (!Number.isInteger(horizon) || before >= Number(horizon) || Number(horizon) > MAX_HORIZON) return false;
  const squares = squaresOf(Number(horizon));
  const [part, all] = [squares[Number(horizon) - before] ?? 0n, squares[Number(horizon)] ?? 0n];
  return (
    whole.length > 0 &&
    whole.length === flats.length &&
    flats.every((flat, at) => {
      const first = whole[at] ?? null;
      return flat !== null && first !== null && flat === (first * part + all - 1n) / all;
    })
  );
}

const FINE = 1n << 20n;
const GUARD = 100n;

/** Sums of the first squares of 2²⁰·f, each entry rounded, for the power series f = (1 − z)^(−1/2): f₀ = 1, f_k = f_{k−1}·(1 − 1/(2k)). [M208] */
export function squaresOf(periods: number): readonly bigint[] {
  const sums = [0n];
  let entry = FINE << GUARD;
  for (let k = 1; k <= periods; k++) {
    const rounded = (entry + (1n << (GUARD - 1n))) >> GUARD;
    sums.push((sums[k - 1] ?? 0n) + rounded * rounded);
    entry = (entry * BigInt(2 * k - 1)) / BigInt(2 * k);
  }
  return sums;
}
