import { deltaAmount, invalid } from "@dosimeter/core";
import type { Declaration } from "../declaration/declaration.ts";
import type { DecimalInput } from "../plan/bounded.ts";
import type { PlanDraft } from "./draft.ts";
import { peopleOf } from "./price.ts";

const MAX_FUNCTIONING = 3;

/**
 * Checks a plan's sample [M48]. Only a plan without an account, under replace-one, has one: a ledger's sample is fixed
 * when it opens.
 */
export function checkSample(
  sample: PlanDraft["sample"],
  draft: PlanDraft,
  declaration: Declaration | null,
): PlanDraft["sample"] {
  if (sample === null) return null;
  if (draft.headroom !== null)
    return invalid("sample", sample.population, "absent: the ledger fixed it when it opened");
  if (declaration !== null && declaration.adjacency !== "replace")
    return invalid("sample", sample.population, "absent under add/remove neighbours");
  if (!(sample.population > sample.size))
    return invalid("sample.population", sample.population, `more than the ${sample.size} in the sample`);
  const { epsilon, delta } = limitOfSample(draft, sample);
  if (epsilon > MAX_FUNCTIONING)
    return invalid("sample.population", sample.population, `small enough for a functioning epsilon of at most 3`);
  if (delta * sample.size >= 1)
    return invalid("sample.population", sample.population, "such that delta stays below 1/n");
  return sample;
}

function limitOfSample(draft: PlanDraft, { size, population }: NonNullable<PlanDraft["sample"]>) {
  const epsilon = Number(draft.epsilon);
  return {
    epsilon: Math.log1p((Math.expm1(epsilon) * population) / size),
    delta: (Number(draft.delta) * population) / size,
  };
}

/** Refuses δ ≥ 1/n when n is known or assumed: such a δ allows the publication of one person's row. */
export function checkDelta(delta: DecimalInput, draft: PlanDraft, declaration: Declaration | null): void {
  const units = deltaAmount(delta, "down");
  const people = declaration === null ? draft.people : peopleOf(draft, declaration);
  if (people !== null && units * BigInt(people) >= 10n ** 18n)
    invalid("delta", String(delta), `below 1/n = ${1 / people}: at 1/n one person could be published whole`);
}

/** The amount that needs a written reason, or null: ε above 1, or δ above 1/n². */
export function needsReason(draft: PlanDraft, declaration: Declaration): "epsilon" | "delta" | null {
  if (Number(draft.epsilon) > 1) return "epsilon";
  const people = peopleOf(draft, declaration);
  return people !== null && draft.headroom === null && Number(draft.delta) * people * people > 1 ? "delta" : null;
}
