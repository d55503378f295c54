import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { distance } from "../../../core/src/near.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Declaration } from "../../../query/src/declaration/declaration.ts";
import { predicateColumns, readPredicate } from "../../../query/src/declaration/index.ts";
import { families, spoken } from "../../../query/src/statistics/families.ts";
import { fits } from "../../../query/src/statistics/fits.ts";
import { statisticNames, statisticOf } from "../../../query/src/statistics/registry.ts";
import type { StatisticRequest } from "../../../query/src/statistics/request.ts";
import { planOfSql } from "../plan-of-sql.ts";
import { sqlOfPlan } from "../print.ts";
import { readSql } from "../read.ts";
import { adults, firms, rowsIn, sentences, shifts, tables, unclear, visits } from "./ask.kit.ts";
import {
  askText,
  chipsOf,
  choicesOf,
  complete,
  looksAsked,
  mayAsk,
  type RowPart,
  replaced,
  roughText,
  sameRow,
  understand,
  withChip,
} from "./index.ts";
import { askable, vocabularyOf } from "./vocabulary.ts";
import { keyOf, stem, wordsOf } from "./words.ts";

const tableOf = (name: string) => ({ ...tables, shifts })[name] ?? adults;

/** Rows in the order of their keys, filters in one spelling. */
function expectRows(table: string, sentence: string, means: readonly StatisticRequest[]): void {
  const { rows, missed, error } = understand(sentence, tableOf(table));
  const isAlike =
    rows.length === means.length &&
    rows.every((row, at) => means[at] !== undefined && sameRow(row, means[at], tableOf(table)));
  expect({ sentence, missed, error, rows: isAlike ? means : rows }).toEqual({
    sentence,
    missed: [],
    error: null,
    rows: means,
  });
}

describe("a question in words", () => {
  test("a word of JavaScript behind a number is no multiple of it", () => {
    for (const word of ["constructor", "__proto__", "toString"]) {
      const { rows, missed } = understand(`mean income capped at 5 ${word}`, adults);
      expect(rows).toEqual([{ statistic: "mean", column: "income", upper: 5 }]);
      expect(missed.length, word).toBeGreaterThan(0);
    }
  });

  test.each([
    ["adults", "not (women or married)", "brackets are read"],
    ["adults", "(women or married) and over 30", "brackets are read"],
    ["adults", "women and (Oslo or over 30)", "brackets are read"],
    ["adults", "age in [30, 40)", "“[” is no"],
    ["adults", "count where age > 30 || married", "“|” is no"],
    ["adults", "!married", "“!” is no"],
    ["adults", "how many people ¬ married", "“¬” is no"],
    ["adults", "age ≈ 30", "“≈” is no"],
    ["adults", "income over 10²", "“²” is no"],
    ["adults", "age over 3½", "“½” is no"],
    ["adults", "age over 30 months", "“months” is no"],
    ["adults", "mean income over 50 euro", "“euro” is no"],
    ["visits", "length of stay over 2 weeks", "“weeks” is no"],
    ["visits", "length of stay over 2 months", "“months” is no"],
    ["adults", "at least 2 women", "a column that is not named"],
    ["adults", "more than 10 people in Oslo", "a column that is not named"],
  ])("of %s: never taken for something else: %s", (table, sentence, says) => {
    const { missed, rows } = understand(sentence, tableOf(table));
    expect(missed.map((each) => each.says).join(), JSON.stringify(rows)).toContain(says);
  });

  test.each(unclear)("of %s: asked, and not guessed: %s", (table, sentence, says, ...mends) => {
    const declaration = tableOf(table);
    const { missed, rows } = understand(sentence, declaration);
    expect(missed.map((each) => each.says).join(), JSON.stringify(rows)).toContain(says);
    const mended = missed.flatMap((each) => each.nearest.map((by) => replaced(sentence, each, by)));
    for (const by of mends) {
      expect(mended).toContain(by);
      expect(understand(by, declaration).missed, by).toEqual([]);
    }
  });

  test("the beginning of a column's name takes no word away that joins", () => {
    const table = checkDeclaration({
      name: "firms",
      source: { csv: "firms.csv" },
      privacyUnit: "row",
      columns: {
        year: { type: "integer", lower: 2000, upper: 2024 },
        turnover: { type: "number", lower: 0, upper: 9 },
        "turnover after tax": { type: "number", lower: 0, upper: 9 },
      },
    });
    const { rows } = understand("mean turnover after 2020", table);
    expect(rows).toEqual([{ statistic: "mean", column: "turnover", where: "year > 2020" }]);
    expect(understand("mean turnover after tax", table).rows).toEqual([
      { statistic: "mean", column: "turnover after tax" },
    ]);
  });

  test("a number or a month in words is what a table calls so", () => {
    const named = (categories: readonly string[]) => ({
      type: "category" as const,
      categories,
      provenance: "public" as const,
    });
    const columns = { ...visits.columns, seven: named(["One", "Two thirty"]), spring: named(["March", "May"]) };
    const table: Declaration = { ...visits, columns };
    const wheres = (text: string) => understand(text, table).rows.map(({ where }) => where);
    expect(wheres("count where seven is one")).toEqual(["seven = 'One'"]);
    expect(wheres("count in two thirty")).toEqual(["seven = 'Two thirty'"]);
    expect(wheres("count in March")).toEqual(["spring = 'March'"]);
    expect(wheres("count in June 2021")).toEqual(["day between '2021-06-01' and '2021-06-30'"]);
    expect(understand("count by seven", table).rows).toEqual([{ statistic: "count", groupBy: ["seven"] }]);
  });

  test("a date in words is read as the same date in digits", () => {
    const months = "January February March April May June July August September October November December".split(" ");
    const day = fc.date({ min: new Date("2020-01-01"), max: new Date("2024-12-31"), noInvalidDate: true });
    const how = fc.constantFrom("since", "before", "until", "on");
    const styles = [
      (d: string, m: string, y: string) => `${d} ${m} ${y}`,
      (d: string, m: string, y: string) => `${m} ${d}, ${y}`,
      (d: string, m: string, y: string) => `the ${d} of ${m.slice(0, 3).toLowerCase()} ${y}`,
    ];
    fc.assert(
      fc.property(day, how, fc.constantFrom(...styles), (date, word, style) => {
        const iso = date.toISOString().slice(0, 10);
        const [year = "", month, named] = iso.split("-");
        const said = style(String(Number(named)), months[Number(month) - 1] ?? "", year);
        const [spoken, plain] = [said, iso].map((each) => understand(`count ${word} ${each} by ward`, visits));
        expect(spoken?.missed, said).toEqual([]);
        expect(spoken?.rows).toEqual(plain?.rows);
      }),
    );
  });

  test.each(sentences)("of %s: %s", (table, sentence, means) => expectRows(table, sentence, rowsIn(means)));

  test("every statistic is understood by each of its names, of every table, with groups and a filter", () => {
    const endings = {
      adults: [
        [" by region", " by region"],
        [" for each sex where age is over 30", " by sex where age > 30"],
      ],
      visits: [
        [" per ward", " by ward"],
        [" split by gender for stays over 3", " by gender where length_of_stay > 3"],
      ],
      firms: [
        [" in each sector", " by sector"],
        [" by country for year 2020", " by country where year = 2020"],
      ],
    } as const;
    let count = sentences.length;
    for (const [table, declaration] of Object.entries(tables))
      for (const name of statisticNames) {
        const { label, column: reads, others, takes } = statisticOf(name);
        const column = askable(declaration).find(([, each]) => fits(reads, each) && each.type !== "date")?.[0] ?? "";
        if (others !== undefined || statisticOf(name).table !== undefined || reads === "none" || /["\s]/.test(column))
          continue;
        const said = spoken[name]
          .slice(1)
          .filter((each) => !/people|person|rows|per value|percentile|quantile|over time| of$/.test(each));
        for (const each of [label, ...said])
          for (const [ending, means] of endings[table as keyof typeof endings]) {
            if (takes.includes("k") || reads === "key") continue;
            expectRows(table, `${each} of ${column}${ending}`, rowsIn(`${name}(${column})${means}`));
            count++;
          }
      }
    expect(count).toBeGreaterThan(300);
  });

  test("what is not known is said with what was probably meant, and is never guessed", () => {
    const missed = (text: string, declaration = adults) =>
      understand(text, declaration).missed.map(({ says, nearest }) => [says, ...nearest]);
    expect(missed("mean incom")[0]).toEqual(
      expect.arrayContaining(["“incom” is no column, statistic or value here", "income"]),
    );
    expect(missed("averge income")[0]).toContain("average");
    expect(missed("mean income in Olso")[0]).toContain("Oslo");
    expect(missed("mean income by regoin")[0]).toEqual(["“regoin” is no column here", "region"]);
    expect(
      understand("mean incom by education where age over 30", adults).rows,
      "the age of a filter is no column of a mean",
    ).toEqual([]);
    expect(missed("mean incom by education where age over 30")).toHaveLength(1);
    expect(missed("purple monkey dishwasher")).toHaveLength(3);
    expect(missed("income")[0]).toEqual([
      "What of income?",
      "mean of income",
      "median of income",
      "sum of income",
      "histogram of income in 10 bins",
      "count of income",
    ]);
    expect(missed("mean region")[0]?.[0]).toBe("mean needs numbers, and region is a category");
    expect(missed("mean income in 2025")[0]?.[0], "a year is no income").toContain("“2025” is no column");
    expect(missed("mean of")[0]?.[0]).toBe("mean of which column?");
    expect(missed("mean income by")[0]?.[0]).toBe("A column is missing at the end");
    expect(missed("count where region is Stockholm")[0]).toEqual([
      "“region is Stockholm” has no value of region",
      "Oslo",
      "Bergen",
      "Møre og Romsdal",
      "North",
    ]);
    expect(missed("count over 2 in 2020", visits)[0]?.[0]).toMatch(/column that is not named/);
    expect(missed("mean of patient", visits)[0]?.[0], "no one asks for who a person is").toMatch(
      /which column|no column/,
    );
    expect(missed("mean income and 1 more").length).toBeGreaterThan(0);
    const {
      missed: [first],
    } = understand("mean incom by region", adults);
    expect("mean incom by region".slice(first?.at, first?.end)).toBe("incom");
  });

  test("a comma is read as a point where it can be nothing else, or else said with what it may be", () => {
    const number = { type: "number" as const, provenance: "public" as const };
    const weight = { ...number, lower: 1, upper: 250, granularity: 0.001 };
    const ratio = { ...number, lower: 0, upper: 1 };
    const columns = { ...adults.columns, weight, ratio };
    const table: Declaration = { ...adults, columns };
    const clear: readonly (readonly [string, string])[] = [
      ["mean ratio where ratio > 0,5", "mean(ratio) where ratio > 0.5"],
      ["mean ratio where ratio is 0,25", "mean(ratio) where ratio = 0.25"],
      ["mean ratio capped between 0,1 and 0,9", 'mean(ratio) {"lower":0.1,"upper":0.9}'],
      ["quantiles 0,1 and 0,9 of income", 'quantiles(income) {"quantiles":[0.1,0.9]}'],
      ["mean weight over 70,5", "mean(weight) where weight > 70.5"],
      ["mean weight where weight between 70,5 and 80,25", "mean(weight) where weight between 70.5 and 80.25"],
      ["mean weight capped at 99,9", 'mean(weight) {"upper":99.9}'],
      ["mean age where income over 1.500,25", "mean(age) where income > 1500.25"],
      ["mean age where income over 20 000,5", "mean(age) where income > 20000.5"],
      ["mean age where income over 1.500.000", "mean(age) where income > 1500000"],
      ["mean age where income over 50,000", "mean(age) where income > 50000"],
      ["mean weight where children in (1,2) by sex", "mean(weight) by sex where children in (1, 2)"],
      ["mean weight where age is 18,30,65", "mean(weight) where age in (18, 30, 65)"],
    ];
    for (const [sentence, means] of clear) {
      const { rows, missed } = understand(sentence, table);
      const [row] = rows;
      expect(missed, sentence).toEqual([]);
      expect(row !== undefined && sameRow(row, rowsIn(means)[0] ?? row, table), JSON.stringify(rows)).toBe(true);
    }
    const unclear: readonly (readonly [string, ...string[]])[] = [
      ["mean weight where weight is 70,5", "70.5", "70 and 5"],
      ["mean weight where weight between 70,80", "70 and 80"],
      ["mean weight under 1,500", "1500", "1.5"],
      ["count where children over 2,5"],
      ["count where children is 2,5", "2 and 5"],
      ["quantiles 10,90 of income", "10.9", "10 and 90"],
      ["quantiles 0,1,0,9 of income", "0.1 and 0.9"],
      ["histogram of income in 2,5 bins"],
    ];
    for (const [sentence, ...readings] of unclear) {
      const { missed } = understand(sentence, table);
      expect(missed[0]?.says, sentence).toMatch(/is the comma a point/);
      expect(missed[0]?.nearest, sentence).toEqual(readings);
    }
    const parts = fc.tuple(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 9999 }));
    fc.assert(
      fc.property(parts, fc.constantFrom(">", "is", "capped at", "between 1 and"), ([whole, part], how) => {
        const said = `${whole},${part}`;
        const { rows, missed } = understand(
          `mean weight ${how === "capped at" ? how : `where weight ${how}`} ${said}`,
          table,
        );
        const read = JSON.stringify(rows).match(/\d+(?:\.\d+)?(?=\D*$)/)?.[0];
        const isRead = missed.length === 0;
        const meant = [Number(said.replace(",", ".")), Number(said.replace(",", ""))];
        if (isRead) expect(meant, `${said} ${JSON.stringify(rows)}`).toContain(Number(read));
        else expect(missed[0]?.says).toBeDefined();
      }),
    );
  });

  test("what may have been meant is read where it is put, and leaves what stands around it", () => {
    const words = sentences.flatMap(([, sentence]) => sentence.split(" "));
    const word = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...words) },
      fc.constantFrom("incom", "averge", "regoin", "Olso", "femal", "where", "over 2", "is", "mean of", "by"),
    );
    let count = 0;
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), fc.constantFrom(adults, visits, firms), (parts, table) => {
        const text = parts.join(" ");
        for (const missed of understand(text, table).missed)
          for (const by of missed.nearest) {
            const again = understand(replaced(text, missed, by), table).missed;
            const end = missed.at + by.length;
            const left = again.filter((each) => each.at < end && each.end > missed.at && each.isOpen !== true);
            expect(left, `${text} → ${by}`).toEqual([]);
            count++;
          }
      }),
      { numRuns: 150 },
    );
    expect(count).toBeGreaterThan(50);
    const mended = (text: string, at = 0): string => {
      const [missed] = understand(text, adults).missed;
      return missed === undefined ? text : replaced(text, missed, missed.nearest[at] ?? "");
    };
    expect(mended("count where region is not Stockholm")).toBe("count where region is not Oslo");
    expect(mended("mean of by region")).toBe("mean of age of by region");
    expect(mended("90th percentile by sex")).toBe("90th percentile of age by sex");
    expect(mended("show yearly income by region")).toBe("show mean of yearly income by region");
    expect(mended("mean income by")).toBe("mean income by age");
    expect(mended("mean region by sex")).toMatch(/^[a-z ]+ of region by sex$/);
  });

  test("what was understood has its chips although the statistic was not", () => {
    const { rows, parts, missed } = understand("averge income by region where age over 30", adults);
    expect(rows).toEqual([]);
    expect(missed[0]?.nearest).toContain("average");
    const chips = chipsOf(parts, adults);
    expect(chips.map(({ text }) => text)).toEqual(["statistic?", "Yearly income", "region", "age > 30"]);
    const [first] = chips;
    const names = first === undefined ? [] : (choicesOf(first, parts, adults) ?? []).flatMap(({ items }) => items);
    expect(names.map(({ value }) => value)).toContain("mean");
    expect(names.map(({ value }) => value)).not.toContain("tables of");
    const chosen = first === undefined ? [] : withChip(parts, first, "mean", adults);
    expect(roughText(chosen, adults)).toBe("mean of Yearly income by region where age > 30");
    expect(chipsOf(understand("median by region", adults).parts, adults).map(({ text }) => text)).toEqual([
      "median",
      "region",
    ]);
  });

  test("a filter that no declared value fits is noted, in words and in SQL", () => {
    const note = "No declared value of age is over 200: by the declaration, this counts no one.";
    expect(understand("mean income by sex where age > 200", adults).notes).toEqual([note]);
    expect(understand("mean income by sex where age > 30", adults).notes).toEqual([]);
    expect(understand("SELECT COUNT(*) FROM adults WHERE age > 200", adults).notes).toContain(note);
  });

  test("a word that is not known and touches a value changes it: nothing is made of the phrase", () => {
    const { children: _, ...columns } = adults.columns;
    const childless: Declaration = { ...adults, columns };
    const more = understand("people with more than 2 children in Oslo", childless);
    expect(more.rows).toEqual([{ statistic: "count", where: "region = 'Oslo'" }]);
    expect(more.missed).toMatchObject([{ at: 12, end: 32, says: expect.stringContaining("“children” is no") }]);
    for (const prefix of ["non-", "not-", "un-", "non ", "pre-", "half "])
      for (const said of ["married", "women", "Oslo"]) {
        const { rows, missed } = understand(`mean income of ${prefix}${said} where age over 30`, adults);
        expect(rows, prefix + said).toEqual([{ statistic: "mean", column: "income", where: "age > 30" }]);
        expect(missed).toHaveLength(1);
        expect(missed[0]?.says).toContain(`nothing is made of “${prefix}${said}”`);
      }
    expect(understand("taller than 2020", firms).rows).toEqual([]);
    const phrases = fc.constantFrom(
      ...[
        ["women", "sex"],
        ["married", "married"],
        ["Oslo", "region"],
        ["college", "education"],
      ],
      ...[
        ["age over 30", "age"],
        ["income at least 5 million", "income"],
        ["children = 2", "children"],
      ],
    );
    const touched = fc.constantFrom<"" | "before" | "behind">("", "before", "behind");
    const between = fc.constantFrom(" ", "-");
    const parts = fc.uniqueArray(fc.tuple(phrases, touched, between), {
      selector: ([[, column]]) => column,
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(parts, (each) => {
        const isMeant = (side: string, said: string): boolean => side === "" || (side === "before" && / /.test(said));
        const texts = each.map(([[said = ""], side, by]) =>
          side === "" ? said : side === "before" ? `zqxwv${by}${said}` : `${said}${by}zqxwv`,
        );
        const text = `count where ${texts.join(", ")}`;
        const { rows, missed } = understand(text, adults);
        const where = rows[0]?.where;
        const names = where === undefined ? [] : predicateColumns(readPredicate(where, adults));
        const meant = each.flatMap(([[said = "", column = ""], side]) => (isMeant(side, said) ? [column] : []));
        expect([...names].sort(), text).toEqual(meant.sort());
        expect(missed.length).toBe(each.filter(([, side]) => side !== "").length);
      }),
    );
  });

  test("the chips of a row say all of its filter, and are read as it", () => {
    const words = sentences.flatMap(([table, sentence]) => (table === "adults" ? sentence.split(" ") : []));
    const text = fc.array(fc.tuple(fc.constantFrom(...words, "zqxwv", "non", "2"), fc.constantFrom(" ", " ", "-")), {
      maxLength: 12,
    });
    let count = 0;
    fc.assert(
      fc.property(text, (parts) => {
        const said = parts.flat().join("");
        const { rows } = understand(said, adults);
        for (const [at, row] of rows.entries()) {
          const filters = chipsOf(rows, adults).filter((chip) => chip.row === at && chip.role === "filter");
          const where = filters.map((chip) => `(${chip.text})`).join(" and ");
          const { where: _, ...rest } = row;
          expect(sameRow(where === "" ? rest : { ...rest, where }, row, adults), said).toBe(true);
          for (const chip of filters) {
            count++;
            const again = understand(`count where ${chip.text}`, adults);
            expect(again.missed, chip.text).toEqual([]);
            expect(again.rows[0] && sameRow(again.rows[0], { statistic: "count", where: chip.text }, adults)).toBe(
              true,
            );
          }
        }
      }),
      { numRuns: 1500 },
    );
    expect(count).toBeGreaterThan(50);
  });

  test("SQL is read by its own reader, and refused with its words", () => {
    const { rows, plan } = understand("SELECT AVG(income) FROM adults WHERE age >= 30 GROUP BY region", adults);
    expect(rows.map((row) => askText(row, adults))).toEqual(["mean of Yearly income by region where age >= 30"]);
    expect(plan?.statistics).toHaveLength(1);
    expect(understand("SELECT * FROM adults", adults).error).toMatch(/line 1/);
    expect(understand("SELECT AVG(income) FROM others", adults).error).toMatch(/FROM/);
  });

  test("a hostile sentence takes bounded work and never throws anything", () => {
    const long = (text: string) => text.repeat(Math.ceil(1000 / text.length)).slice(0, 1000);
    const pieces = [
      "a",
      "'",
      '"',
      "(",
      "and ",
      "1,",
      "by ",
      "mean ",
      "where ",
      "not ",
      "“",
      "1 ",
      "ö",
      "\u0000",
      "-",
      "income over ",
      "x_y",
      "$",
      "\ud800",
      "or more ",
    ];
    for (const piece of pieces) expect(Array.isArray(understand(long(piece), adults).missed)).toBe(true);
    expect(understand("a".repeat(1001), adults).error).toMatch(/at most 1000 characters/);
    expect(understand("constructor of __proto__ by toString", adults).missed.length).toBeGreaterThan(0);
    const names = fc.constantFrom(
      ...pieces,
      "income",
      "region",
      "Oslo",
      "between",
      "of",
      "capped at",
      "5",
      "per",
      "month",
      ";",
      "?",
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(names, fc.string({ unit: "grapheme", maxLength: 8 })), { maxLength: 60 }),
        fc.constantFrom(adults, visits, firms),
        (parts, declaration) => {
          const text = parts.join(" ");
          const { rows, missed } = understand(text, declaration);
          for (const { at, end } of missed) expect(at >= 0 && end <= text.length && at <= end).toBe(true);
          expect(rows.length).toBeLessThan(400);
          complete(text, Math.floor(text.length / 2), declaration);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("a table of very many values is read by the keys of few, and a word is compared with few", () => {
    const many = (called: (column: number, value: number) => string): Declaration => ({
      ...adults,
      columns: {
        ...adults.columns,
        ...Object.fromEntries(
          Array.from({ length: 20 }, (_, i) => [
            `column ${i} of many`,
            {
              type: "category" as const,
              categories: Array.from({ length: 1000 }, (__, j) => called(i, j)),
              provenance: "public" as const,
            },
          ]),
        ),
      },
    });
    const letter = (at: number): string => String.fromCharCode(97 + (at % 26));
    const spread = many((i, j) => `${letter(i + j)}${letter(j)}${letter(j >> 3)}${letter(i)}oza ${j} of ${i}`);
    const { work } = vocabularyOf(spread);
    const begun = work.keys;
    expect(begun, "nothing of a value").toBeLessThan(1000);
    complete("m", 1, spread);
    understand("mean income by region", spread);
    expect(work.keys - begun, "values of a few letters").toBeLessThan(10_000);
    const read = work.keys;
    expect(understand("purple monkey dishwasher in Olso", spread).missed).toHaveLength(4);
    expect(work.keys - read).toBeLessThan(10_000);
    expect(work.distances).toBeLessThanOrEqual(4 * 2000);
    expect(understand("count where column 3 of many is abiboza 7 of 3", spread).missed.length).toBeGreaterThan(0);
    const [first = ""] = spread.columns["column 3 of many"]?.categories ?? [];
    expect(understand(`count where column 3 of many is ${first}`, spread).rows).toEqual([
      { statistic: "count", where: `"column 3 of many" = '${first}'` },
    ]);
    const alike = many((i, j) => `value ${j} of ${i}`);
    const { work: all } = vocabularyOf(alike);
    for (let i = 0; i < 20; i++) understand("column of many value valeu ".repeat(35), alike);
    expect(all.keys, "each once").toBeLessThan(22_000);
    expect(all.distances).toBeLessThanOrEqual(20 * 8 * 2000);
    expect(vocabularyOf(alike).parts("value").length, "and few that are called alike").toBeLessThan(100);
  });

  test("a value in quotes is the one that is written so, or the only one that is called alike", () => {
    const grade = { type: "category" as const, categories: ["A+", "A-", "B c"], provenance: "public" as const };
    const graded: Declaration = { ...adults, columns: { ...adults.columns, grade } };
    const wheres = (said: string) =>
      understand(`count of people, grade is ${said}`, graded).rows.map(({ where }) => where);
    expect(wheres("'A-'")).toEqual(["grade = 'A-'"]);
    expect(wheres("'b C'")).toEqual(["grade = 'B c'"]);
    expect(wheres("'a'")).toEqual([undefined]);
  });

  test("a plain text has the key that its words have", () => {
    const plain = fc.stringMatching(/^(?:[A-Za-z]{1,6}|\d{1,4})(?: (?:[A-Za-z]{1,6}|\d{1,4})){0,4}$/);
    fc.assert(
      fc.property(plain, (text) => {
        expect(keyOf(text)).toBe(
          wordsOf(text)
            .map(({ key }) => key)
            .join(" "),
        );
      }),
      { numRuns: 2000, examples: [["5 123"], ["007 men"], ["5 k"], ["Oil and gas"], ["NO"], ["1 000 women 12"]] },
    );
  });
});

/** A row with the settings that a sentence has. */
const askedOf = (table: string): fc.Arbitrary<StatisticRequest> => {
  const declaration = tableOf(table);
  const columns = askable(declaration);
  const wheres =
    {
      adults: [
        "age >= 30",
        "region in ('Bergen', 'Oslo')",
        "not (sex = 'male')",
        "age < 3 or married = true",
        "income is null",
        "age between 1 and 2",
      ],
      visits: [
        "ward = 2",
        "day >= '2022-01-01'",
        "diagnosis = 'it''s; by x'",
        "emergency = false",
        '"bodyWeight" > 1.5',
      ],
      shifts: ["pay > 1.234", '"of" = 3', "rate between 50.125 and 60.5", "height < 2"],
      firms: ['"count by" = 3', "country = 'NO'", "founded < '1950'", "turnover > 1e6"],
    }[table] ?? [];
  return fc
    .record({
      statistic: fc.constantFrom(...statisticNames),
      pick: fc.nat(),
      more: fc.nat(),
      groupBy: fc.uniqueArray(fc.constantFrom(...columns.map(([name]) => name)), { maxLength: 2 }),
      where: fc.option(fc.constantFrom(...wheres), { nil: undefined }),
      caps: fc.constantFrom({}, { upper: 50 }, { lower: 5 }, { lower: 5, upper: 50 }),
      shares: fc.constantFrom([], [0.5], [0.1, 0.9], [0.333]),
    })
    .map(({ statistic, pick, more, groupBy, where, caps, shares }) => {
      const { column: reads, others, takes, table: isTable } = statisticOf(statistic);
      const fitting = columns.filter(([, each]) => fits(reads, each)).map(([name]) => name);
      const column =
        reads === "none" || (reads === "present" && pick % 2 === 0) ? undefined : fitting[pick % fitting.length];
      const numbers = columns
        .filter(([name, { type }]) => (type === "integer" || type === "number") && name !== column)
        .map(([name]) => name);
      const isNumber = column !== undefined && /integer|number/.test(declaration.columns[column]?.type ?? "");
      return {
        statistic,
        ...(column === undefined ? {} : { column }),
        ...(others === undefined ? {} : { with: [numbers[more % numbers.length] ?? ""] }),
        ...(isNumber && reads === "numeric" && !takes.includes("unitUpper") ? caps : {}),
        ...(takes.includes("quantiles") && shares.length > 0 ? { quantiles: shares } : {}),
        ...(takes.includes("k") && more % 2 === 0 ? { k: 1 + (more % 20) } : {}),
        ...(takes.includes("bins") && isNumber && isTable === undefined ? { bins: 2 + (more % 9) } : {}),
        ...(reads === "key" || isTable !== undefined || groupBy.length === 0 ? {} : { groupBy }),
        ...(where === undefined ? {} : { where }),
      };
    });
};

/** Another value of a setting, as it is typed. */
const settingOf = (value: string, pick: number): string =>
  value.includes(".") ? "0.2, 0.7" : String(Number(value) + 1 + (pick % 3));

describe("the sentence of a row", () => {
  test.each([...Object.keys(tables), "shifts"])("is read as the row, of %s", (table) => {
    const declaration = tableOf(table);
    fc.assert(
      fc.property(askedOf(table), (row) => {
        const text = askText(row, declaration);
        expect(text, JSON.stringify(row)).not.toBeNull();
        const { rows, missed } = understand(text ?? "", declaration);
        expect([missed, rows.length, rows[0] !== undefined && sameRow(rows[0], row, declaration)], `${text}`).toEqual([
          [],
          1,
          true,
        ]);
        const chips = chipsOf(rows, declaration);
        const same = chips.reduce<readonly RowPart[]>(
          (before, chip) => (chip.role === "setting" ? before : withChip(before, chip, chip.value, declaration)),
          rows,
        );
        if (!chips.some(({ role }) => role === "setting"))
          expect(same[0] !== undefined && sameRow(same[0], row, declaration)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  test.each([...Object.keys(tables), "shifts"])("and the SQL of a row ask for the same, of %s", (table) => {
    const declaration = tableOf(table);
    let count = 0;
    fc.assert(
      fc.property(askedOf(table), (row) => {
        let sql: string;
        try {
          sql = sqlOfPlan({ statistics: [{ ...row, id: "a" }] }, declaration);
          planOfSql(readSql(sql), declaration);
        } catch {
          return; // what SQL does not say of a row
        }
        const bySql = understand(sql, declaration);
        expect(bySql.error).toBeNull();
        const byWords = understand(askText(row, declaration) ?? "", declaration);
        expect(
          bySql.rows[0] !== undefined &&
            byWords.rows[0] !== undefined &&
            sameRow(bySql.rows[0], byWords.rows[0], declaration),
          sql,
        ).toBe(true);
        count++;
      }),
      { numRuns: 200 },
    );
    expect(count).toBeGreaterThan(20);
  });

  test("says nothing that it cannot take back", () => {
    expect(askText({ statistic: "mean", column: "income", noise: "gaussian" }, adults)).toBeNull();
    expect(askText({ statistic: "mean", column: "income", groupBy: ["region"], epsilon: 1, id: "s1" }, adults)).toBe(
      "mean of Yearly income by region",
    );
    expect(askText({ statistic: "mean", column: "count by" }, firms)).toBe('mean of "count by"');
    expect(roughText([{ statistic: "covariance", column: "income" }], adults)).toBe("covariance of Yearly income");
  });
});

describe("chips and what may come next", () => {
  test("a chip is changed, or left out", () => {
    const { rows } = understand("mean income by region and sex where age >= 30 and married = true", adults);
    const chips = chipsOf(rows, adults);
    expect(chips.map(({ role, text }) => `${role} ${text}`)).toEqual([
      ...[
        "statistic mean",
        "column Yearly income",
        "group region",
        "group sex",
        "filter married = true",
        "filter age >= 30",
      ],
    ]);
    const after = (at: number, value: string | null) => {
      const chip = chips[at];
      return chip === undefined ? null : roughText(withChip(rows, chip, value, adults), adults);
    };
    expect(after(0, "median")).toBe("median of Yearly income by region and sex where married = true and age >= 30");
    expect(after(1, "age")).toBe("mean of age by region and sex where married = true and age >= 30");
    expect(after(5, "age between 20 and 30")).toBe(
      "mean of Yearly income by region and sex where married = true and age between 20 and 30",
    );
    expect(after(2, "married")).toBe("mean of Yearly income by married and sex where married = true and age >= 30");
    expect(after(2, null)).toBe("mean of Yearly income by sex where married = true and age >= 30");
    expect(after(4, null)).toBe("mean of Yearly income by region and sex where age >= 30");
  });

  test("what is offered follows from what stands before the caret", () => {
    const texts = (text: string, caret = text.length) => complete(text, caret, adults).map((each) => each.text);
    expect(texts("")).toContain("count");
    expect(texts("med")).toEqual(["median"]);
    expect(texts("mean of ")).toEqual(["age", "Yearly income", "Number of children"]);
    expect(texts("mean inc")).toEqual(["Yearly income"]);
    expect(texts("mean income by ")).toContain("region");
    expect(texts("mean income by reg")).toEqual(["region"]);
    expect(texts("count where region is ")).toEqual(["Oslo", "Bergen", "Møre og Romsdal", "North"]);
    expect(texts("count where region is O")).toEqual(["Oslo", "Møre og Romsdal"]);
    expect(texts("count where age ")).toContain("over");
    expect(texts("mean of incoem"), "a slip of the fingers").toEqual([]);
    expect(texts("mean income by regino")).toEqual([]);
    expect(understand("mean income by regino", adults).missed[0]?.nearest, "said below the line").toEqual(["region"]);
    expect(texts("histogram of ")).toContain("Yearly income in 10 bins");
    expect(texts("mean income by "), "groups are declared").not.toContain("Yearly income");
    expect(texts("correlation of age ")).toEqual(["with"]);
    expect(texts("correlation of age with ")).not.toContain("region");
    expect(texts("mean income where age over thirty ").slice(0, 3)).toEqual(["by", "where", "and"]);
    expect(texts("people with an income of ")).toEqual(["over", "under", "at least", "at most", "between"]);
    expect(texts("how many people in ")).toContain("Oslo");
    expect(texts("how many people in "), "no one is in an age").not.toContain("age");
    expect(texts("share of ")).not.toContain("age");
    expect(texts("mean income capped ")).toEqual(["at", "between"]);
    expect(complete("visits per ", 11, visits).map((each) => each.text)).toContain("month");
    expect(complete("ru", 2, { ...adults, columns: { note: { type: "text", provenance: "public" } } })).toEqual([]);
    expect(texts("mean inc by region", 8)).toEqual(["Yearly income"]);
    expect(complete("mean inc", 8, adults)[0]?.from).toBe(5);
  });

  test.each([...Object.keys(tables), "shifts"])("a changed chip is read back from its text, of %s", (name) => {
    const table = tableOf(name);
    let count = 0;
    const expectBack = (rows: readonly RowPart[], why: string): void => {
      const text = roughText(rows, table) ?? "";
      const { parts } = understand(text, table);
      const isSame = parts.length === rows.length && parts.every((part, at) => sameRow(part, rows[at] ?? part, table));
      expect(isSame, `${why} → ${text}: ${JSON.stringify(parts)}`).toBe(true);
      count++;
    };
    fc.assert(
      fc.property(fc.array(askedOf(name), { minLength: 1, maxLength: 2 }), fc.nat(), (rows, pick) => {
        for (const chip of chipsOf(rows, table)) {
          const items = (choicesOf(chip, rows, table) ?? []).flatMap(({ items: each }) => each);
          const chosen = items[pick % Math.max(1, items.length)]?.value;
          const typed =
            chip.role === "filter" ? chip.value : chip.role === "setting" ? settingOf(chip.value, pick) : undefined;
          const why = `${askText(rows[0] as StatisticRequest, table)}: ${chip.role} ${chip.text}`;
          for (const value of [chosen ?? typed, null])
            if (value !== undefined) expectBack(withChip(rows, chip, value, table), `${why}: ${value}`);
          const made = chosen === undefined ? undefined : withChip(rows, chip, chosen, table)[chip.row];
          const { where: _, ...plain } = made ?? { statistic: "" as const };
          const wasAsked = rows[chip.row];
          const needs =
            made?.column === undefined && !/none|present/.test(statisticOf(made?.statistic || "count").column);
          if (made !== undefined && !needs && wasAsked !== undefined && mayAsk(wasAsked, table))
            expect(mayAsk(plain, table), `${why}: ${chosen}`).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
    expect(count).toBeGreaterThan(200);
  });

  test.each(Object.keys(tables))("what is offered leads to a question that a plan takes, of %s", (name) => {
    const table = tableOf(name);
    let asked = 0;
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 1000 }), { minLength: 2, maxLength: 8 }), (picks) => {
        let text = "";
        let isTyped = false;
        for (const pick of picks) {
          const offered = complete(text, text.length, table);
          const last = offered[pick % Math.max(1, offered.length)];
          if (last === undefined) break;
          text = `${text.slice(0, last.from)}${last.text} `;
          isTyped = /^(?:is|is not|over|under|at least|at most|between)$/.test(last.text);
        }
        const { rows, missed } = understand(text, table);
        const isWhole = missed.length === 0 && rows.every((row) => mayAsk(row, table));
        expect(isWhole || isTyped || complete(text, text.length, table).length > 0, text).toBe(true);
        expect(
          missed.filter(
            ({ isOpen, says }) => isOpen !== true && !/no value of|column that is not named|say what of it/.test(says),
          ),
          text,
        ).toEqual([]);
        if (isWhole && rows.length > 0) asked++;
      }),
      { numRuns: 80 },
    );
    expect(asked).toBeGreaterThan(15);
  });

  test("a search tells a question from a name", () => {
    for (const text of ["mean income", "how many women", "What is the average age?", "SELECT COUNT(*) FROM adults"])
      expect(looksAsked(text)).toBe(true);
    for (const text of ["adults", "New plan", "Ana Silva", "", "count", "x".repeat(2000)])
      expect(looksAsked(text)).toBe(false);
  });

  test("each statistic has a family, and no two are called alike", () => {
    expect(Object.keys(families)).toHaveLength(6);
    const said = statisticNames.flatMap((name) => [...new Set(spoken[name].slice(1).map((each) => keyOf(each)))]);
    expect(said.filter((each, at) => said.indexOf(each) !== at)).toEqual([]);
  });
});

test("words meet in their singular, and slips of the fingers are near", () => {
  for (const [one, many] of [
    ["house", "houses"],
    ["class", "classes"],
    ["city", "cities"],
    ["diagnosis", "diagnoses"],
    ["sex", "sexes"],
    ["woman", "women"],
    ["Größe", "größe"],
  ] as const)
    expect(stem(one)).toBe(stem(many));
  expect(distance("income", "incom", 2)).toBe(1);
  expect(distance("regoin", "region", 2)).toBe(1);
  expect(distance("abc", "xyzabc", 2)).toBe(3);
  expect(
    wordsOf("homeRegion home_region 10-20 -5 30k 2024-01-02 “a b” it's").map(({ kind, key }) => `${kind} ${key}`),
  ).toEqual([
    ...["word home", "word region", "word home", "word region", "number 10", "symbol -", "number 20", "number -5"],
    ...["number 30000", "date 2024-01-02", "text a b", "word it"],
  ]);
});
