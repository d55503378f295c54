import type { Interval } from "@dosimeter/core/accounting";
import { asLower, type ComposedDirection, leastAt, leastIndex } from "@dosimeter/core/internal";

/** ln of the finite part of δ at the end of the table. */
const MIN_LOG = -680;
const KNOTS = 160;
/** Answers that are kept: the searches ask at the same places. */
const MAX_KNOWN = 8192;

/** Where the line of slope −e^x touches: α, and 1 − β, which is the other curve's 1 − α. */
interface Corner {
  readonly from: number;
  readonly x: number;
  readonly to: number;
  readonly touch: number;
  readonly rest: number;
}

/**
 * The lines of slope −e^x, x ≥ 0, that support one direction of a composed curve. Where they touch only guides the
 * choice of x; every bound comes from `delta` alone. It is a class so that it can build its table on first use.
 */
export class SupportTable {
  readonly lost: number;
  readonly largest: number;
  /** Beyond this x only the mass at ∞ is left. */
  readonly end: number;
  /** A distance over which δ changes by about a ten-thousandth. */
  readonly width: number;
  readonly #direction: ComposedDirection;
  readonly #lostForSure: number;
  readonly #known = new Map<number, Interval>();
  readonly #corners: Corner[] = [];
  #diagonal: number | undefined;

  constructor(direction: ComposedDirection) {
    this.#direction = direction;
    const { upper, lower } = direction.delta(direction.largest);
    [this.lost, this.#lostForSure] = [upper, lower];
    this.largest = direction.largest;
    this.end = Math.min(direction.largest, direction.reach(MIN_LOG));
    this.width = Math.min(1e-3, Math.max(1e-12, this.end * 2e-5));
  }

  /** δ(x), x ≥ 0; beyond the end the upper bound stays at its value there. */
  delta(x: number): Interval {
    const at = this.end === this.largest ? x : Math.min(x, this.end);
    let known = this.#known.get(at);
    if (known === undefined) {
      if (this.#known.size >= MAX_KNOWN) this.#known.clear();
      known = this.#direction.delta(at);
      this.#known.set(at, known);
    }
    return at === x ? known : { upper: known.upper, lower: asLower(this.#lostForSure, "one-sided") };
  }

  /** The α at which the slope is −1. */
  get diagonal(): number {
    this.#diagonal ??= this.touch(0);
    return this.#diagonal;
  }

  /** The α at which the line of slope −e^x touches: −dδ/de^x. */
  touch(x: number): number {
    if (x >= this.end) return 0;
    const from = Math.max(0, x - this.width);
    const to = x + this.width;
    const fall = this.delta(from).upper - this.delta(to).upper;
    return Math.max(0, (fall * Math.exp(-from)) / Math.expm1(to - from));
  }

  /** 1 − β where that line touches. */
  restAt(x: number): number {
    return Math.min(1, this.delta(x).upper + Math.exp(x) * this.touch(x));
  }

  corners(): readonly Corner[] {
    return Array.from({ length: KNOTS }, (_, i) => this.#corner(i));
  }

  /** Where the lines of two neighbouring knots meet; knots lie closer where x is small. */
  #corner(i: number): Corner {
    const known = this.#corners[i];
    if (known !== undefined) return known;
    const [from, to] = [this.end * (i / KNOTS) ** 2, this.end * ((i + 1) / KNOTS) ** 2];
    const [before, after] = [this.delta(from).upper, this.delta(to).upper];
    const touch = (Math.max(0, before - after) * Math.exp(-from)) / Math.expm1(to - from);
    const corner = { from, x: (from + to) / 2, to, touch, rest: before + Math.exp(from) * touch };
    this.#corners[i] = corner;
    return corner;
  }

  /** The x ≥ 0 whose line is the lowest at α. */
  supportOf(alpha: number): number {
    const log = Math.log(alpha);
    return this.#search(alpha, {
      known: ({ touch }) => touch,
      value: (x) => this.touch(x),
      height: (x) => this.delta(x).upper + Math.exp(x + log),
    });
  }

  /** The x ≥ 0 of the line that touches where 1 − β = rest. */
  supportOfRest(rest: number): number {
    return this.#search(rest, {
      known: (corner) => corner.rest,
      value: (x) => this.restAt(x),
      height: (x) => (this.delta(x).upper - rest) * Math.exp(-x),
    });
  }

  /**
   * The x at which `height` is least: between two corners by logarithms, then one step of Newton's; where that misses
   * the minimum, for example near a kink, by golden sections between the neighbouring corners.
   */
  #search(target: number, { known, value, height }: Search): number {
    const high = leastIndex((place) => !(known(this.#corner(place)) >= target), -1, KNOTS);
    const [left, right] = [this.#corner(Math.max(high - 1, 0)), this.#corner(Math.min(high, KNOTS - 1))];
    const [from, to] = [high === 0 ? 0 : left.from, right.to];
    const steepness = (Math.log(known(left)) - Math.log(known(right))) / (right.x - left.x);
    if (steepness > 0 && Number.isFinite(steepness)) {
      const guess = clamp(left.x + Math.log(known(left) / target) / steepness, from, to);
      const step = Math.log(value(guess) / target) / steepness;
      if (Number.isFinite(step)) {
        const x = clamp(guess + step, from, to);
        const least = height(x);
        if (least <= height(Math.max(0, x - this.width)) && least <= height(x + this.width)) return x;
      }
    }
    if (to === this.end && height(to) <= height(to - this.width)) return to;
    return leastAt(height, from, to, 1e-7 * this.end);
  }
}

interface Search {
  /** A quantity that falls with x, as stored at a corner; `value` computes it at any x. */
  readonly known: (corner: Corner) => number;
  readonly value: (x: number) => number;
  readonly height: (x: number) => number;
}

const clamp = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x));
