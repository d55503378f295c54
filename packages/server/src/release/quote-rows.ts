import type { BoundedPlan } from "@dosimeter/query/plan";
import { type QuotedStatistic, quotePlan } from "@dosimeter/query/quote";

/** As `quotePlan`, letting others through between two rows: looking for the best bounds of one takes up to 40 ms. */
export async function quoteRows(
  plan: BoundedPlan,
  options: Parameters<typeof quotePlan>[1],
): Promise<readonly QuotedStatistic[]> {
  const quoted: QuotedStatistic[] = [];
  for (const statistic of plan.statistics) {
    quoted.push(...quotePlan({ ...plan, statistics: [statistic] }, options));
    await new Promise((resume) => setImmediate(resume));
  }
  return quoted;
}
