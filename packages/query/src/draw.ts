import { type Exact, gaussianSampler, laplaceSampler, type Random } from "@dosimeter/core";
import { reveal } from "@dosimeter/core/exact";
import type { Measured } from "./engine.ts";
import type { BoundedPlan } from "./plan.ts";
import { selectQuantiles } from "./quantile.ts";

/** Draws between two chances for the caller to do something else. */
const SLICE = 256;

/**
 * The one place where exact integers become noisy ones: every integer of every cell gets its own draw [M83], or one leaf
 * is chosen [M93]. A generator, so that long work can be done in slices.
 */
export function* noisyIntegers(plan: BoundedPlan, exact: Exact<Measured>, random: Random): Generator<void, Measured> {
  const measured = reveal(exact);
  const noisy: bigint[][] = [];
  for (const [index, { noise, path, selection, groups }] of plan.statistics.entries()) {
    const vector = measured[index];
    if (vector === undefined) throw new RangeError(`${path} was not measured`);
    const drawn: bigint[] = [];
    if (selection !== null && noise.kind === "laplace") {
      for (let group = 0; group < groups.length; group++) {
        const leaves = vector.slice(group * selection.leaves, (group + 1) * selection.leaves);
        drawn.push(...selectQuantiles(leaves, selection, noise.scale, random));
        yield;
      }
    } else {
      const draw = noise.kind === "laplace" ? laplaceSampler(noise.scale) : gaussianSampler(noise.sigma);
      for (const [at, value] of vector.entries()) {
        drawn.push(value + draw(random));
        if (at % SLICE === 0) yield;
      }
    }
    noisy.push(drawn);
  }
  return noisy;
}
