import { parsePeriod } from "@dosimeter/core";
import { expect, test } from "vitest";
import { cellText, toCsv } from "../chart.ts";
import { intervalDot } from "../charts/interval-dot.ts";
import { dateScale } from "../frame/scale.ts";
import { toSvg } from "../scene/svg.ts";
import type { ReportedAnswer as Answer } from "./answer.ts";
import {
  agreedTable,
  answerChart,
  answerSentence,
  answersText,
  answerTable,
  captionOf,
  comparisonSentences,
  releaseTable,
} from "./answer-chart.ts";
import { titleOf } from "./answer-words.ts";

const base = {
  id: "s1",
  column: null,
  groupBy: [],
  cost: { epsilon: "0.3" },
  confidence: 0.95,
  noise: { kind: "laplace", spread: "10/3" },
  tick: null,
  notes: [],
} as const;

const cell = (value: number, rest: Partial<Answer["cells"][number]> = {}) =>
  ({ group: {}, value, interval: [value - 9, value + 9], noisy: [String(value)], ...rest }) as const;

const count: Answer = {
  ...base,
  statistic: "count",
  shows: { chart: "number", value: "rows" },
  label: "count",
  cells: [cell(20_011)],
};
const histogram: Answer = {
  ...base,
  statistic: "histogram",
  shows: { chart: "bars", value: "rows" },
  label: "histogram of age by sex",
  column: "age",
  groupBy: ["sex"],
  cells: ["female", "male"].flatMap((sex) =>
    [0, 50].map((lower) =>
      cell(lower + 7, { group: { sex }, bin: { label: `${lower}–${lower + 49}`, lower, upper: lower + 49 } }),
    ),
  ),
};

test("one number is no chart; it is a sentence", () => {
  expect(answerChart(count)).toBeNull();
  expect(answerSentence(count, count.cells[0]!)).toBe(
    "In 95 of 100 cases the answer without noise lies between 20,002 and 20,020.",
  );
  expect(answerSentence(count, { ...count.cells[0]!, unreliable: true })).toMatch(/says nothing/);
});

test("an answer that says nothing has no bar, and is marked in the table and the file", () => {
  const incomes: Answer = {
    ...base,
    ...{ statistic: "mean", shows: { chart: "number", value: "named" }, label: "mean of income by sex" },
    ...{ column: "income", groupBy: ["sex"] },
    cells: [cell(20, { group: { sex: "female" } }), cell(90, { group: { sex: "male" }, unreliable: true })],
  };
  expect(answerChart(incomes)?.({ width: 600 }).table).toEqual(answerTable(incomes));
  expect(captionOf(incomes)).toMatch(/What cannot be distinguished from noise is drawn faint\.$/);
  expect(captionOf(histogram)).not.toMatch(/faint/);
  expect(answerTable(incomes).rows.map((row) => row.at(-1))).toEqual(["", "unreliable"]);
  expect(releaseTable([count, incomes]).rows.map((row) => row.at(-1))).toEqual(["", "", "unreliable"]);
  expect(releaseTable([count]).columns.map(({ name }) => name)).not.toContain("mark");
});

test("the title of one answer names its share or bin", () => {
  const one = cell(70, { bin: { label: "90%", value: 0.9 } });
  expect(titleOf({ ...count, label: "quantiles of age", cells: [one] })).toBe("Quantiles of age: 90%");
  expect(titleOf(histogram)).toBe("Histogram of age by sex");
});

test("the CSV of a chart has the digits that mean something", () => {
  const cells = histogram.cells.map((one) => ({
    ...one,
    value: one.value + 1 / 3,
    interval: [one.value - 100 / 7, one.value + 100 / 7] as const,
  }));
  const chart = answerChart({ ...histogram, cells })?.({ width: 600 });
  expect(chart === undefined ? "" : toCsv(chart)).toContain("female,0–49,7.333,-7.286,21.29");
});

test("the table of an answer names groups and bins; the file has every cell and its cost", () => {
  expect(answerTable(histogram).rows[0]).toEqual(["female", "0–49", 7, -2, 16]);
  const csv = toCsv({ table: releaseTable([count, histogram]) }).split("\r\n");
  expect(csv[0]).toBe("id,statistic,label,column,sex,bin,value,lower,upper,confidence,epsilon,rho");
  expect(csv[1]).toBe("s1,count,count,,,,20011,20002,20020,0.95,0.3,");
  expect(csv).toHaveLength(1 + 1 + 4 + 1);
});

test("agreed values stand apart from the raw ones, and next to them in the file", () => {
  const consistent = { value: 20_009.5, interval: [20_004, 20_015] } as const;
  const agreed: Answer = { ...count, cells: [cell(20_011, { consistent })], raw: [cell(20_020)] };
  expect(comparisonSentences(count)).toEqual([]);
  expect(comparisonSentences(agreed)).toEqual([
    "Made to agree: 20,009.5 (20,004 to 20,015).",
    "The fresh draw alone: 20,020 (20,011 to 20,029).",
  ]);
  const bins: Answer = { ...histogram, cells: histogram.cells.map((one) => ({ ...one, consistent })) };
  expect(answerTable(bins)).toEqual(answerTable(histogram));
  expect(agreedTable(histogram)).toBeNull();
  expect(agreedTable(bins)?.columns).toEqual(answerTable(bins).columns);
  expect(agreedTable(bins)?.rows[0]?.slice(-3)).toEqual([20_009.5, 20_004, 20_015]);
  const csv = toCsv({ table: releaseTable([agreed, histogram]) }).split("\r\n");
  expect(csv[0]).toMatch(/,agreed,agreedLower,agreedUpper$/);
  expect(csv[1]).toMatch(/,20009.5,20004,20015$/);
  expect(csv[2]).toMatch(/,,,$/);
});

test("a curve of cumulative counts is a line in its band, and says what holds as a whole", () => {
  const curve: Answer = {
    ...base,
    statistic: "cdf",
    shows: { chart: "curve", value: "rows" },
    label: "cumulative counts of age",
    column: "age",
    simultaneous: 12,
    cells: [10, 20, 30].map((upper) => cell(upper * 3, { bin: { label: `≤ ${upper}`, lower: upper - 9, upper } })),
  };
  expect(answerChart(curve)?.({ width: 600 }).summary).toContain("from 30 at 10 to 90 at 30");
  const columns = { age: { label: "Age at visit", unit: "months" } };
  const named = answerChart({ ...curve, words: { noun: { one: "person", many: "people" }, columns } });
  expect(toSvg(named?.({ width: 600 }).scene as never)).toContain("Age at visit (months)");
  expect(captionOf(curve)).toBe(
    "The band holds each point of the curve without noise in 95 of 100 cases; the whole curve at once is within ± 12 rows.",
  );
});

test("totals to date are a line over the names of their periods, in its band, whatever they may fall by", () => {
  const series: Answer = {
    ...base,
    statistic: "runningTotal",
    shows: { chart: "series", value: "named", measures: "total", bin: "up to" },
    label: "running total of cost over seen",
    column: "cost",
    cells: ["2024-01", "2024-02", "2024-04"].map((label, at) =>
      cell([40, -20, 90][at] ?? 0, { bin: { label, lower: 19_723 + 31 * at, upper: 19_753 + 31 * at } }),
    ),
  };
  const drawn = answerChart(series)?.({ width: 600 });
  expect(drawn?.table.rows.map((row) => row.slice(0, 2))).toEqual([
    ["2024-01", 40],
    ["2024-02", -20],
    ["2024-04", 90],
  ]);
  expect(JSON.stringify(drawn?.scene)).toContain('"2024-04"');
  expect(answerTable(series).columns[0]?.name).toBe("up to");
  expect(captionOf(series)).toBe("The band holds each total to date without noise in 95 of 100 cases.");
});

test("bounds and places in an order are tables, and their sentences say what the error is", () => {
  const bounds: Answer = {
    ...base,
    statistic: "bounds",
    shows: { chart: "ends", value: "column", bin: "bound", rows: "beyond" },
    label: "bounds of debt",
    column: "debt",
    cells: ["lower", "upper"].map((label) => cell(64, { bin: { label }, rank: 7 })),
  };
  expect(answerChart(bounds)).toBeNull();
  expect(answerSentence(bounds, bounds.cells[0]!)).toBe("In 95 of 100 cases at most 7 rows lie beyond this.");
  const places: Answer = {
    ...base,
    noise: { kind: "selection" },
    statistic: "topValues",
    shows: { chart: "ranking", value: "place" },
    label: "most frequent values of state",
    groupBy: ["state"],
    cells: ["s1", "s2"].map((state, at) => cell(at + 1, { group: { state }, rank: 7 })),
  };
  expect(answerChart(places)).toBeNull();
  expect(answerSentence(places, places.cells[0]!)).toBe(
    "In 95 of 100 cases no value left out has 8 people more than this one.",
  );
});

test("a regression shows its slopes, not the intercept; the table has both and the standard errors", () => {
  const answer: Answer = {
    ...base,
    statistic: "regression",
    shows: { chart: "slopes", value: "change", bin: "term" },
    label: "linear regression of pay on age, educ",
    column: "pay",
    cells: ["intercept", "age", "educ"].map((name, i) =>
      cell(100 * i, { bin: { label: name, value: name }, standardError: i + 1 }),
    ),
  };
  const svg = toSvg(answerChart(answer)?.({ width: 600 }).scene as never);
  expect(svg).toContain(">educ<");
  expect(svg).not.toContain(">intercept<");
  expect(captionOf(answer)).toContain("one more of age goes with 91 to 109 more of pay");
  const { columns, rows } = answerTable(answer);
  expect(columns.map(({ name }) => name)).toEqual([
    "term",
    "change of pay for one more",
    "from (95 %)",
    "to (95 %)",
    "standard error",
  ]);
  expect(rows[0]).toEqual(["intercept", 0, -9, 9, 1]);
});

test("what bounding leaves out is a chart of rows or of people", () => {
  const bins = ["all rows counted", "rows left out"];
  const cut: Answer = {
    ...base,
    statistic: "cutUnits",
    shows: { chart: "bars", value: "people", bin: "people with" },
    label: "people over the row limit",
    cells: bins.map((label, i) => cell(500 - 400 * i, { bin: { label, value: label } })),
  };
  expect(
    answerTable(cut)
      .columns.map(({ name }) => name)
      .slice(0, 2),
  ).toEqual(["people with", "people"]);
  expect(answerChart(cut)?.({ width: 600 }).table.rows).toHaveLength(2);
});

test("units, columns and values are called as their owner calls them, in charts, tables and sentences", () => {
  const words = {
    noun: { one: "plane", many: "planes" },
    columns: {
      cost: { label: "Cost of a flight", unit: "$" },
      hours: { unit: "hours" },
      sex: { label: "Sex", valueLabels: { "0": "female", "1": "male" } },
    },
  };
  const base = { confidence: 0.95, noise: { kind: "laplace" }, cost: { epsilon: "1" }, notes: [], words } as const;
  const mean: Answer = {
    ...base,
    id: "m",
    statistic: "mean",
    label: "mean of cost by sex",
    shows: { chart: "number", value: "named", measures: "place" },
    column: "cost",
    groupBy: ["sex"],
    cells: [0, 1].map((sex) => ({ group: { sex }, value: 3600 + sex, interval: [3500, 3700] as const })),
  };
  const { columns, rows } = answerTable(mean);
  expect(columns.map(({ name }) => name).slice(0, 2)).toEqual(["Sex", "mean of Cost of a flight ($)"]);
  expect(rows.map(([sex]) => sex)).toEqual(["female", "male"]);
  expect(answerChart(mean)?.({ width: 600 }).table.rows.map(([name]) => name)).toEqual(["female", "male"]);
  const alone = { ...mean, groupBy: [], cells: [{ group: {}, value: -3600, interval: [-3700, 3500] as const }] };
  const [cell = { group: {}, value: 0, interval: [0, 0] as const }] = alone.cells;
  expect(answerSentence(alone, cell)).toBe(
    "In 95 of 100 cases the answer without noise lies between \u2212$3,700 and $3,500.",
  );
  expect(answerSentence({ ...alone, column: "hours" }, cell)).toContain("3,500 hours.");
  const counted = { ...alone, statistic: "distinctUnits", shows: { chart: "number", value: "people" } as const };
  expect(answerTable(counted).columns[0]?.name).toBe("planes");
  // Files for programs keep the names and values of the table.
  expect(releaseTable([mean]).rows[0]).toEqual(expect.arrayContaining(["cost", "0"]));
});

test("dates are dates in sentences, tables, files and on axes; intervals end on whole days, outwards", () => {
  const words = {
    noun: { one: "person", many: "people" },
    columns: { seen: { label: "Seen", calendar: "day" } },
  } as const;
  const mean: Answer = {
    ...base,
    words,
    statistic: "mean",
    label: "mean of seen",
    shows: { chart: "number", value: "named", measures: "place" },
    column: "seen",
    cells: [{ group: {}, value: 19_797.4, interval: [19_790.2, 19_804.7] }],
  };
  const [cell] = mean.cells;
  if (cell === undefined) throw new RangeError("one cell");
  expect(answerSentence(mean, cell)).toBe(
    "In 95 of 100 cases the answer without noise is a date from 2024-03-08 to 2024-03-23.",
  );
  expect(answersText("Means", [mean])).toContain("Mean of seen: 2024-03-15.");
  expect(answerTable(mean).rows[0]).toEqual(["2024-03-15", "2024-03-08", "2024-03-23"]);
  expect(toCsv({ table: releaseTable([mean]) })).toContain("2024-03-15,2024-03-08,2024-03-23");
  const agreed = { ...mean, cells: [{ ...cell, consistent: { value: 19_800, interval: [19_799, 19_801] as const } }] };
  expect(comparisonSentences(agreed)[0]).toContain("2024-03-18 (2024-03-17 to 2024-03-19)");
  const quantiles: Answer = {
    ...mean,
    statistic: "quantiles",
    shows: { chart: "bars", value: "column", measures: "place", bin: "share of rows" },
    cells: [0.25, 0.75].map((share) => ({ ...cell, bin: { label: `${share}`, value: share }, rank: 9 })),
  };
  expect(toSvg(answerChart(quantiles)?.({ width: 600 }).scene as never), "an axis of dates").toContain(">2024-03-15<");
  const spread: Answer = { ...mean, shows: { chart: "number", value: "named", measures: "length" } };
  expect(answerSentence(spread, { ...cell, value: 9, interval: [4, 14] })).toContain("between 4 days and 14 days");
  const curve: Answer = {
    ...mean,
    statistic: "cdf",
    shows: { chart: "curve", value: "rows" },
    simultaneous: 9,
    cells: [19_723, 19_783, 19_904].map((upper, at) => ({
      group: {},
      value: 100 * at,
      interval: [100 * at - 9, 100 * at + 9],
      bin: { label: "", lower: upper - 9, upper },
    })),
  };
  const chart = answerChart(curve)?.({ width: 700 });
  expect(JSON.stringify(chart?.scene)).toContain('"2024-03"');
  expect(chart?.scene.summary).toContain("at 2024-01-01 to 200 at 2024-06-30");
});

test("years are not numbers of thousands, and how far they are apart is in years", () => {
  const mean: Answer = {
    ...base,
    words: { noun: { one: "person", many: "people" }, columns: { born: { label: "Born", unit: "year" } } },
    statistic: "mean",
    label: "mean of born",
    shows: { chart: "number", value: "named", measures: "place" },
    column: "born",
    cells: [{ group: {}, value: 1974.3712, interval: [1970.2, 1979.8] }],
  };
  const [cell] = mean.cells;
  if (cell === undefined) throw new RangeError("one cell");
  expect(answerSentence(mean, cell)).toBe(
    "In 95 of 100 cases the answer without noise lies between 1970.2 and 1979.8.",
  );
  expect(answersText("Means", [mean])).toContain("Mean of born: 1974.4.");
  const shown = answerTable(mean);
  expect(shown.rows[0]?.map((value, at) => cellText(value, shown.columns[at]))).toEqual(["1974.4", "1970.2", "1979.8"]);
  expect(toCsv({ table: shown }), "a file has the digits that mean something").toContain("1974.4,1970.2,1979.8");
  expect(toCsv({ table: releaseTable([mean], { isExact: true }) }), "or all").toContain("1974.3712,1970.2,1979.8");
  const spread: Answer = { ...mean, shows: { chart: "number", value: "named", measures: "length" } };
  expect(answerSentence(spread, { ...cell, value: 9, interval: [4, 1400] })).toContain(
    "between 4 years and 1,400 years",
  );
  const curve: Answer = {
    ...mean,
    statistic: "cdf",
    shows: { chart: "curve", value: "rows" },
    simultaneous: 9,
    cells: [1950, 1970, 1990].map((upper, at) => ({
      group: {},
      value: 1000 * at,
      interval: [1000 * at - 9, 1000 * at + 9],
      bin: { label: "", lower: upper - 9, upper },
    })),
  };
  const chart = answerChart(curve)?.({ width: 700 });
  expect(JSON.stringify(chart?.scene)).toContain('"1970"');
  expect(JSON.stringify(chart)).not.toContain("1,9");
  expect(
    intervalDot(
      {
        title: "Born",
        value: 1974,
        interval: [1970, 1979],
        range: [1900, 1999],
        confidence: 0.95,
        unit: "year",
        ends: true,
      },
      { width: 200 },
    ).scene.summary,
  ).toBe("1974, 1970 to 1979 (95 %), of a range of 1900 to 1999.");
});

test.each([
  ["day", "2024-02-27", "2024-03-03", ["2024-02-28", "2024-02-29", "2024-03-01"]],
  ["day", "2020-01-01", "2024-12-31", ["2020", "2021", "2022", "2023", "2024"]],
  ["month", "2023-11", "2024-04", ["2024-01", "2024-02", "2024-03"]],
  ["year", "0001", "9999", ["2000", "4000", "6000", "8000"]],
  ["second Europe/Berlin", "2024-02-27T12:00", "2024-12-31", ["2024-03", "2024-05", "2024-07"]],
  ["minute Asia/Kolkata", "2024-03-10T00:00", "2024-03-10T23:59", ["03-10 05:30", "03-10 11:30"]],
  ["hour UTC", "0001-01-02", "9999-12-30", ["2000", "4000", "6000"]],
] as const)("an axis by %s from %s to %s marks whole days, months or years", (calendar, from, to, marks) => {
  const domain = [parsePeriod(from, calendar) ?? 0, parsePeriod(to, calendar) ?? 0] as const;
  const ticks = dateScale({ domain, range: [0, 600], calendar }).ticks(6);
  expect(ticks.map(({ label }) => label)).toEqual(expect.arrayContaining([...marks]));
  expect(ticks.length).toBeLessThanOrEqual(7);
  for (const { value } of ticks) expect(value >= domain[0] && value <= domain[1]).toBe(true);
});
