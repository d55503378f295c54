import { editPlan, emptyDraft, savedPlan } from "@dosimeter/planner";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { accuracy } from "@dosimeter/query/quote";
import { expect, test } from "vitest";
import { atMostOf100, posterior, rightOf100 } from "../parts/calculus.ts";
import { copyAs } from "./copy-as.ts";
import { glossary } from "./glossary.ts";
import { readTsv } from "./tsv.ts";
import { openWorkbench, rowsOf, withPasted } from "./workbench.ts";

const declaration = checkDeclaration({
  name: "it's census",
  source: { csv: "c.csv" },
  privacyUnit: "row",
  adjacency: "replace",
  size: { public: 1000 },
  columns: {
    age: { type: "integer", lower: 0, upper: 100, required: true },
    race: { type: "category", categories: [1, 2, 3] },
  },
});
const census = { adjacency: "replace", n: 1000, lower: 0, upper: 100 } as const;

test("the worked numbers of the cards are what the engine computes", () => {
  expect(atMostOf100(posterior(0.1, 1))).toBe(24);
  expect(glossary.epsilon.worked).toContain("at most 24 in 100");
  expect(atMostOf100(posterior(0.1, 0.2))).toBe(12);
  expect(rightOf100(1)).toBe(74);
  const mean = (epsilon: number): number => accuracy({ statistic: "mean", epsilon, ...census });
  expect(mean(0.2)).toBeCloseTo(1.5, 1);
  expect(mean(0.4)).toBeCloseTo(0.75, 2);
  expect(glossary.share.worked).toContain("±1.5 years; with ε 0.4: ±0.75");
  const bar = (failureProbability: number): number =>
    accuracy({ statistic: "histogram", epsilon: 0.2, adjacency: "replace", n: 1000, failureProbability });
  expect([bar(0.05), bar(0.1), bar(0.01)]).toEqual([30, 23, 46]);
  expect(glossary.confidence.worked).toBe("±30 with 95 % is ±23 with 90 % and ±46 with 99 %.");
  expect(Math.log1p(Math.expm1(1) * 10)).toBeCloseTo(2.9, 2);
});

test("rows of a spreadsheet become rows of the plan, with or without headings", () => {
  expect(readTsv("hello")).toBeNull();
  const headed = readTsv("Statistic\tvariable\tTarget ±\terror\nmean\tage\t2\t0.5\nhistogram\trace\t\t\n") ?? [];
  expect(headed.map(({ target, error }) => [target, error])).toEqual([
    ["2", "0.5"],
    ["", ""],
  ]);
  const bare = readTsv("mean\tage\t0\t80\ncount\t") ?? [];
  expect(bare.map(({ texts }) => texts)).toEqual([
    { statistic: "mean", column: "age", lower: "0", upper: "80" },
    { statistic: "count" },
  ]);
  expect(readTsv('"mean"\t"a\tb"\n')?.map(({ texts }) => texts)).toEqual([{ statistic: "mean", column: "a\tb" }]);
  expect(() => readTsv("Statistic\tvariable\nmean\tage\t2\n")).toThrow(
    "the number of cells in line 2 is 3, must be at most 2",
  );
  const rows = rowsOf(withPasted(openWorkbench(declaration, "1"), headed));
  expect(rows.map(({ quote, target }) => [quote?.label, target])).toEqual([
    ["mean of age", 2],
    ["histogram of race", null],
  ]);
  expect(rows[0]?.quote?.accuracy.halfWidth).toBeLessThanOrEqual(0.5);
});

test("what is copied is what a shell, curl and a program can run", () => {
  const draft = editPlan(emptyDraft(1), { kind: "add", id: "n", request: { statistic: "count" } }, declaration);
  const saved = savedPlan(draft, declaration);
  const plan = { statistics: [{ statistic: "count", epsilon: "1" }] } as const;
  const target = {
    dataset: { id: "d1", name: "it's census" },
    account: { id: "a1", path: "team/mara" },
    url: "http://localhost:8080",
  };
  const texts = copyAs(plan, saved, target);
  expect(texts.cli).toContain("dosimeter plan quote 'it'\\''s census' --account team/mara --plan plan.json");
  expect(JSON.parse(texts.cli.split("<<'PLAN'\n")[1]?.split("\nPLAN\n")[0] ?? "")).toEqual(saved);
  const body = /-d '(.*)'/.exec(texts.curl)?.[1] ?? "";
  expect(JSON.parse(body)).toEqual({ dataset: "d1", account: "a1", plan });
  expect(texts.typescript).toContain("client.quotePlan(request)");
  expect(copyAs(plan, saved, null).cli).toContain("'<dataset>'");
  const reused = copyAs(plan, saved, target, { n: "asAccurate" });
  expect(reused.cli.match(/ --plan plan\.json --reuse 'n=asAccurate'$/gm)).toHaveLength(2);
  expect(JSON.parse(/-d '(.*)'/.exec(reused.curl)?.[1] ?? "")).toMatchObject({ reuse: { n: "asAccurate" } });
  expect([reused.typescript, reused.python, reused.r].map((text) => text.includes("asAccurate"))).toEqual([
    true,
    true,
    true,
  ]);
});
