import { readFileSync } from "node:fs";
import { statisticNames } from "@dosimeter/query";
import { expect, test } from "vitest";

const read = (name: string): string => readFileSync(new URL(`../docs/${name}`, import.meta.url), "utf8");
const page = read("statistics.md");

/** Tables of the page whose first column names statistics: cells of each row, trimmed. */
function tables(): readonly (readonly (readonly string[])[])[] {
  const rows = page.split("\n").map((line) =>
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

test("every row says algorithm, sensitivity, error, source and proof; the claims it names exist", () => {
  const [measured = [], sources = []] = tables();
  expect(measured[0]?.slice(1)).toEqual(expect.arrayContaining(["Δ1, add/remove", "error of one answer"]));
  expect(sources[0]?.slice(1)).toEqual(expect.arrayContaining(["algorithm", "source", "proof of the error"]));
  const claims = new Set([...read("math.md").matchAll(/^### (M\d+) /gm)].map(([, claim]) => claim));
  for (const [head, , ...rows] of [measured, sources])
    for (const row of rows) {
      expect(row).toHaveLength(head?.length ?? 0);
      expect(
        row.filter((cell) => cell === ""),
        row[0],
      ).toEqual([]);
    }
  for (const [name, , , ...proofs] of sources.slice(2))
    for (const proof of proofs) {
      const named = [...proof.matchAll(/M\d+/g)].map(([claim]) => claim);
      expect(named.length, name).toBeGreaterThan(0);
      expect(
        named.filter((claim) => !claims.has(claim)),
        name,
      ).toEqual([]);
    }
});
