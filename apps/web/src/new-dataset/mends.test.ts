import { describe, expect, test } from "vitest";
import { type ColumnDraft, type Draft, draftOf } from "./draft.ts";
import { type Fit, findingsOf, isDone, roundUp } from "./mends.ts";
import { roundOut } from "./round-out.ts";

const draftWith = (columns: Readonly<Record<string, Partial<ColumnDraft>>>, more: Partial<Draft> = {}): Draft => {
  const names = Object.keys(columns).map((name) => ({ name, type: "VARCHAR" }));
  const draft = draftOf({ name: "t.csv", columns: names, sameAs: [] });
  return { ...draft, ...more, columns: draft.columns.map((column) => ({ ...column, ...columns[column.name] })) };
};

type Column = Partial<Fit["columns"][number]>;
const fitWith = (columns: Readonly<Record<string, Column>>, more: Partial<Fit> = {}): Fit => ({
  rows: 100,
  unit: null,
  broken: [],
  ...more,
  columns: Object.entries(columns).map(([name, column]) => ({
    ...{ name, empty: 0, marked: 0, misfits: [], apart: [], rare: [], rareCount: 0 },
    ...column,
  })),
});
const outside = (...values: readonly string[]): Column => ({
  misfits: [
    {
      kind: "outside",
      rows: 3 * values.length,
      values: values.length,
      frequent: values.map((value) => ({ value, rows: 3 })),
    },
  ],
});

/** Clicks the button of this name, wherever it is. */
function click(draft: Draft, fit: Fit, label: string, of?: string): Draft {
  const findings = findingsOf(fit, draft, 10).flatMap(({ findings }) => findings);
  const all = findings.flatMap(({ mends, values }) => [
    ...mends.map((mend) => ({ mend, value: undefined as string | undefined })),
    ...values.flatMap(({ value, mends: own }) => own.map((mend) => ({ mend, value }))),
  ]);
  const found = all.find(({ mend, value }) => mend.label === label && (of === undefined || value === of));
  if (found === undefined) throw new Error(`no ${label}: ${all.map(({ mend }) => mend.label).join()}`);
  expect(isDone(found.mend, draft)).toBe(false);
  const next = found.mend.does(draft);
  expect(isDone(found.mend, next)).toBe(true);
  return next;
}

describe("what is found has a button that declares it", () => {
  test("numbers in a small part of their bounds, and a value that only looks like a category", () => {
    const draft = draftWith({
      kg: { type: "number", lower: "0", upper: "7000" },
      city: { type: "category", values: "Zürich" },
    });
    const fit = fitWith({
      kg: { within: { lower: "2.7", upper: "6.3" }, marksThousands: true },
      city: outside("Zu\u0308rich\u200b"),
    });
    const found = findingsOf(fit, draft, 10).flatMap(({ findings }) => findings);
    expect(found[0]?.text).toMatch(/^All values lie between 2\.7 and 6\.3, a small part of your bounds/);
    expect(found[1]?.text).toMatch(/^All points stand before three digits/);
    expect(found[2]?.values[0]?.note).toMatch(/^differs from “Zürich” in .*invisible signs only$/);
  });

  test("numbers of which none lies within the bounds are asked for their unit", () => {
    const draft = draftWith({ kg: { type: "number", lower: "0", upper: "7" } });
    const said = (rows: number) =>
      findingsOf(
        fitWith({ kg: { marked: 1, misfits: [{ kind: "outside", rows, values: 0, frequent: [] }] } }),
        draft,
        10,
      )
        .flatMap(({ findings }) => findings.map(({ text }) => text))
        .join();
    expect(said(99)).toMatch(/No row has a value within them: are they in another unit\?$/);
    expect(said(98)).not.toContain("unit");
  });

  test("a whole number that is none is a number, where all that cannot be read are", () => {
    const draft = draftWith({ pay: { type: "integer", lower: "0", upper: "9" } });
    const unreadable = (...values: readonly string[]) =>
      fitWith({
        pay: { misfits: outside(...values).misfits?.map((each) => ({ ...each, kind: "unreadable" as const })) ?? [] },
      });
    expect(click(draft, unreadable("1.5", "-2e-1"), "Read it as a number").columns[0]?.type).toBe("number");
    expect(click(draft, unreadable("1.5", "n/a"), "Read it as a text").columns[0]?.type).toBe("text");
  });

  test("a word among numbers is marked missing before the column becomes a text, and what is left keeps its own way out", () => {
    const draft = draftWith({ pay: { type: "integer", lower: "0", upper: "9", missing: "-9" } });
    const unreadable = (rows: number, ...values: readonly string[]) => {
      const frequent = values.map((value) => ({ value, rows: 1 }));
      return fitWith({ pay: { misfits: [{ kind: "unreadable", rows, values: values.length, frequent }] } });
    };
    const offered = (fit: Fit) => findingsOf(fit, draft, 10)[0]?.findings[0]?.mends.map(({ label }) => label);
    expect(offered(unreadable(9, "NA"))).toEqual(["Mark “NA” missing", "Read it as a text"]);
    const some = unreadable(50, "NA", "n/a", "1.5");
    expect(offered(some)).toEqual(["Mark all 2 words missing", "Read it as a number", "Read it as a text"]);
    expect(click(draft, some, "Mark all 2 words missing").columns[0]).toMatchObject({
      type: "integer",
      missing: "-9; NA; n/a",
    });
    expect(offered(unreadable(50, "NA", "1,234"))).toContain("Read it as written: 1,234.5");
    expect(offered(unreadable(51, "Berlin", "Ulm"))).toEqual(["Read it as a text"]);
    expect(offered(unreadable(5, "١٢", "½")), "digits of another script are no words").toEqual(["Read it as a text"]);
  });

  test("facts of which one begins like another are two findings", () => {
    const broken = ["pay > 5 and age < 1", "pay > 5 and age < 15"].map((says) => ({ says, rows: 3 }));
    const [found] = findingsOf({ ...fitWith({}), broken } as Fit, draftWith({}), 10);
    expect(new Set(found?.findings.map(({ id }) => id)).size).toBe(2);
  });

  test("a value within the bounds that may stand for a missing one", () => {
    const draft = draftWith({ pay: { type: "integer", lower: "0", upper: "9999", missing: "NA" } });
    const fit = fitWith({ pay: { apart: [{ value: "9999", rows: 32 }] } });
    expect(click(draft, fit, "Mark missing", "9999").columns[0]?.missing).toBe("NA; 9999");
  });

  test("a category that the file writes otherwise, or by its label, is declared as it stands there where no row holds it", () => {
    const draft = draftWith({
      work: { type: "category", values: "yes=employed; No=not" },
      sex: { type: "category", values: "0=f; 1=m" },
    });
    const unheld = (...values: readonly string[]): Column => ({ rare: values.map((value) => ({ value, rows: 0 })) });
    const fit = fitWith({
      work: { ...outside("no"), ...unheld("No") },
      sex: { ...outside("F", "m"), ...unheld("0", "1") },
    });
    expect(click(draft, fit, "Instead of “No”", "no").columns[0]?.values).toBe("yes=employed; no=not");
    expect(click(draft, fit, "Declare all 2 as written").columns[1]?.values).toBe("F; m");
    expect(click(draft, fit, "Instead of “0”", "F").columns[1]?.values).toBe("F; 1=m");
    const found = findingsOf(fit, draft, 10).flatMap(({ findings }) => findings);
    expect(found.flatMap(({ values }) => values.flatMap(({ note = [] }) => note)).at(-1)).toBe("is what you call “1”");
    // Rows that hold the category are another value: both may be meant.
    for (const each of [
      fitWith({ work: outside("no") }),
      fitWith({ work: { ...outside("no", " NO"), ...unheld("No") } }),
    ])
      expect(() => click(draft, each, "Declare all 2 as written")).toThrow(/^no Declare/);
    expect(() => click(draft, fitWith({ work: outside("no") }), "Instead of “No”", "no")).toThrow(/^no Instead/);
  });

  test("a value counts as the category that a person reads in it", () => {
    const draft = draftWith({ sex: { type: "category", values: "M=male; f" } });
    const once = click(draft, fitWith({ sex: outside("m", "male;x") }), "Count as “M”", "m");
    expect(once.columns[0]?.spellings).toBe("m=M");
    const twice = click(once, fitWith({ sex: outside("Male") }), "Count as “M”", "Male");
    expect(twice.columns[0]?.spellings).toBe("m=M; Male=M");
    expect(() => click(draft, fitWith({ sex: outside("x") }), "Count as “M”", "x")).toThrow(/^no Count/);
  });

  test("a category, one or all, with its spaces and quotes", () => {
    const draft = draftWith({ sex: { type: "category", values: "f=female; m" } });
    const fit = fitWith({ sex: outside("unknown", " m", 'a"b') });
    const added = click(draft, fit, "Add", "unknown");
    expect(added.columns[0]?.values).toBe("f=female; m; unknown");
    expect(click(added, fit, "Add", " m").columns[0]?.values).toBe('f=female; m; unknown; " m"');
    expect(click(draft, fit, "Add all 3").columns[0]?.values).toBe('f=female; m; unknown; " m"; "a""b"');
    expect(click(draft, fit, "Mark all 3 missing").columns[0]).toMatchObject({
      values: "f=female; m",
      missing: 'unknown; " m"; "a""b"',
    });
    expect(click(draft, fit, "Mark missing", "unknown").columns[0]).toMatchObject({
      values: "f=female; m",
      missing: "unknown",
    });
  });

  test("a value that a person takes for a declared one is said to differ in spaces, quotes, capitals or invisible signs only", () => {
    const draft = draftWith({ sex: { type: "category", values: "m; f" } });
    const [found] = findingsOf(fitWith({ sex: outside(" m", "M", "x") }), draft, 10);
    const like = "differs from “m” in spaces, quotes, capitals or invisible signs only";
    expect(found?.findings[0]?.values.map(({ note }) => note)).toEqual([like, like, undefined]);
  });

  test("wider bounds name no value of the file", () => {
    const draft = draftWith({ income: { type: "integer", lower: "0", upper: "20000" } });
    const column = outside("95700");
    const fit = fitWith({
      income: {
        misfits: (column.misfits ?? []).map((misfit) => ({ ...misfit, range: { lower: "0", upper: "95700" } })),
      },
    });
    expect(click(draft, fit, "Widen to 0 … 100000").columns[0]).toMatchObject({ lower: "0", upper: "100000" });
    expect(click(draft, fit, "Mark missing", "95700").columns[0]?.missing).toBe("95700");
  });

  test("a text, a missing value, a finer step, more rows of one person, and a category that is rare", () => {
    const draft = draftWith(
      {
        n: { type: "number" },
        i: { type: "integer", granularity: "5", isRequired: true },
        c: { type: "category", values: "a; b; c" },
      },
      { unitColumn: "i", rows: "1" },
    );
    const fit = fitWith(
      {
        n: { misfits: [{ kind: "unreadable", rows: 2, values: 1, frequent: [{ value: "0,1", rows: 2 }] }] },
        i: {
          misfits: [{ kind: "offStep", rows: 2, values: 1, frequent: [{ value: "7", rows: 2 }] }],
          empty: 4,
          marked: 1,
        },
        c: {
          rare: [
            { value: "a", rows: 1 },
            { value: "b", rows: 0 },
          ],
          rareCount: 2,
        },
      },
      { unit: { missing: 1, over: 2, cut: 5, most: 13 } },
    );
    expect(click(draft, fit, "Read it as a text").columns[0]?.type).toBe("text");
    expect(click(draft, fit, "Mark missing", "0,1").columns[0]?.missing).toBe("0,1");
    expect(click(draft, fit, "Count every whole number").columns[1]?.granularity).toBe("");
    expect(click(draft, fit, "Say that it may be missing").columns[1]?.isRequired).toBe(false);
    expect(click(draft, fit, "Allow 20 rows").rows).toBe("20");
    expect(click(draft, fit, "Remove", "a").columns[2]?.values).toBe("b; c");
    const said = findingsOf(fit, draft, 10).flatMap(({ findings }) => findings.map(({ text }) => text));
    expect(said).toEqual([
      "1 row names no person in i: no answer counts it.",
      "2 values of i have more rows than 1: 5 rows above it are left out. You promised one row for each of the people.",
      "2 rows cannot be read as declared: the file will be refused.",
      "2 rows lie between two steps: the value is rounded.",
      "5 rows hold no value, but it is declared as never missing.",
      expect.stringContaining("Fewer than 10 rows hold these categories."),
      "No row holds these categories.",
    ]);
  });
});

test("a table that fits has no findings; the number of rows is said where another was typed, and is never filled in", () => {
  const draft = draftWith({ a: { type: "text" } });
  expect(findingsOf(fitWith({ a: {} }), draft, 10)).toEqual([]);
  expect(findingsOf(fitWith({ a: {} }), { ...draft, size: "150" }, 10)).toEqual([]);
  const broken = [{ says: "county in another state", rows: 1 }];
  expect(findingsOf(fitWith({ a: {} }, { broken }), draft, 10)[0]?.findings).toMatchObject([
    { text: expect.stringContaining("1 row breaks what you declared impossible: county in another state.") },
  ]);
  const [found] = findingsOf(fitWith({ a: {} }), { ...draft, size: "3,000" }, 10);
  expect(found?.findings).toMatchObject([{ text: "The file has 100 rows; you said about 3000.", mends: [] }]);
});

describe("bounds are rounded outwards", () => {
  const column = { type: "number", lower: "0", upper: "10", granularity: "" } as const;
  test.each([
    [{ lower: "0", upper: "11" }, {}, { lower: "0", upper: "20" }],
    [{ lower: "-0.3", upper: "5" }, {}, { lower: "-0.5", upper: "10" }],
    [{ lower: "-123.4", upper: "1e6" }, {}, { lower: "-200", upper: "1000000" }],
    [
      { lower: "17", upper: "40" },
      { lower: "18", upper: "90" },
      { lower: "10", upper: "90" },
    ],
    [
      { lower: "-5", upper: "-1" },
      { lower: "-4", upper: "-3" },
      { lower: "-5", upper: "-1" },
    ],
    [{ lower: "0", upper: "10.03" }, { granularity: "0.1" }, { lower: "0", upper: "20" }],
    [{ lower: "0", upper: "43" }, { granularity: "15" }, { lower: "0", upper: "60" }],
    [
      { lower: "1999-05-02", upper: "2030-02-01" },
      { type: "date", lower: "2000-01-01", upper: "2029-12-31" },
      { lower: "1999-01-01", upper: "2030-12-31" },
    ],
    [
      { lower: "2001-05", upper: "2002-02" },
      { type: "date", lower: "2001-06", upper: "2029-12" },
      { lower: "2001-01-01", upper: "2029-12" },
    ],
  ] as const)("%j beside %j", (range, more, wide) => expect(roundOut(range, { ...column, ...more })).toEqual(wide));

  test("not those that are no numbers", () => {
    expect(roundOut({ lower: "0", upper: "11" }, { ...column, upper: "" })).toBeNull();
    expect(roundOut({ lower: "0", upper: "Infinity" }, column)).toBeNull();
  });

  test("a number of rows", () => expect([1, 2, 3, 7, 11, 99, 501].map(roundUp)).toEqual([1, 2, 5, 10, 20, 100, 1000]));
});
