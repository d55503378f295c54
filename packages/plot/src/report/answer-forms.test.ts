import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_INK } from "../charts/heat-table.ts";
import { inks } from "../scene/ink.ts";
import { walk } from "../scene/scene.ts";
import { toSvg } from "../scene/svg.ts";
import { wordsOutside } from "../words-outside.kit.ts";
import type { ReportedAnswer as Answer } from "./answer.ts";
import { answerChart } from "./answer-chart.ts";
import { isSortable } from "./answer-forms.ts";
import { subtitleOf, titleOf } from "./answer-words.ts";

type Cell = Answer["cells"][number];
const base = {
  ...{
    id: "s1",
    statistic: "mean",
    label: "mean of income",
    column: "income",
    groupBy: [],
    notes: [],
    confidence: 0.95,
  },
  ...{
    cost: { epsilon: "0.3" },
    noise: { kind: "laplace" },
    shows: { chart: "number", value: "named", measures: "place" },
  },
} as const satisfies Partial<Answer>;
const cell = (value: number, group: Cell["group"] = {}, more: Partial<Cell> = {}): Cell => ({
  ...{ group, value, interval: [value - 9, value + 9] },
  ...more,
});
const words = (columns: NonNullable<Answer["words"]>["columns"]): NonNullable<Answer["words"]> => ({
  noun: { one: "person", many: "people" },
  columns,
});
const textsOf = (answer: Answer, width = 720, options = {}): readonly string[] =>
  [...walk(answerChart(answer, options)?.({ width, heading: true }).scene.nodes ?? [])]
    .filter(({ tag }) => tag === "text")
    .map(({ children }) => children.join(""));
const count = { label: "count", statistic: "count", column: null, shows: { chart: "number", value: "rows" } } as const;

test("groups are dots, the largest first or as declared, with how many each is about; what noise made is faint", () => {
  const answer: Answer = {
    ...base,
    groupBy: ["region"],
    label: "mean of income by region",
    words: words({ income: { label: "Income", unit: "dollars" }, region: { label: "Region" } }),
    cells: [
      cell(300, { region: "north" }, { rows: { value: 1203.4, interval: [1190, 1220] } }),
      cell(90_000, { region: "south" }, { unreliable: true, interval: [0, 1e9] }),
      cell(500, { region: "west" }),
    ],
  };
  expect(isSortable(answer)).toBe(true);
  const names = (texts: readonly string[]) => texts.filter((text) => ["north", "south", "west"].includes(text));
  const sorted = textsOf(answer);
  expect(names(sorted)).toEqual(["west", "north", "south"]);
  expect(names(textsOf(answer, 720, { order: "declared" }))).toEqual(["north", "south", "west"]);
  expect(sorted).toEqual(expect.arrayContaining(["n ≈ 1,203", "500", "–", "mean of Income (dollars)"]));
  expect(
    Math.max(...sorted.map((text) => Number(text.replaceAll(",", "")) || 0)),
    "the axis ends at what is told",
  ).toBeLessThan(1000);
  expect(toSvg(answerChart(answer)?.({ width: 720 }).scene as never)).toContain('stroke-dasharray="2 2"');
});

test("a title says what, the line below of whom, when and how exact, and neither is cut", () => {
  const answer: Answer = {
    ...base,
    groupBy: ["region", "sex"],
    label: "mean of Income a year capped at 90,000 by region, Sex as registered where age ≥ 30",
    about: { dataset: "adults", when: "2024-01 to 2024-12" },
    words: words({ income: { label: "Income a year", unit: "$" }, sex: { label: "Sex as registered" } }),
    cells: [cell(1, { region: "a", sex: "f" }), cell(2, { region: "a", sex: "m" }, { interval: [-340, 344] })],
  };
  expect(titleOf(answer)).toBe("Mean of Income a year capped at 90,000 by region, Sex as registered where age ≥ 30");
  expect(subtitleOf(answer)).toBe("People of adults, 2024-01 to 2024-12 · ± $9 to $342 in 95 of 100 cases");
  const said = textsOf(answer, 300).join(" ");
  for (const word of `${titleOf(answer)} ${subtitleOf(answer)}`.split(" ")) expect(said).toContain(word);
});

test("of two groups: a table where it has room, panels of dots where it has none", () => {
  const answer: Answer = {
    ...{ ...base, ...count, groupBy: ["region", "sex"], label: "count by region, sex" },
    cells: ["north", "south", "west"].flatMap((region, at) =>
      ["f", "m", "x"].map((sex, place) => cell(12_345 + 100 * at + place, { region, sex })),
    ),
  };
  expect(textsOf(answer)).toEqual(expect.arrayContaining(["region by sex", "12,345", "12,336–12,354"]));
  const narrow = textsOf(answer, 250);
  expect(narrow.filter((text) => text === "north" || text === "f")).toEqual(["f", "north", "north", "north"]);
  expect(narrow).not.toContain("12,336–12,354");
});

test("two sexes and their ages are a pyramid, whether ages are bins or groups; means are not", () => {
  const ages = [0, 10, 20, 30];
  const binned: Answer = {
    ...{ ...base, statistic: "histogram", label: "histogram of age by sex", column: "age", groupBy: ["sex"] },
    shows: { chart: "bars", value: "rows" },
    cells: ["f", "m"].flatMap((sex) =>
      ages.map((lower) =>
        cell(100 + lower, { sex }, { bin: { label: `${lower}–${lower + 9}`, lower, upper: lower + 9 } }),
      ),
    ),
  };
  const grouped: Answer = {
    ...{ ...base, ...count, groupBy: ["age", "sex"], label: "count by age, sex" },
    cells: ages.flatMap((age) => ["f", "m"].map((sex) => cell(100 + age, { age, sex }))),
  };
  expect(textsOf(binned)).toContain("rows, by age");
  expect(textsOf(grouped)).toContain("rows, by age");
  expect(textsOf({ ...grouped, ...base, groupBy: ["age", "sex"] })).toContain("age by sex");
});

test("groups in time are lines, years and dates at their places; of two more groups a panel for each of one", () => {
  const months = ["2024-01", "2024-02", "2024-07"];
  const one: Answer = {
    ...{ ...base, ...count, groupBy: ["seen"], label: "count by seen" },
    words: words({ seen: { label: "Seen", calendar: "month" } }),
    cells: months.map((seen, at) => cell(100 * at, { seen })),
  };
  const chart = answerChart(one)?.({ width: 720 });
  expect(chart?.summary).toBe("Rows against Seen: count by seen goes from 0 at 2024-01 to 200 at 2024-07.");
  const three: Answer = {
    ...{ ...one, groupBy: ["seen", "sex", "ward"] },
    cells: months.flatMap((seen) =>
      ["f", "m"].flatMap((sex) => ["a", "b"].map((ward) => cell(7, { seen, sex, ward }))),
    ),
  };
  expect(answerChart(three)?.({ width: 720 })?.table.rows).toHaveLength(12);
  const series: Answer = {
    ...{ ...base, groupBy: ["sex", "ward"], label: "running count of seen", statistic: "runningCount" },
    shows: { chart: "series", value: "rows", bin: "up to" },
    cells: ["f", "m"].flatMap((sex) =>
      ["a", "b"].flatMap((ward) => months.map((label, at) => cell(50 * at, { sex, ward }, { bin: { label } }))),
    ),
  };
  const panels = textsOf(series);
  expect(panels.filter((text) => text === "f" || text === "m")).toEqual(["f", "m"]);
  expect(panels.filter((text) => text === "a")).toHaveLength(2);
});

/** The contrast of two colours (WCAG 2.2). */
const light = (colour: readonly number[]): number => {
  const [r = 0, g = 0, b = 0] = colour.map((part) =>
    part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const rgb = (hex: string): readonly number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);

test.each(["light", "dark"] as const)("words on the darkest cell of a table keep their contrast, %s", (theme) => {
  const [over, under] = [rgb(inks.series1[theme]), rgb(inks.surface[theme])];
  const ground = over.map((part, at) => MAX_INK * part + (1 - MAX_INK) * (under[at] ?? 0));
  const [a = 0, b = 0] = [light(ground), light(rgb(inks.text[theme]))].toSorted((x, y) => y - x);
  expect((a + 0.05) / (b + 0.05)).toBeGreaterThanOrEqual(4.5);
});

const texts = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });
const numbers = fc.oneof(fc.integer({ min: -50, max: 2_000_000 }), fc.double({ min: -1e7, max: 1e7, noNaN: true }));
const anyAnswer = fc
  .record({
    label: fc.string({ unit: "grapheme", minLength: 1, maxLength: 160 }),
    kind: fc.constantFrom("number", "bars", "series", "curve", "slopes", "ranking"),
    value: fc.constantFrom("rows", "people", "column", "named"),
    groups: fc.array(fc.uniqueArray(texts, { minLength: 1, maxLength: 5 }), { maxLength: 3 }),
    bins: fc.constantFrom("none", "names", "ranges"),
    unit: fc.option(texts, { nil: undefined }),
    values: fc.array(fc.tuple(numbers, fc.double({ min: 0, max: 1e6, noNaN: true }), fc.boolean()), {
      minLength: 4,
      maxLength: 4,
    }),
  })
  .map(({ label, kind, value, groups, bins, unit, values }): Answer => {
    const groupBy = groups.map((_, at) => `g${at}`);
    const keys = groups.reduce<Cell["group"][]>(
      (all, names, at) => all.flatMap((group) => names.map((name) => ({ ...group, [`g${at}`]: name }))),
      [{}],
    );
    const of = [0, 1, 2].map((lower) =>
      bins === "ranges"
        ? { label: `${lower}–${lower + 1}`, lower, upper: lower + 1 }
        : { label: `bin ${lower}`, value: lower },
    );
    const places = keys.flatMap((group) => (bins === "none" ? [{ group }] : of.map((bin) => ({ group, bin }))));
    return {
      ...{ ...base, label, groupBy, about: { dataset: label, when: label } },
      ...(kind === "curve" ? { simultaneous: 9 } : {}),
      shows: { chart: kind, value } as Answer["shows"],
      words: words({ income: unit === undefined ? {} : { unit } }),
      cells: places.map((place, at) => {
        const [middle, half, isMarked] = values[at % values.length] ?? [0, 0, false];
        return {
          ...place,
          value: middle,
          interval: [middle - half, middle + half],
          ...(isMarked ? { unreliable: true as const } : {}),
        };
      }),
    };
  });

test("whatever an answer holds, its picture is finite, no word of it leaves it, and its title is whole", () => {
  fc.assert(
    fc.property(anyAnswer, fc.constantFrom(240, 340, 390, 720, 1200), (answer, width) => {
      const chart = answerChart(answer)?.({ width, heading: true });
      if (chart === undefined) return;
      expect(wordsOutside(chart.scene)).toEqual([]);
      expect(toSvg(chart.scene)).not.toMatch(/NaN|Infinity|undefined/);
      const said = [...walk(chart.scene.nodes)]
        .flatMap(({ tag, children }) => (tag === "text" ? children : []))
        .join("");
      expect(said.replaceAll(/\s/g, "")).toContain(titleOf(answer).replaceAll(/\s/g, ""));
    }),
    { numRuns: 300 },
  );
});
