import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Declaration } from "../../../query/src/declaration/declaration.ts";
import type { Engine } from "../../../query/src/plan/engine.ts";
import { duckdbEngine } from "./engine.ts";

const root = temporaryFolder();
let engine: Engine;
beforeAll(async () => {
  engine = await duckdbEngine({ root });
});
afterAll(() => engine.close());

const MARCH = 650; // of 2024
const declared = (source: object = {}, seen: object = {}) =>
  checkDeclaration({
    name: "visits",
    source: { csv: join(root, "visits.csv"), ...source },
    privacyUnit: { column: "who" },
    adjacency: "addRemove",
    contribution: { rows: 2 },
    blocks: { column: "seen", every: "month", zone: "Europe/Berlin" },
    columns: {
      who: { type: "text", provenance: "public" },
      seen: { type: "date", lower: "2024-01-01", upper: "2024-03-31", provenance: "public", ...seen },
    },
  });

async function append(more: string, { before = "who,seen,note\n", declaration = declared() } = {}) {
  await writeFile(join(root, "visits.csv"), before);
  await writeFile(join(root, "more.csv"), more);
  const to = join(root, "all.csv");
  const source = { ...declaration.source, csv: join(root, "more.csv") };
  const rows = await engine.append(declaration, { more: source, window: [{ from: MARCH, to: MARCH }], to });
  return { rows, lines: (await readFile(to, "utf8")).trimEnd().split("\n").sort() };
}

test("rows of the block come, by the names of their columns; others and those without a date are dropped", async () => {
  const { rows, lines } = await append(
    "seen,note,who\n2024-03-01,new,a\n2024-03-31,,b\n2024-02-29,feb,a\n2024-04-01,apr,a\n,none,c\n9999-12-31,far,d\nsoon,bad,e\n",
    { before: 'who,seen,note\na,2024-02-03,"x, ""y""\n  z"\nb,,\n' },
  );
  expect(rows).toEqual({ added: 2, dropped: 5 });
  expect(lines).toEqual(
    ['  z"', 'a,2024-02-03,"x, ""y""', "a,2024-03-01,new", "b,,", "b,2024-03-31,", "who,seen,note"].sort(),
  );
});

test("patterns, other delimiters and marks of missing values are read as the table is", async () => {
  const declaration = declared({ delimiter: ";", missing: ["NA"] }, { pattern: "DD.MM.YYYY" });
  const before = "who;seen;note\na;03.01.2024;NA\n";
  const { rows, lines } = await append("who;seen;note\nb;05.03.2024;NA\nNA;06.03.2024;1,5\nc;03.05.2024;x\n", {
    ...{ before, declaration },
  });
  expect(rows).toEqual({ added: 2, dropped: 1 });
  expect(lines).toEqual([";06.03.2024;1,5", "a;03.01.2024;", "b;05.03.2024;", "who;seen;note"]);
});

test("comments of the table and of the file are left out, and what begins with their sign stays a row", async () => {
  const before = '# made in 2024\nwho,seen,note\n"#a",2024-02-03,x\n# end\n';
  const more = 'who,seen,note\n# new\n"#b",2024-03-01,"y#"\n';
  const { rows, lines } = await append(more, { before, declaration: declared({ comment: "#" }) });
  expect(rows).toEqual({ added: 1, dropped: 0 });
  expect(lines).toEqual(['"#a","2024-02-03","x"', '"#b","2024-03-01","y#"', '"who","seen","note"']);
});

test("the instant of a row is in the month that the clocks of its zone show", async () => {
  const declaration = checkDeclaration({
    ...{ name: "t", source: { csv: join(root, "visits.csv") }, privacyUnit: { column: "who" }, adjacency: "addRemove" },
    contribution: { rows: 2 },
    blocks: { column: "seen", every: "month" },
    columns: {
      who: { type: "text", provenance: "public" },
      seen: {
        ...{ type: "timestamp", zone: "America/New_York", provenance: "public" },
        ...{ lower: "2024-01-01T00:00:00", upper: "2024-03-31T23:59:59" },
      },
    },
  });
  // Midnight of the first of March and of April in New York.
  const instants = ["2024-03-01T04:59:59Z", "2024-03-01T05:00:00Z", "2024-04-01T03:59:59Z", "2024-04-01T04:00:00Z"];
  const more = `who,seen,note\n${instants.map((at) => `a,${at},\n`).join("")}`;
  expect((await append(more, { declaration })).rows).toEqual({ added: 2, dropped: 2 });
});

test("to a cohort come its people, with all that does not give them an earlier one [M170]", async () => {
  const declaration: Declaration = {
    ...declared(),
    blocks: { protects: "person", column: "seen", every: "month", zone: "Europe/Berlin" },
  };
  const before = "who,seen,note\nmarch,2024-03-05,\nmarch,2024-04-01,\njanuary,2024-01-05,\nundated,,\n";
  const { rows, lines } = await append(
    [
      "who,seen,note",
      ...["march,2024-03-01,kept", "march,,kept", "march,2024-05-01,kept", "march,2024-02-29,moves"],
      ...["january,2024-03-02,other", "undated,2024-03-31,kept", "new,2024-04-02,kept", "new,2024-03-02,kept"],
      ...["earlier,2024-03-02,other", "earlier,2024-02-02,other", "later,2024-04-01,other"],
      ...["undone,,other", ",2024-03-01,other"],
    ].join("\n"),
    { before, declaration },
  );
  expect(rows).toEqual({ added: 6, dropped: 7 });
  expect(lines.filter((line) => /kept|moves|other/.test(line)).map((line) => line.split(",")[2])).toEqual(
    Array.from({ length: 6 }, () => "kept"),
  );
});

test("rows are written with the quotes that the table has, and without the keys that are made of its columns", async () => {
  const keys = { key: ["who", "note"] };
  const single = await append("who,seen,note\nb,2024-03-05,'x, \"y'\n", {
    ...{ before: "who,seen,note\na,2024-02-03,'it''s, so'\n", declaration: declared({ quote: "'", keys }) },
  });
  expect(single.lines).toEqual(["a,2024-02-03,'it''s, so'", "b,2024-03-05,'x, \"y'", "who,seen,note"]);
  const none = await append('who,seen,note\nb,2024-03-05,"open\n', {
    ...{ before: 'who,seen,note\na,2024-02-03,5" pipe\n', declaration: declared({ quote: "none" }) },
  });
  expect(none.lines).toEqual(['a,2024-02-03,5" pipe', 'b,2024-03-05,"open', "who,seen,note"]);
});

test("a file with other columns, an empty one and one of another kind are refused, and say no value", async () => {
  for (const [more, message] of [
    ["who,seen\na,2024-03-01\n", "it must have the columns of the table"],
    ["who,seen,note,more\na,2024-03-01,,\n", "it must have the columns of the table"],
    ["", "empty"],
    ["who,seen,note\nsecret,2024-03-01\n", "as many fields in every record"],
  ] as const)
    await expect(append(more)).rejects.toSatisfy(
      (error) => String(error).includes(message) && !String(error).includes("secret"),
    );
  const parquet = declared();
  await expect(
    engine.append(parquet, { more: { parquet: join(root, "x.parquet") }, window: [], to: join(root, "y") }),
  ).rejects.toMatchObject({ code: "INVALID_PARAMETER", details: { name: "source" } });
});
