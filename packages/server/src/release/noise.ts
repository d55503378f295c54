import { type Answer, type BoundedPlan, noiseSteps } from "@dosimeter/query";
import type { ReleaseDeps } from "./deps.ts";
import type { Measured } from "./measure.ts";
import { inSlices } from "./slices.ts";

/** Step 4. Adds noise from the operating system's generator. */
export async function drawNoise(
  { random, step }: ReleaseDeps,
  plan: BoundedPlan,
  exact: Measured,
): Promise<readonly Answer[]> {
  const answers = await inSlices(noiseSteps(plan, exact, random));
  step("release.noised");
  return answers;
}
