import type { Random } from "./random.ts";

const GOLDEN = 0x9e37_79b9;

/** A repeatable generator (four 32-bit words of state, xoshiro128**) for tests, benchmarks and demos. Never for a release. */
export function seededRandom(seed: number): Random {
  let counter = seed | 0;
  const mix = (): number => {
    counter = (counter + GOLDEN) | 0;
    let z = counter;
    z = Math.imul(z ^ (z >>> 16), 0x85eb_ca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2_ae35);
    return z ^ (z >>> 16);
  };
  let [a, b, c, d] = [mix(), mix(), mix(), mix()];
  const rotate = (x: number, by: number): number => (x << by) | (x >>> (32 - by));
  return {
    uint32() {
      const word = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
      const t = b << 9;
      c ^= a;
      d ^= b;
      b ^= c;
      a ^= d;
      c ^= t;
      d = rotate(d, 11);
      return word;
    },
  };
}
