import { describe, expect, test } from "vitest";
import { refusalText } from "../../../../test/refusal.kit.ts";
import { blocksOf, isByCohort, lagOf } from "./blocks.ts";
import { checkDeclaration } from "./check-declaration.ts";
import { declarationJson } from "./dates.ts";

const columns = {
  person: { type: "text" },
  seen: { type: "date", lower: "2020-01-15", upper: "2024-12-31" },
  said: { type: "text" },
  open: { type: "date" },
  week: { type: "date", lower: "2020-W01", upper: "2024-W10", granularity: "week" },
  month: { type: "date", lower: "2020-01", upper: "2024-12", granularity: "month" },
  arrived: { type: "timestamp", zone: "Europe/Berlin", lower: "2020-01-01", upper: "2024-12-31" },
};
const good = {
  name: "visits",
  source: { csv: "visits.csv" },
  privacyUnit: { column: "person" },
  contribution: { rows: 4 },
  columns,
};
const declared = (blocks: unknown, more: object = {}) => checkDeclaration({ ...good, blocks, ...more });

const refusal = (blocks: unknown, more: object = {}): string => refusalText(() => declared(blocks, more));

const monthly = { column: "seen", every: "month", zone: "UTC" };

describe("blocks", () => {
  test("are the periods from that of the column's lower bound to that of its upper one", () => {
    const declaration = declared({ ...monthly, lag: 3 });
    expect(declaration.blocks).toEqual({ ...monthly, lag: 3 });
    expect(lagOf({ column: "seen", every: "month", lag: 3 })).toBe(3 * 86_400);
    expect(lagOf({ column: "seen", every: "month" })).toBe(0);
    expect(blocksOf(declaration)).toEqual({ kind: "calendar", unit: "month", zone: "UTC", first: 600, last: 659 });
    expect(blocksOf(declared({ column: "arrived", every: "year" }))).toMatchObject({
      ...{ unit: "year", zone: "Europe/Berlin", first: 50, last: 54 },
    });
    expect(blocksOf(declared({ column: "month", every: "quarter", zone: "UTC" }))).toMatchObject({
      first: 200,
      last: 219,
    });
    expect(blocksOf(declared({ column: "week", every: "week", zone: "UTC" }))).toMatchObject({ unit: "week" });
  });

  test("are the same again as JSON, and a declaration without them has no trace of them", () => {
    const json = JSON.parse(JSON.stringify(declarationJson(declared(monthly))));
    expect(json.blocks).toEqual(monthly);
    expect(checkDeclaration(json)).toEqual(declared(monthly));
    const byHand = { ...monthly, closes: "by hand", closed: "2024-06" };
    expect(JSON.parse(JSON.stringify(declarationJson(declared(byHand)))).blocks).toEqual(byHand);
    expect(Object.keys(checkDeclaration(good))).not.toContain("blocks");
    expect(JSON.stringify(declarationJson(checkDeclaration(good)))).not.toContain("blocks");
  });

  test("are cohorts of people where they protect a person", () => {
    const cohorts = { protects: "person", column: "month", every: "year", zone: "UTC", lag: 30 };
    const declaration = declared(cohorts);
    expect(declaration.blocks).toEqual(cohorts);
    expect(JSON.parse(JSON.stringify(declarationJson(declaration))).blocks).toEqual(cohorts);
    expect(blocksOf(declaration)).toEqual({ kind: "calendar", unit: "year", zone: "UTC", first: 50, last: 54 });
    expect([declaration, declared(monthly), checkDeclaration(good)].map(isByCohort)).toEqual([true, false, false]);
    expect(refusal(cohorts, { privacyUnit: "row", contribution: { rows: 1 } })).toContain(
      'blocks.protects is "person", must be absent, as privacyUnit is "row"',
    );
    expect(refusal(cohorts, { adjacency: "replace" })).toContain('adjacency is "replace", must be addRemove');
    expect(refusal({ ...cohorts, column: "said" })).toContain('columns.said.type is "text", must be date or timestamp');
  });

  test.each([
    [{ ...monthly, protects: "household" }, 'blocks.protects is "household", must be person, or absent'],
    [{ ...monthly, protects: null }, "blocks.protects is null"],
    [{ every: "month", zone: "UTC" }, "INVALID_PARAMETER blocks.column is missing, must be a text that is not empty"],
    [{ ...monthly, column: "nobody" }, "UNKNOWN_COLUMN"],
    [{ ...monthly, column: "said" }, 'INVALID_PARAMETER columns.said.type is "text", must be date or timestamp'],
    [{ ...monthly, column: "open" }, "INVALID_PARAMETER columns.open.lower is missing, must be given, with upper"],
    [{ ...monthly, every: "decade" }, 'INVALID_PARAMETER blocks.every is "decade", must be one of day, week, month'],
    [{ ...monthly, every: "second" }, "INVALID_PARAMETER blocks.every"],
    [{ column: "month", every: "day", zone: "UTC" }, 'blocks.every is "day", must be a unit that holds whole months'],
    [{ column: "month", every: "week", zone: "UTC" }, 'blocks.every is "week", must be a unit that holds whole months'],
    [{ column: "week", every: "month", zone: "UTC" }, 'blocks.every is "month", must be a unit that holds whole weeks'],
    [{ column: "seen", every: "month" }, "blocks.zone is missing, must be a time zone"],
    [{ ...monthly, zone: "Nowhere" }, 'blocks.zone is "Nowhere", must be a time zone'],
    [
      { column: "arrived", every: "month", zone: "UTC" },
      'blocks.zone is "UTC", must be absent: it is that of columns.arrived',
    ],
    [{ ...monthly, lag: -1 }, "blocks.lag is -1, must be a whole number of days from 0 to 3660"],
    [{ ...monthly, lag: 0.5 }, "blocks.lag is 0.5, must be a whole number of days"],
    [{ ...monthly, closes: "by lot" }, 'blocks.closes is "by lot", must be by hand, or absent'],
    [{ ...monthly, closed: "2024-06" }, 'blocks.closed is "2024-06", must be absent, or given with closes: by hand'],
    [{ ...monthly, closes: "by hand", lag: 0 }, "blocks.lag is 0, must be absent: these blocks are closed by hand"],
    [{ ...monthly, closes: "by hand", closed: "2024-Q2" }, 'blocks.closed is "2024-Q2", must be a month such as'],
    [{ ...monthly, closes: "by hand", closed: "2025-01" }, 'blocks.closed is "2025-01", must be from 2020-01 to'],
    [{ ...monthly, closes: "by hand", closed: null }, "blocks.closed is null, must be a text"],
    [{ ...monthly, until: "2030" }, "blocks.until"],
    [[], "blocks is [], must be an object"],
  ])("%j is refused", (blocks, message) => {
    expect(refusal(blocks)).toContain(message);
  });

  test("replace-one neighbours, too many blocks and the ends of the calendar are refused", () => {
    expect(refusal(monthly, { adjacency: "replace" })).toContain('adjacency is "replace", must be addRemove');
    const over = (lower: string, upper: string) => ({ columns: { ...columns, seen: { type: "date", lower, upper } } });
    expect(refusal({ ...monthly, every: "day" }, over("1000-01-01", "3737-12-31"))).toMatch(
      /blocks is 1000\d{3}, must be at most 10000 blocks/,
    );
    expect(refusal({ ...monthly, every: "year" }, over("0001-01-01", "2024-12-31"))).toContain("columns.seen is");
    expect(refusal({ ...monthly, every: "year" }, over("2000-01-01", "9999-12-31"))).toContain("columns.seen is");
    expect(refusal({ ...monthly, every: "year" }, over("0003-01-01", "9996-12-31"))).toBe("accepted");
  });
});
