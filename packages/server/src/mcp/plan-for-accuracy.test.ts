import type { Client, Plan } from "@dosimeter/client";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { quotePlan } from "@dosimeter/query/quote";
import { expect, test } from "vitest";
import { declaration } from "../instance.kit.ts";
import { planForAccuracy } from "./plan-for-accuracy.ts";

const checked = checkDeclaration(declaration);
const errorAt = (plan: Plan): number | null =>
  quotePlan(boundPlan(plan as never, checked), { people: 5000 })[0]?.accuracy.halfWidth ?? null;
const statistics = (plan: Plan) => [{ accuracy: { halfWidth: errorAt(plan) } }];
const client: Pick<Client, "quotePlan"> = {
  quotePlan: async ({ plan }) => ({ statistics: statistics(plan) }) as never,
};

const rows = [
  { statistic: "count" },
  { statistic: "count", noise: "gaussian" },
  { statistic: "sum", column: "age" },
  { statistic: "mean", column: "salary" },
  { statistic: "mean", column: "age", noise: "gaussian" },
  { statistic: "median", column: "age" },
  { statistic: "histogram", column: "age", bins: 5 },
] as const;

test.each(rows)("of %o: every error that a price gives is reached by at most 1.02 times that price", async (row) => {
  const paidIn = "noise" in row ? "rho" : "epsilon";
  const at = (price: number) => errorAt({ statistics: [{ ...row, [paidIn]: price }] }) ?? Number.NaN;
  for (let price = 0.004; price < 40; price *= 1.6) {
    const target = at(price);
    if (target === 0) continue;
    const asked = { dataset: "d", account: "a", plan: { statistics: [{ ...row }] }, within: target };
    const { plan } = await planForAccuracy(client, asked, new AbortController().signal);
    const found = Number(plan.statistics[0]?.[paidIn]);
    expect(at(found), `${price}`).toBeLessThanOrEqual(target);
    expect(found).toBeLessThanOrEqual(price * 1.02);
    expect(at(found / 1.022), `${found}`).toBeGreaterThan(target);
  }
});
