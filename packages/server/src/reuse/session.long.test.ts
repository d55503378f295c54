import type { StatisticRequest } from "@dosimeter/client";
import { seededRandom } from "@dosimeter/core/testing";
import { expect, test } from "vitest";
import { instanceOfTest } from "../fixture.kit.ts";
import { clientOf, csvBytes, tokenFor } from "../instance.kit.ts";

const columns = {
  age: { type: "integer", lower: 0, upper: 99, required: true },
  pay: { type: "number", lower: 0, upper: 100, granularity: 0.25, required: true },
  sex: { type: "category", categories: ["f", "m"], required: true },
  member: { type: "boolean", required: true },
};

/** What an analyst asks again and again: each question in several spellings, and questions that others answer. */
const questions: readonly (readonly StatisticRequest[])[] = [
  [{ statistic: "count", epsilon: "0.01" }],
  [
    { statistic: "count", epsilon: "0.01", groupBy: ["sex", "member"] },
    { statistic: "count", epsilon: "0.01", groupBy: ["member", "sex"] },
  ],
  [{ statistic: "count", epsilon: "0.002", groupBy: ["sex"] }],
  [{ statistic: "count", epsilon: "0.002", where: "sex = 'm' and member = true" }],
  [{ statistic: "sum", column: "pay", epsilon: "0.01" }],
  [{ statistic: "mean", column: "pay", epsilon: "0.001" }],
  [{ statistic: "mean", column: "age", epsilon: "0.01" }],
  [{ statistic: "sum", column: "age", epsilon: "0.002" }],
  [{ statistic: "variance", column: "age", epsilon: "0.01" }],
  [{ statistic: "standardDeviation", column: "age", epsilon: "0.01" }],
  [{ statistic: "histogram", column: "age", bins: 20, epsilon: "0.01" }],
  [{ statistic: "histogram", column: "age", bins: 5, epsilon: "0.002" }],
  [
    { statistic: "count", epsilon: "0.002", where: "age >= 20 and age < 40" },
    { statistic: "count", epsilon: "0.002", where: "not (age < 20 or age > 39)" },
    { statistic: "count", epsilon: "0.002", where: "age between 20 and 39 and age > 19" },
  ],
  [{ statistic: "cdf", column: "age", epsilon: "0.05" }],
  [{ statistic: "median", column: "age", epsilon: "0.0005" }],
  [{ statistic: "quantiles", column: "age", quantiles: [0.1, 0.9], epsilon: "0.0005" }],
];

test("an analyst's session of 1,000 questions pays for what is new alone, through the interface", async () => {
  const instance = await instanceOfTest();
  const operator = clientOf(instance, instance.operatorToken);
  const random = seededRandom(31);
  const row = (): string => {
    const [age, pay] = [random.uint32() % 100, (random.uint32() % 401) / 4];
    return `${age},${pay},${random.uint32() % 5 < 3 ? "f" : "m"},${random.uint32() % 10 < 3}`;
  };
  const text = ["age,pay,sex,member", ...Array.from({ length: 2000 }, row), ""].join("\n");
  const file = await operator.uploadFile({ name: "people.csv", content: csvBytes(text) });
  const declaration = {
    name: "people",
    source: { csv: "people.csv" },
    privacyUnit: "row",
    size: { assumed: 2000 },
    columns,
  };
  const { id: dataset } = await operator.createDataset({ file: file.id, declaration });
  const { id: ledger } = await operator.openLedger({ dataset, epsilon: "5", delta: "1e-6" });
  const { id } = await operator.createPerson({ name: "analyst" });
  const { id: account } = await operator.createAccount({ ledger, holder: { kind: "person", id }, epsilon: "5" });

  const analyst = clientOf(instance, await tokenFor(instance, id));

  let naive = 0;
  let charges = 0;
  // Five at once, often the same question: the caller who asks second waits and pays nothing.
  for (let i = 0; i < 1000; i += 5)
    await Promise.all(
      Array.from({ length: 5 }, async () => {
        const spellings = questions[random.uint32() % questions.length] ?? [];
        const statistic = spellings[random.uint32() % spellings.length];
        if (statistic === undefined) return;
        naive += Number(statistic.epsilon);
        const plan = { statistics: [statistic] };
        const { answers } = await analyst.releaseAndWait({ dataset, account, plan, reuse: "asAccurate" });
        if (answers?.[0]?.origin === undefined) charges += 1;
      }),
    );
  const paid = Number((await operator.showLedger({ ledger })).balance.epsilon.spent);
  const saved = await operator.showReuse({ dataset });
  console.info(
    `1,000 questions: ${charges} charges, ε ${paid.toFixed(4)} paid of ${naive.toFixed(4)} (${(paid / naive).toFixed(4)})`,
  );
  expect(charges).toBeLessThanOrEqual(questions.length);
  expect(paid / naive).toBeLessThan(0.03);
  expect(saved.answers).toBe(1000 - charges);
  expect(Number(saved.epsilon) + paid).toBeCloseTo(naive, 9);
  expect((await instance.database.audit.verify()).problems).toEqual([]);
});
