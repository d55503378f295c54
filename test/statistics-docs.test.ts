import { readFileSync } from "node:fs";
import { openApi } from "@dosimeter/client/openapi";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { type Plan, type StatisticRequest, statisticNames, statisticOf } from "@dosimeter/query/statistics";
import { describe, expect, test } from "vitest";
import { keyQuestions, madeUpColumns, questions, wholeQuestions } from "../packages/query/src/audit/people.ts";

const read = (name: string): string => readFileSync(new URL(`../docs/${name}`, import.meta.url), "utf8");
const page = read("statistics.md");

/** Tables of the page that were written by hand and whose first column names statistics: cells of each row, trimmed. */
function tables(): readonly (readonly (readonly string[])[])[] {
  const written = page.slice(page.indexOf("<!-- /statistics -->"));
  const rows = written.split("\n").map((line) =>
    line.startsWith("|")
      ? line
          .replaceAll("\\|", "¦")
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim())
      : null,
  );
  const starts = rows.flatMap((row, at) => (row?.[0] === "statistic" && rows[at - 1] === null ? [at] : []));
  return starts.map((at) => {
    const end = rows.indexOf(null, at);
    return rows.slice(at, end < 0 ? undefined : end).filter((row) => row !== null);
  });
}

test("both tables of statistics have every row of the code's table, and no other", () => {
  const [measured, sources, ...others] = tables();
  expect(others).toEqual([]);
  for (const table of [measured, sources]) {
    const names = (table ?? []).flatMap(([first = ""]) => [...first.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(names.toSorted()).toEqual(statisticNames.toSorted());
  }
});

test("every row says algorithm, sensitivity, error, source and proof", () => {
  const [measured = [], sources = []] = tables();
  expect(measured[0]?.slice(1)).toEqual(expect.arrayContaining(["Δ1, add/remove", "error of one answer"]));
  expect(sources[0]?.slice(1)).toEqual(expect.arrayContaining(["algorithm", "source", "proof of the error"]));
  for (const [head, , ...rows] of [measured, sources])
    for (const row of rows) {
      expect(row).toHaveLength(head?.length ?? 0);
      expect(
        row.filter((cell) => cell === ""),
        row[0],
      ).toEqual([]);
    }
  for (const [name, , , ...proofs] of sources.slice(2))
    for (const proof of proofs) expect(proof, name).toMatch(/\bM\d+\b/);
});

test("the table says of every statistic what the registry does: what it is paid in, whose rows its error needs or counts", () => {
  const declaration = checkDeclaration({
    name: "people",
    source: { csv: "people.csv" },
    privacyUnit: { column: "person" },
    contribution: { rows: 3 },
    columns: madeUpColumns,
  });
  const asked = [...questions([]), ...wholeQuestions(), ...keyQuestions()];
  const needed = new Map(
    asked.map((request) => {
      const [bounded] = boundPlan({ statistics: [request] }, declaration).statistics;
      return [request.statistic, bounded !== undefined && statisticOf(request.statistic).needsRows(bounded.task)];
    }),
  );
  const [[, , ...rows] = []] = tables();
  for (const name of statisticNames) {
    const [, , , charged = "", error = ""] = rows.find(([names = ""]) => names.includes(`\`${name}\``)) ?? [];
    const { choose, table, byRank } = statisticOf(name);
    expect(/ρ|the same/.test(charged), `${name}: ${charged}`).toBe(choose === undefined || table !== undefined);
    expect(error.includes("needs n"), `${name}: ${error}`).toBe(needed.get(name));
    expect(/\brows\b/.test(error), `${name}: ${error}`).toBe(byRank !== undefined);
  }
});

test("the interface's document names every field of a plan and of its rows", () => {
  const row = {
    ...{ id: 1, statistic: 1, column: 1, with: 1, valuesPerUnit: 1, lower: 1, upper: 1, granularity: 1, unitLower: 1 },
    ...{
      unitUpper: 1,
      bins: 1,
      quantiles: 1,
      groupBy: 1,
      keys: 1,
      keysFrom: 1,
      keyShare: 1,
      delta: 1,
      atLeast: 1,
      k: 1,
    },
    ...{ where: 1, weights: 1, impossible: 1, tables: 1, numbers: 1, noise: 1, epsilon: 1, rho: 1 },
  } satisfies Record<keyof StatisticRequest, 1>;
  const plan = {
    join: 1,
    let: 1,
    window: 1,
    horizon: 1,
    statistics: 1,
    sample: 1,
    confidence: 1,
    adjacency: 1,
  } satisfies Record<keyof Plan, 1>;
  const { schemas } = openApi({ version: "0" }).components as { schemas: Record<string, { properties: object }> };
  expect(Object.keys(schemas.StatisticRequest?.properties ?? {}).toSorted()).toEqual(Object.keys(row).toSorted());
  expect(Object.keys(schemas.Plan?.properties ?? {}).toSorted()).toEqual(Object.keys(plan).toSorted());
});

describe.each(statisticNames)("%s", (name) => {
  const { noise } = statisticOf(name);

  test("has a noise that the audit draws, its own or that of another", () => {
    const drawn = "like" in noise ? statisticOf(noise.like).noise : noise;
    expect(drawn).not.toHaveProperty("like");
  });
});
