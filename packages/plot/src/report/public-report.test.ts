import { expect, test } from "vitest";
import { expectKnownTerms } from "../../../core/src/linked.kit.ts";
import type { ReportedAnswer } from "./answer.ts";
import { type PublicRelease, publicHtml, publicSvg } from "./public-report.ts";

const base = {
  column: "age",
  groupBy: [],
  cost: { epsilon: "0.3" },
  confidence: 0.95,
  noise: { kind: "laplace" },
  notes: [],
} as const;
const answers: readonly ReportedAnswer[] = [
  {
    ...base,
    id: "ends",
    statistic: "bounds",
    shows: { chart: "ends", value: "column", bin: "bound" },
    label: "bounds of age",
    cells: ["lower", "upper"].map((label) => ({
      group: {},
      bin: { label },
      value: 64,
      interval: [0, 99] as const,
      rank: 7,
    })),
  },
  {
    ...base,
    id: "n",
    statistic: "count",
    shows: { chart: "number", value: "rows" },
    label: "count where name = '</script><!--'",
    cells: [{ group: {}, value: 1003, interval: [993, 1013] }],
  },
];
const release: PublicRelease = {
  title: 'A "title" & </script>',
  ...{
    datasetName: "town",
    version: 2,
    chargedAt: "2026-03-01T08:00:00Z",
    releasedAt: "2026-03-01T08:00:01Z",
    plan: {},
  },
  ...{
    answers,
    receipt: null,
    epsilon: "0.6",
    delta: "0",
    isIndexed: true,
    address: "https://example.org/public/answers/pub_1",
  },
  numbers: [
    { row: "n", label: "Count", value: 1003, interval: [993, 1013], confidence: 0.95, range: null, unit: "people" },
  ],
};

test("a public page is the same for all readers: its words are text, its data cannot end their script, and it cites no one", () => {
  const html = publicHtml(release);
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html).toContain("<h1>A &quot;title&quot; &amp; &lt;/script&gt;</h1>");
  const [, ld = ""] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? [];
  expectKnownTerms(JSON.parse(ld));
  expect(JSON.parse(ld)).toMatchObject({
    name: release.title,
    variableMeasured: [
      {},
      { name: expect.stringContaining("</script><!--"), value: 1003, minValue: 993, maxValue: 1013 },
    ],
  });
  expect(html).toContain("(2026-03-01). Dataset: town, version 2");
  expect(html).not.toMatch(/author\b/);
  expect(html).not.toContain("noindex");
  expect(publicHtml({ ...release, isIndexed: false })).toContain('<meta name="robots" content="noindex">');
  expect(html).not.toMatch(/\bon\w+=|<(img|link|iframe|form|a)\b/);
});

test("a date in the data of a public page is a date, with the cases its ends are for", () => {
  const range = null;
  const day = {
    row: "n",
    label: "Median day",
    value: 19_723,
    interval: [19_720, 19_730],
    confidence: 0.95,
    range,
  } as const;
  const [, ld = ""] =
    /ld\+json">(.*?)<\/script>/s.exec(publicHtml({ ...release, numbers: [{ ...day, calendar: "day" }] })) ?? [];
  expect(JSON.parse(ld).variableMeasured[1]).toMatchObject({
    ...{ value: "2024-01-01", minValue: "2023-12-29", maxValue: "2024-01-08" },
    description: "From least to most in 95 of 100 cases",
  });
});

test("a picture is that of a row, or of the first that has one; a table has none", () => {
  expect(publicSvg(release)).toContain("1,003 people");
  expect(publicSvg(release)).toBe(publicSvg(release, "n"));
  const groups = ["female", "male"].map((sex) => ({ group: { sex }, value: 50, interval: [40, 60] as const }));
  const bySex = { ...base, id: "by", statistic: "count", label: "count by sex", groupBy: ["sex"], cells: groups };
  const chart = publicSvg({ ...release, answers: [{ ...bySex, shows: { chart: "number", value: "rows" } }] });
  expect(chart, "it says what it shows where it stands alone").toMatch(/<text[^>]*>Count by sex/i);
  expect([publicSvg(release, "ends"), publicSvg(release, "x")]).toEqual([null, null]);
});
