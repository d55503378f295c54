import { present } from "@dosimeter/core/internal";
import type { Declaration } from "@dosimeter/query/declaration";
import type { DecimalInput } from "@dosimeter/query/plan";
import type { Plan, StatisticRequest } from "@dosimeter/query/statistics";
import { emptyDraft, isCounted, requestWith, shareOf, withUnits } from "./draft.ts";
import { firstPrice } from "./first-price.ts";
import type { Headroom } from "./headroom.ts";
import { openRows } from "./open.ts";

/**
 * A plan whose statistics without a price have their first one on this account, in order; those with a price, and those that cannot
 * be priced, stay as they are. `priced` are the positions that got one, `hopeless` those that nothing left makes useful.
 */
export function pricedPlan(
  plan: Plan,
  headroom: Headroom,
  declaration: Declaration,
): { readonly plan: Plan; readonly priced: readonly number[]; readonly hopeless: readonly number[] } {
  const { confidence = 0.95, join, let: formulas, window } = plan;
  const draft = { ...emptyDraft("0"), headroom, confidence, ...present({ join, let: formulas, window }) };
  const given = plan.statistics.map(({ epsilon, rho, ...request }, index) => ({
    id: request.id ?? `s${index + 1}`,
    request,
    ...present({ epsilon, rho }),
  }));
  const rows = [...openRows(given, draft, declaration)];
  const priced: number[] = [];
  const hopeless: number[] = [];
  rows.forEach((row, index) => {
    if (hasPrice(plan.statistics[index]) || !row.isComplete) return;
    const others = rows.filter((other) => other !== row && isCounted(other) && shareOf(other).units > 0n).map(shareOf);
    const units = firstPrice(row, others, draft, declaration);
    (units > 0n ? priced : hopeless).push(index);
    if (units > 0n) rows[index] = withUnits(row, units);
  });
  const statistics = plan.statistics.map((request, index) => {
    const row = rows[index];
    return row === undefined || !priced.includes(index) ? request : priceOnly(request, requestWith(row));
  });
  return { plan: { ...plan, statistics }, priced, hopeless };
}

const hasPrice = (request: { readonly epsilon?: DecimalInput; readonly rho?: DecimalInput } | undefined): boolean =>
  request?.epsilon !== undefined || request?.rho !== undefined;

/** The request as it was written, with the price of another. */
const priceOnly = (request: StatisticRequest, { epsilon, rho }: StatisticRequest): StatisticRequest => ({
  ...request,
  ...present({ epsilon, rho }),
});
