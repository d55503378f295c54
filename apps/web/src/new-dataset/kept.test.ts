import type { File } from "@dosimeter/client";
import { expect, test } from "vitest";
import { changed } from "./draft.ts";
import { begun, formOf, isGone, nameOf, overTable, restored } from "./kept.ts";

const table = {
  name: "visits.csv",
  columns: [
    { name: "who", type: "VARCHAR" },
    { name: "sex", type: "VARCHAR" },
  ],
  sameAs: [],
  reading: { format: "csv", file: "visits.csv", delimiter: "auto", comment: "", quote: "", numbers: "" },
  file: "fil_1",
} as const;
const sameAs = [{ dataset: "dst_1", name: "visits", population: "pop_1" }];
const file = { id: "fil_1", sameAs } as unknown as File;
const typed = () => {
  const start = begun(table);
  const [who, sex] = start.draft.columns;
  if (who === undefined || sex === undefined) throw new Error("two columns");
  const columns = [who, changed(sex, { type: "category", values: "F\nM", isRequired: true })];
  return {
    ...start,
    draft: {
      ...start.draft,
      columns,
      unitColumn: "who_sex",
      unitKey: ["who", "sex"],
      size: "1 0x0",
      adjacency: "replace" as const,
    },
    reading: { ...table.reading, delimiter: "bar" as const },
    reason: "another year",
  };
};

test("all that was typed comes back, as JSON has it, also where it is not right yet", () => {
  const form = JSON.parse(JSON.stringify(formOf(typed())));
  expect(restored({ form, file })).toEqual({
    ...typed(),
    table: { ...table, sameAs, reading: typed().reading },
  });
  const unchosen = JSON.parse(JSON.stringify(formOf(begun(table))));
  expect(restored({ form: unchosen, file })?.draft.unitColumn).toBeNull();
});

test("without its upload the texts stay, and the page says that it is gone; a table of a connection has none", () => {
  const form = { ...formOf(typed()) };
  const kept = restored({ form, file: null });
  expect(kept?.draft.columns[1]?.values).toBe("F\nM");
  expect(kept !== null && isGone(kept)).toBe(true);
  const reading = { format: "postgres", connection: "main", schema: "public", table: "visits" };
  const connected = restored({ form: { ...form, reading }, file: null });
  expect(connected).toMatchObject({ reading });
  expect(connected !== null && isGone(connected)).toBe(false);
});

test("over a file that is sent again, how its text is read stays, and what was typed of columns of the same names", () => {
  const again = { ...table, name: "visits-2.csv", file: "fil_2", reading: { ...table.reading, file: "visits-2.csv" } };
  const start = typed();
  const chosen = overTable(start, { ...again, columns: [{ name: "who|sex", type: "VARCHAR" }] });
  expect(chosen.reading).toEqual({ ...start.reading, file: "visits-2.csv" });
  expect(chosen.draft).toEqual(start.draft);
  expect(chosen.table).toEqual({ ...again, reading: chosen.reading });
  const usual = { ...start, reading: table.reading };
  const more = overTable(usual, { ...again, columns: [...table.columns, { name: "age", type: "VARCHAR" }] });
  expect(more.draft.columns.map(({ name, values }) => [name, values])).toEqual([
    ["who", ""],
    ["sex", "F\nM"],
    ["age", ""],
  ]);
  const parquet = { ...again, reading: { format: "parquet", file: "visits.parquet" } } as const;
  expect(overTable(start, parquet).reading).toEqual(parquet.reading);
});

test("what no page wrote is no form, or is read as far as it is of the right kind", () => {
  for (const form of [{}, { table: 1, draft: {}, reading: {} }, { table: {}, draft: {} }, null])
    expect(restored({ form, file }), JSON.stringify(form)).toBeNull();
  const columns = [{ name: "sex", type: "evil", lower: 3, values: ["F"], isRequired: "yes", guessed: "me" }, null, 7];
  const form = { ...formOf(typed()), draft: { name: 3, columns, unitColumn: 4, adjacency: "none", rows: {} } };
  expect(restored({ form, file })?.draft).toEqual({ ...begun(table).draft, population: "pop_1" });
  expect(restored({ form: { ...form, reading: { format: "x", delimiter: "evil" } }, file })?.reading).toEqual({
    ...{ format: "csv", file: "", delimiter: "auto", comment: "", quote: "", numbers: "" },
  });
});

test("the name of what is kept is never empty", () => {
  const start = begun(table);
  expect(nameOf(start)).toBe("visits");
  expect(nameOf({ ...start, draft: { ...start.draft, name: " " } })).toBe("visits.csv");
});
