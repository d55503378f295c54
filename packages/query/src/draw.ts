import { type Exact, gaussianSampler, laplaceSampler, type Random } from "@dosimeter/core";
import { reveal } from "@dosimeter/core/exact";
import type { Measured } from "./engine.ts";
import type { BoundedPlan } from "./plan.ts";

/** The one place where exact integers become noisy ones: every integer of every cell gets its own draw [M83]. */
export function noisyIntegers(plan: BoundedPlan, exact: Exact<Measured>, random: Random): Measured {
  const measured = reveal(exact);
  return plan.statistics.map(({ noise, path }, index) => {
    const vector = measured[index];
    if (vector === undefined) throw new RangeError(`${path} was not measured`);
    const draw = noise.kind === "laplace" ? laplaceSampler(noise.scale) : gaussianSampler(noise.sigma);
    return vector.map((value) => value + draw(random));
  });
}
