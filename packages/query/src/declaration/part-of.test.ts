import { expect, test } from "vitest";
import { boundPlan } from "../bind/bound-plan.ts";
import { quotePlan } from "../quote/quote.ts";
import { checkDeclaration } from "./check-declaration.ts";
import { evenPart } from "./part-of.ts";
import { readPredicate } from "./predicate-text.ts";

const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: "row",
  size: { assumed: 1000 },
  columns: {
    age: { type: "integer", lower: 0, upper: 99 },
    educ: { type: "category", categories: Array.from({ length: 16 }, (_, at) => String(at + 1)) },
    sex: { type: "category", categories: ["f", "m"] },
    income: { type: "number", lower: 0, upper: 50_000 },
    since: { type: "date", lower: "2020-01-01", upper: "2020-12-31" },
    note: { type: "text" },
  },
});

test.each([
  ["educ = '16'", 1 / 16],
  ["educ in ('1', '2') and sex = 'f'", 1 / 16],
  ["age > 89", 0.1],
  ["age >= 20 and age < 30", 0.1],
  ["not (age > 89)", 0.9],
  ["sex = 'f' or age > 89", 0.55],
  ["not (sex = 'f' or age > 89)", 0.45],
  ["income > 40000", 0.2],
  ["since < '2020-07-01'", 182 / 366],
  ["note = 'x'", 1],
  ["age > 99", 0.001],
])("%s fits an even part of the declared values", (where, part) => {
  expect(evenPart(readPredicate(where, declaration), declaration)).toBeCloseTo(part, 2);
});

test("a quote of a filtered mean assumes the people that match, and says how many", () => {
  const quoted = (where?: string) => {
    const request = { statistic: "mean", column: "income", epsilon: "1", ...(where === undefined ? {} : { where }) };
    return quotePlan(boundPlan({ statistics: [request] } as never, declaration))[0]?.accuracy;
  };
  expect(quoted("educ = '16'")?.assumes).toContain("about 63 people that match, an even share of what is declared");
  const [all, few] = [quoted()?.halfWidth ?? 0, quoted("educ = '16'")?.halfWidth ?? 0];
  expect(few).toBeGreaterThan(10 * all);
});

test("a filter on the column of the groups leaves out groups, and no rows of the others", () => {
  const part = (where: string) => evenPart(readPredicate(where, declaration), declaration, ["educ"]);
  expect([part("educ = '16'"), part("educ != '16'"), part("educ = '16' and sex = 'f'")]).toEqual([1, 1, 0.5]);
  const request = { statistic: "mean", column: "income", epsilon: "1", groupBy: ["educ"] };
  const [all, some] = [{}, { where: "educ != '16'" }].map(
    (more) => quotePlan(boundPlan({ statistics: [{ ...request, ...more }] } as never, declaration))[0]?.accuracy,
  );
  expect(some?.halfWidth).toBe(all?.halfWidth);
  const [few] = quotePlan(
    boundPlan({ statistics: [{ ...request, where: "sex = 'f' and educ != '16'" }] } as never, declaration),
  );
  expect(few?.accuracy.assumes).toBe(
    "if there are about 31 people in the group that match, an even share of what is declared",
  );
});

test("a long filter of many categories is read and judged at once: a server does it for each row that is quoted", () => {
  const categories = Array.from({ length: 65_536 }, (_, at) => `v${at}`);
  const table = checkDeclaration({
    ...{ name: "codes", source: { csv: "codes.csv" }, privacyUnit: "row" },
    columns: { code: { type: "category", categories } },
  });
  const [start, values] = [process.cpuUsage(), categories.slice(-1000)];
  const equals = values.map((value) => ({ op: "=", column: "code", value }));
  const where = readPredicate({ op: "or", of: [{ op: "in", column: "code", values }, ...equals.slice(1)] }, table);
  expect(evenPart(where, table)).toBe(1000 / 65_536);
  // One by one they take more than a second.
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(500);
  expect(evenPart({ op: "!=", column: "code", value: "v0" }, table)).toBe(65_535 / 65_536);
});
