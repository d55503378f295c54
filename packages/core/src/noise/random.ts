import { bitLength } from "../amounts/rational.ts";

/** Independent, uniform 32-bit words: the only source of randomness of a sampler. */
export interface Random {
  /** A uniform integer in [0, 2³²). */
  uint32(): number;
}

declare const secure: unique symbol;

/** Words of a cryptographic generator. Production takes this type; a seeded generator does not have it. */
export interface SecureRandom extends Random {
  readonly [secure]: true;
}

/** Fills the words with the output of a generator. */
export type FillWords = (words: Uint32Array<ArrayBuffer>) => void;

const BUFFERED_WORDS = 4096;

class WordBuffer implements Random {
  readonly #fill: FillWords;
  readonly #words = new Uint32Array(BUFFERED_WORDS);
  #next = BUFFERED_WORDS;

  constructor(fill: FillWords) {
    this.#fill = fill;
  }

  uint32(): number {
    if (this.#next === BUFFERED_WORDS) {
      this.#fill(this.#words);
      this.#next = 0;
    }
    const word = this.#words[this.#next] ?? 0;
    this.#words[this.#next] = 0; // no one can read or use a consumed word again
    this.#next += 1;
    return word;
  }
}

/**
 * For the adapter of a platform's cryptographic generator only (a test greps for callers): `fill` must be
 * `crypto.getRandomValues` or `randomFillSync`. A throwing `fill` throws before any word is drawn from the new buffer.
 */
export const secureRandom = (fill: FillWords): SecureRandom => new WordBuffer(fill) as Random as SecureRandom;

const WORD = 2 ** 32;
const SMALL = 2 ** 21;

/** An exactly uniform integer in [0, bound), 1 ≤ bound ≤ 2⁵³. Integer arithmetic below 2⁵³ only. */
export function below(bound: number, random: Random): number {
  if (bound <= SMALL) return belowSmall(bound, random);
  if (bound <= WORD) {
    const shift = Math.clz32(bound - 1);
    for (;;) {
      const word = random.uint32() >>> shift;
      if (word < bound) return word;
    }
  }
  const shift = Math.clz32(Math.floor((bound - 1) / WORD));
  for (;;) {
    const value = (random.uint32() >>> shift) * WORD + random.uint32();
    if (value < bound) return value;
  }
}

/** Lemire's rejection: word·bound < 2⁵³ is exact in a double. */
function belowSmall(bound: number, random: Random): number {
  let product = random.uint32() * bound;
  let high = Math.floor(product / WORD);
  let low = product - high * WORD;
  if (low < bound) {
    const biased = WORD % bound;
    while (low < biased) {
      product = random.uint32() * bound;
      high = Math.floor(product / WORD);
      low = product - high * WORD;
    }
  }
  return high;
}

/** An exactly uniform integer in [0, bound) for any bound ≥ 1. */
export function belowBig(bound: bigint, random: Random): bigint {
  if (bound <= BigInt(Number.MAX_SAFE_INTEGER)) return BigInt(below(Number(bound), random));
  const bits = bitLength(bound - 1n);
  const words = Math.ceil(bits / 32);
  const excess = BigInt(words * 32 - bits);
  for (;;) {
    let value = 0n;
    for (let i = 0; i < words; i++) value = (value << 32n) | BigInt(random.uint32());
    value >>= excess;
    if (value < bound) return value;
  }
}
