import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type ChartName, charts, gallery } from "./charts.kit.ts";
import { dotRows, toCsv, toSvg, toTable } from "./index.ts";
import { walk } from "./scene/scene.ts";
import { wordsOutside } from "./words-outside.kit.ts";

/** Rows of a table that the snapshot keeps. */
const MAX_ROWS = 100;
const cases = gallery.flatMap(({ widths, ...sample }) => widths.map((width) => ({ ...sample, width })));

test.each([
  ["narrow", 0],
  ["wide", 1],
] as const)("all look as reviewed, on one %s page", async (page, at) => {
  const pictures = gallery.map(({ name, widths, draw }) => `<h2>${name}</h2>\n${toSvg(draw(widths[at]).scene)}\n`);
  await expect(pictures.join("")).toMatchFileSnapshot(`../test/snapshots/${page}.html`);
});

const shown = [
  "budget-bar-340",
  "budget-bar-720",
  ...["configurations", "mechanisms", "empirical", "log"].map((of) => `tradeoff-${of}-620`),
];

test.each(shown)("%s looks in the documents as reviewed", async (file) => {
  const sample = cases.find(({ name, width }) => `${name}-${width}` === file);
  const svg = sample && toSvg(sample.draw(sample.width).scene);
  await expect(svg).toMatchFileSnapshot(`../test/snapshots/${file}.svg`);
});

test.each(gallery)("$name has a table and a sentence", ({ draw }) => {
  const chart = draw(720);
  expect(chart.title).toMatch(/^[A-ZÀ-Ý]/);
  expect(chart.summary).toMatch(/^[\s\S]{10,}\.$/);
  expect(chart.summary).not.toMatch(/NaN|undefined|Infinity/);
  const { scene } = chart;
  expect([scene.title, scene.summary]).toEqual([chart.title, chart.summary]);
  expect(chart.table.rows.length).toBeGreaterThan(0);
  for (const row of chart.table.rows) expect(row).toHaveLength(chart.table.columns.length);
  const table = { ...chart.table, rows: chart.table.rows.slice(0, MAX_ROWS) };
  expect(`${toTable({ table })}\n\n${toCsv({ table })}`).toMatchSnapshot();
});

test.each(cases)("no word of $name at $width px leaves the picture", ({ width, draw }) => {
  const { scene } = draw(width);
  expect(wordsOutside(scene)).toEqual([]);
});

test.each(cases)("every coordinate of $name at $width px is finite", ({ width, draw }) => {
  for (const node of walk(draw(width).scene.nodes)) {
    for (const value of Object.values(node.attributes)) expect(String(value)).not.toMatch(/NaN|Infinity/);
  }
});

test.each(Object.keys(charts) as ChartName[])("%s has a sample, and its row in the README", (name) => {
  expect(Object.keys(charts[name].samples)).not.toEqual([]);
  expect(readme).toMatch(new RegExp(`^\\| \`${name}\` \\| \\S.+ \\|$`, "m"));
});

test("the README names no other chart", () => {
  const named = [...readme.matchAll(/^\| `(\w+)` \| [^|]+ \|$/gm)].map(([, name]) => name);
  expect(named.toSorted()).toEqual(Object.keys(charts).toSorted());
});

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const rows = dotRows(
  {
    title: "Mean income",
    names: ["Doctorate & <more>"],
    nameLabel: "education",
    valueLabel: "dollars",
    series: [{ name: "women", values: [{ value: 1 }] }],
  },
  { width: 720 },
).scene;

test("a fixed theme needs no CSS variables, so that any renderer can draw it", () => {
  for (const theme of ["light", "dark"] as const) expect(toSvg(rows, { theme })).not.toContain("var(");
});

test("markup in names is text, never markup", () => {
  const svg = toSvg(rows);
  expect(svg).toContain("Doctorate &amp; &lt;more&gt;");
  expect(svg).not.toContain("<more>");
});
