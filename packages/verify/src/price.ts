import { reals } from "./real.ts";
import { remainder } from "./remaining-mu2.ts";

/** A fraction; the denominator is above 0. */
interface Fraction {
  readonly up: bigint;
  readonly down: bigint;
}

/** What an event costs: ε in 10⁻¹², δ in 10⁻¹⁸, rounded up; and how it moves r. Null where there is no such price. */
export interface Price {
  readonly epsilon: bigint | null;
  readonly delta: bigint;
  /** How much more δ a ledger may count that rounds up: where it has to multiply it. */
  readonly slack: bigint;
  /** The ε of those of its parts that have one. */
  readonly pure: bigint;
  /** What Gaussian noise alone takes from r, at least. */
  readonly gaussian: bigint;
  /** r after the event, in 10⁻¹²; null when it cannot be paid. */
  readonly pay: ((before: bigint) => bigint | null) | null;
  /** What it takes from r whatever r is: of Gaussian noise alone. Null where r must be solved for. */
  readonly flat: bigint | null;
  /** How often `pay` solves for r. */
  readonly steps: bigint;
}

interface Event {
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** "0.3", 1e-3, "10/3" as a fraction. */
function fraction(value: unknown): Fraction {
  const [over, under, ...rest] = String(value).split("/");
  if (over === undefined || rest.length > 0) throw new SyntaxError(`${String(value)} is no number`);
  const a = decimal(over);
  const b = under === undefined ? { up: 1n, down: 1n } : decimal(under);
  if (b.up <= 0n) throw new SyntaxError(`${String(value)} has no positive denominator`);
  return { up: a.up * b.down, down: a.down * b.up };
}

function decimal(text: string): Fraction {
  const match = /^\s*(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?\s*$/i.exec(text);
  const [, whole = "", part = "", exponent = "0"] = match ?? [];
  if (match === null || whole + part === "") throw new SyntaxError(`${text} is no non-negative number`);
  const power = Number(exponent) - part.length;
  const digits = BigInt(whole + part);
  return power >= 0 ? { up: digits * 10n ** BigInt(power), down: 1n } : { up: digits, down: 10n ** BigInt(-power) };
}

/** The least whole number of units that is no less. */
const ceiling = ({ up, down }: Fraction, units: bigint): bigint => (up * units + down - 1n) / down;

const MICRO = 10n ** 12n;
const ATTO = 10n ** 18n;
const nothing = { delta: 0n, slack: 0n, pure: 0n, gaussian: 0n, steps: 0n };
const free: Price = { ...nothing, epsilon: 0n, pay: (before) => before, flat: 0n };
const unpriced: Price = { ...nothing, epsilon: null, pay: null, flat: null };

/** Who the neighbours of a price are: their relation, and how many units change. Two where one goes and comes back with other rows [M168]. */
interface Change {
  readonly adjacency: string;
  readonly units: 1n | 2n | 4n;
  readonly mayRepeat: MayRepeat;
}

/** Whether this number of steps is followed that are only repeated. */
export type MayRepeat = (steps: bigint) => boolean;

/** How many steps one check solves for that are only repeated, in an honest ledger or another: each takes about a millisecond. */
const MAX_REPEATS = 10_000n;

/** For all prices of one check together: it says once that there are more. */
export function repeatLimit(say: (problem: string) => void): MayRepeat {
  let left = MAX_REPEATS;
  return (steps) => {
    if (left >= 0n && steps > left) say(`repeats more steps than the ${MAX_REPEATS} that this check follows`);
    left -= steps;
    return left >= 0n;
  };
}

export function priceOf(
  events: readonly unknown[],
  adjacency: string,
  { units = 1n, mayRepeat }: Pick<Change, "mayRepeat"> & Partial<Pick<Change, "units">>,
): Price {
  return together(events, { adjacency, units, mayRepeat });
}

function together(events: readonly unknown[], change: Change): Price {
  const parts = events.map((event) => one(event as Event, change));
  const pays = parts.map(({ pay }) => pay);
  return { ...parts.reduce<Sums>(both, free), pay: pays.includes(null) ? null : inTurn(pays) };
}

type Sums = Omit<Price, "pay">;

const both = (a: Sums, b: Sums): Sums => ({
  epsilon: a.epsilon === null || b.epsilon === null ? null : a.epsilon + b.epsilon,
  delta: a.delta + b.delta,
  slack: a.slack + b.slack,
  pure: a.pure + b.pure,
  gaussian: a.gaussian + b.gaussian,
  flat: a.flat === null || b.flat === null ? null : a.flat + b.flat,
  steps: a.steps + b.steps,
});

/** One after another, however many there are. */
const inTurn = (pays: readonly Price["pay"][]) => (before: bigint) => {
  let left: bigint | null = before;
  for (const pay of pays) left = left === null ? null : (pay?.(left) ?? null);
  return left;
};

function one(event: Event, change: Change): Price {
  const { adjacency, units } = change;
  switch (event.kind) {
    case "pure":
    case "randomizedResponse":
    case "exponential":
    case "permuteAndFlip":
      return pure(scaled(fraction(event.epsilon), units));
    case "shuffled":
      return adjacency === "addRemove" ? unpriced : pure(scaled(fraction(event.epsilon), units));
    case "approximate":
      return approximate(fraction(event.epsilon), fraction(event.delta), units);
    case "laplace":
      return pure(scaled(inverse(fraction(event.noiseMultiplier)), units));
    case "discreteLaplace": {
      const sensitivity = fraction(event.sensitivity);
      const scale = fraction(event.scale);
      return pure(scaled({ up: sensitivity.up * scale.down, down: sensitivity.down * scale.up }, units));
    }
    case "gaussian":
      return gaussian(scaled(inverse(fraction(event.noiseMultiplier)), units));
    case "gdp":
      return gaussian(scaled(fraction(event.mu), units));
    case "poissonSampled":
      return { ...one(event.event as Event, change), gaussian: 0n };
    case "sampledWithoutReplacement":
      return adjacency === "addRemove" ? unpriced : { ...one(event.event as Event, change), gaussian: 0n };
    case "repeated":
      return many(one(event.event as Event, change), natural(event.count), change.mayRepeat);
    case "composed":
      return together(event.events as readonly unknown[], change);
    case "parallel": {
      // With other rows a unit may be in another part.
      if (units > 1n) return together(event.events as readonly unknown[], change);
      const parts = event.events as Event[];
      return adjacency === "addRemove" ? apart(parts.map((part) => one(part, change))) : unpriced;
    }
    default:
      return unpriced;
  }
}

const scaled = ({ up, down }: Fraction, by: bigint): Fraction => ({ up: up * by, down });

/** (ε, δ); of two units (2ε, (1 + e^ε)·δ), of four that twice, rounded down, and what a ledger may add that computes it in doubles. */
function approximate(epsilon: Fraction, delta: Fraction, units: Change["units"]): Price {
  const price = pure(scaled(epsilon, units));
  if (units === 1n) return { ...price, delta: ceiling(delta, ATTO) };
  if (units === 4n) {
    const two = approximate(epsilon, delta, 2n);
    return approximate(scaled(epsilon, 2n), { up: two.delta, down: ATTO }, 2n);
  }
  const isHuge = epsilon.up > HUGE * epsilon.down;
  const factor = real.one + real.exp(isHuge ? HUGE * real.one : real.of(epsilon.up, epsilon.down));
  const doubled = (factor * delta.up * ATTO) / (delta.down * real.one);
  const least = doubled < ATTO ? doubled : ATTO;
  return { ...price, delta: least, slack: isHuge ? ATTO : least / 10n ** 10n + 2n };
}

const real = reals(256);
/** A double holds no more than e to a little above this. */
const HUGE = 700n;

function natural(value: unknown): bigint {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new SyntaxError(`${String(value)} is no count`);
  return BigInt(value as number);
}

const inverse = ({ up, down }: Fraction): Fraction => ({ up: down, down: up });

function pure(value: Fraction): Price {
  const epsilon = ceiling(value, MICRO);
  return { ...nothing, epsilon, pure: epsilon, pay: (before) => remainder(before, epsilon), flat: null, steps: 1n };
}

function gaussian({ up, down }: Fraction): Price {
  const cost = ceiling({ up: up * up, down: down * down }, MICRO);
  const least = cost > 0n ? cost : 1n;
  const part = (up * up * MICRO) / (down * down);
  return { ...nothing, epsilon: null, gaussian: part, pay: taking(least), flat: least };
}

const taking = (flat: bigint) => (before: bigint) => (before >= flat ? before - flat : null);

function many(price: Price, count: bigint, mayRepeat: MayRepeat): Price {
  if (count === 0n) return free;
  const { pay } = price;
  const more = price.steps * (count - 1n);
  const flat = price.flat === null ? null : price.flat * count;
  return {
    epsilon: price.epsilon === null ? null : price.epsilon * count,
    delta: price.delta * count,
    slack: price.slack * count,
    pure: price.pure * count,
    gaussian: price.gaussian * count,
    pay: pay === null ? null : flat === null ? inRow(pay, count, () => mayRepeat(more)) : taking(flat),
    flat,
    steps: price.steps * count,
  };
}

const inRow = (pay: NonNullable<Price["pay"]>, count: bigint, isFollowed: () => boolean) => (before: bigint) => {
  let left: bigint | null = isFollowed() ? before : null;
  for (let n = 0n; n < count && left !== null; n += 1n) left = pay(left);
  return left;
};

/** Parts that no two of share a person: the dearest one counts. */
function apart(parts: readonly Price[]): Price {
  const dearest = (values: readonly bigint[]): bigint =>
    values.reduce((most, value) => (value > most ? value : most), 0n);
  const epsilons = parts.map(({ epsilon }) => epsilon);
  const pays = parts.map(({ pay }) => pay);
  const flats = parts.map(({ flat }) => flat);
  return {
    epsilon: epsilons.includes(null) ? null : dearest(epsilons as bigint[]),
    delta: dearest(parts.map(({ delta }) => delta)),
    slack: dearest(parts.map(({ slack }) => slack)),
    pure: dearest(parts.map(({ pure }) => pure)),
    gaussian: dearest(parts.map(({ gaussian }) => gaussian)),
    pay: pays.includes(null)
      ? null
      : (before) => {
          const after = pays.map((pay) => pay?.(before) ?? null);
          if (after.includes(null)) return null;
          return (after as bigint[]).reduce((least, value) => (value < least ? value : least), before);
        },
    flat: flats.includes(null) ? null : dearest(flats as bigint[]),
    steps: parts.reduce((all, { steps }) => all + steps, 0n),
  };
}
