import { seededRandom } from "@dosimeter/core/testing";
import { expect, test } from "vitest";
import type { StatisticRequest } from "../../query/src/statistics/request.ts";
import { diagramsOf } from "./diagram.ts";
import type { Earlier } from "./earlier.ts";
import { waysTo } from "./offer.ts";
import { askedFor, bounded, declaration, measured, peopleOf, released } from "./reuse.kit.ts";

/** What an analyst asks again and again: counts, sums and means, some of them spelled again, some rolled up from others. */
const questions: readonly StatisticRequest[] = [
  { statistic: "count", epsilon: 0.01 },
  { statistic: "count", epsilon: 0.01, groupBy: ["sex", "member"] },
  { statistic: "count", epsilon: 0.002, groupBy: ["member", "sex"] },
  { statistic: "count", epsilon: 0.002, groupBy: ["sex"] },
  { statistic: "sum", column: "pay", epsilon: 0.01 },
  { statistic: "mean", column: "pay", epsilon: 0.001 },
  { statistic: "mean", column: "age", epsilon: 0.01 },
  { statistic: "sum", column: "age", epsilon: 0.002 },
  { statistic: "variance", column: "age", epsilon: 0.01 },
  { statistic: "histogram", column: "age", bins: 10, epsilon: 0.01 },
  { statistic: "histogram", column: "age", bins: 5, epsilon: 0.002 },
  { statistic: "count", epsilon: 0.002, where: "age >= 20 and age < 40" },
  { statistic: "count", epsilon: 0.002, where: "not (age < 20 or age > 39)" },
];

test("a session of 1,000 questions pays only for what is new", () => {
  const people = peopleOf(300);
  const random = seededRandom(11);
  const diagrams = diagramsOf(declaration);
  const asked = questions.map((question) => askedFor(question, 0.95, 300));
  const exact = questions.map((question) =>
    measured(bounded(question), people, question.where === undefined ? undefined : ({ age }) => age >= 20 && age < 40),
  );
  const stored: Earlier[] = [];
  let [paid, naive, charges] = [0, 0, 0];
  for (let i = 0; i < 1000; i++) {
    const at = random.uint32() % questions.length;
    const [question, one] = [questions[at], asked[at]];
    if (question === undefined || one === undefined) continue;
    naive += Number(question.epsilon);
    if (waysTo(one, stored, diagrams).some(({ fresh, asAccurate }) => fresh === null && asAccurate)) continue;
    stored.push(released(question, exact[at] ?? [], random, { release: `rel_${i}` }));
    paid += Number(question.epsilon);
    charges += 1;
  }
  console.info(
    `1,000 questions: ${charges} charges, ε ${paid.toFixed(3)} paid of ${naive.toFixed(3)} (${(paid / naive).toFixed(4)})`,
  );
  expect(charges).toBeLessThanOrEqual(questions.length);
  expect(paid / naive).toBeLessThan(0.02);
});
