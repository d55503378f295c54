import { deltaAmount, invalid } from "@dosimeter/core";
import { leastIndex } from "@dosimeter/core/internal";
import { type Declaration, inNoun } from "@dosimeter/query/declaration";
import type { DecimalInput } from "@dosimeter/query/plan";
import type { PlanDraft } from "./draft.ts";
import { peopleOf } from "./price.ts";

const MAX_FUNCTIONING = 3;

/**
 * Checks a plan's sample [M48]. Only a plan without an account, under replace-one, has one: all answers of a ledger come from the same
 * sample, which would count once, for all of them.
 */
export function checkSample(
  sample: PlanDraft["sample"],
  draft: PlanDraft,
  declaration: Declaration | null,
): PlanDraft["sample"] {
  if (sample === null) return null;
  if (draft.headroom !== null)
    return invalid("sample", sample.population, "absent: a ledger counts every answer in full");
  if (declaration !== null && declaration.adjacency !== "replace")
    return invalid("sample", sample.population, "absent under add/remove neighbours");
  if (!(sample.population > sample.size))
    return invalid("sample.population", sample.population, `more than the ${sample.size} in the sample`);
  const most = largestPopulation(draft, sample.size);
  if (sample.population > most)
    return invalid("sample.population", sample.population, `at most ${most}: ${whyNoMore(draft, sample)}`);
  return sample;
}

type Sampled = Pick<PlanDraft, "epsilon" | "delta">;

const functioningOf = ({ epsilon, delta }: Sampled, { size, population }: NonNullable<PlanDraft["sample"]>) => ({
  epsilon: Math.log1p((Math.expm1(Number(epsilon)) * population) / size),
  delta: (Number(delta) * population) / size,
});

const isWithin = (draft: Sampled, sample: NonNullable<PlanDraft["sample"]>): boolean => {
  const { epsilon, delta } = functioningOf(draft, sample);
  return epsilon <= MAX_FUNCTIONING && delta * sample.size < 1;
};

/** The largest population whose functioning ε is at most 3 and whose functioning δ is below 1/n; 0 where none is. */
export function largestPopulation(draft: Sampled, size: number): number {
  const most = Number.MAX_SAFE_INTEGER;
  const isTooLarge = (population: number): boolean => !isWithin(draft, { size, population });
  return isTooLarge(most) ? leastIndex(isTooLarge, 0, most) - 1 : most;
}

/** Three digits, up. */
const shown = (value: number): string => {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 2);
  return String(Number((Math.ceil(value / unit) * unit).toPrecision(3)));
};

function whyNoMore(draft: Sampled, sample: NonNullable<PlanDraft["sample"]>): string {
  const { epsilon, delta } = functioningOf(draft, sample);
  return epsilon > MAX_FUNCTIONING
    ? `the functioning epsilon would be ${shown(epsilon)}, and the most is ${MAX_FUNCTIONING}`
    : `the functioning delta would be ${shown(delta)}, and must stay below 1/n = ${shown(1 / sample.size)}`;
}

/** Refuses δ ≥ 1/n when n is known or assumed: such a δ allows the publication of one person's row. */
export function checkDelta(delta: DecimalInput, draft: PlanDraft, declaration: Declaration | null): void {
  const units = deltaAmount(delta, "down");
  const people = declaration === null ? draft.people : peopleOf(draft, declaration);
  if (people !== null && units * BigInt(people) >= 10n ** 18n)
    invalid(
      "delta",
      String(delta),
      `below 1/n = ${1 / people}: at 1/n ${inNoun("one person", declaration?.unitNoun)} could be published whole`,
    );
}

/** The amount that needs a written reason, or null: ε above 1, or δ above 1/n². */
export function needsReason(draft: PlanDraft, declaration: Declaration): "epsilon" | "delta" | null {
  if (Number(draft.epsilon) > 1) return "epsilon";
  const people = peopleOf(draft, declaration);
  return people !== null && draft.headroom === null && Number(draft.delta) * people * people > 1 ? "delta" : null;
}
