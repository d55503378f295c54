import { wanted } from "../check.ts";
import type { Declaration } from "../declaration.ts";
import type { PlanDraft } from "./draft.ts";

const MOST_FUNCTIONING = 3;

/** [M48]; replace-one and a plan that stands alone only: the ledger's own sample is fixed when it opens. */
export function checkSample(
  sample: PlanDraft["sample"],
  draft: PlanDraft,
  declaration: Declaration | null,
): PlanDraft["sample"] {
  if (sample === null) return null;
  if (draft.headroom !== null) return wanted("sample", sample.population, "absent: the ledger fixed it when it opened");
  if (declaration !== null && declaration.adjacency !== "replace")
    return wanted("sample", sample.population, "absent under add/remove neighbours");
  if (!(sample.population > sample.size))
    return wanted("sample.population", sample.population, `more than the ${sample.size} in the sample`);
  const { epsilon, delta } = limitOfSample(draft, sample);
  if (epsilon > MOST_FUNCTIONING)
    return wanted("sample.population", sample.population, `small enough for a functioning epsilon of at most 3`);
  if (delta * sample.size >= 1)
    return wanted("sample.population", sample.population, "such that delta stays below 1/n");
  return sample;
}

function limitOfSample(draft: PlanDraft, { size, population }: NonNullable<PlanDraft["sample"]>) {
  const epsilon = Number(draft.epsilon);
  return {
    epsilon: Math.log1p((Math.expm1(epsilon) * population) / size),
    delta: (Number(draft.delta) * population) / size,
  };
}
