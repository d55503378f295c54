import type { Exact, Random } from "@dosimeter/core";
import type { Measured } from "./engine.ts";
import type { BoundedPlan } from "./plan.ts";

export declare function noisyIntegers(
  plan: BoundedPlan,
  exact: Exact<Measured>,
  random: Random,
): readonly (readonly bigint[])[];
