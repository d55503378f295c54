/** Repeatable numbers for *public synthetic data*. Never for noise: anyone can replay them from the seed. */
export interface Sequence {
  /** Uniform on [0, 1) in steps of 2⁻³². */
  readonly uniform: () => number;
  /** Standard normal, by Box and Muller. */
  readonly normal: () => number;
  /** An index, in proportion to `weights` (non-negative, not all zero). */
  readonly pick: (weights: readonly number[]) => number;
  /** An integer in [from, to], both included. */
  readonly integer: (from: number, to: number) => number;
}

/** The 32-bit mixer of SplitMix (Steele, Lea, Flood 2014, with Stafford's constants), run as a counter. */
export function sequence(seed: number): Sequence {
  let counter = seed >>> 0;
  function uniform(): number {
    counter = (counter + 0x9e3779b9) >>> 0;
    let z = counter;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return ((z ^ (z >>> 16)) >>> 0) / 2 ** 32;
  }
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    pick(weights) {
      let rest = uniform() * weights.reduce((total, weight) => total + weight, 0);
      const index = weights.findIndex((weight) => {
        rest -= weight;
        return rest < 0;
      });
      return index < 0 ? weights.length - 1 : index;
    },
    integer: (from, to) => from + Math.floor(uniform() * (to - from + 1)),
  };
}
