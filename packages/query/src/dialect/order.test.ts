import { createHash } from "node:crypto";
import { DuckDBInstance } from "@duckdb/node-api";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { duckdbDialect } from "../../../engines/src/duckdb/dialect.ts";
import { ORDER_BITS, type OrderField, withOrder } from "./order.ts";

let instance: DuckDBInstance;
beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:");
});
afterAll(() => instance.closeSync());

async function query(text: string): Promise<readonly (readonly unknown[])[]> {
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(text)).getRows();
  } finally {
    connection.closeSync();
  }
}

const ordered = (rows: string, fields: readonly [OrderField, ...OrderField[]], salt: string): string =>
  duckdbDialect.compile(withOrder(duckdbDialect, sql.raw(rows), fields, salt, "h")).text;
const KEY = "3f".repeat(32);
const VALUE = { name: "v", kind: "small" } as const;

describe("a keyed order of rows [M126]", () => {
  test("is the same arithmetic everywhere: written a second time on big integers", async () => {
    const rows =
      "SELECT * FROM (VALUES ('é', -3, 7), ('', 9223372036854775807, 0), (E'\\\\', -9223372036854775808, 4294967295)) AS t(t, u, v)";
    const fields = [{ name: "t", kind: "text" }, { name: "u", kind: "integer" }, VALUE] as const;
    const found = await query(`SELECT t, u, v, h FROM (${ordered(rows, fields, KEY)})`);
    const limbPrimes = [268435399n, 268435367n, 268435361n, 268435337n];
    const key = [...new TextEncoder().encode(KEY)].reduce((a, b) => a * 256n + BigInt(b), 1n);
    const spread = 0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251f86c6a11d0c18e95n;
    const remainder = (prime: bigint): bigint => ((key * spread) % (prime - 1n)) + 1n;
    const [constant = 0n, ...multipliers] = limbPrimes.map(remainder);
    const low = (n: bigint): bigint => BigInt.asUintN(32, n);
    for (const [t, u, v, h] of found) {
      const md5 = BigInt(`0x${createHash("md5").update(String(t)).digest("hex").slice(0, 15)}`);
      const all = [low(BigInt(u as bigint)), low(BigInt(u as bigint) >> 32n), BigInt(v as bigint)];
      const sum = md5 ^ all.reduce((total, limb, index) => total + limb * (multipliers[index] ?? 0n), constant);
      const mixed = low(sum ^ (sum >> 32n)) * (remainder(2147483629n) | 1n);
      const twice = low(mixed ^ (mixed >> 29n)) * (remainder(2147483587n) | 1n);
      expect(BigInt(h as bigint)).toBe(BigInt.asUintN(31, twice >> 16n));
    }
    expect(found).toHaveLength(3);
  });

  test("favours no value: every place of a run is first equally often, whatever the salt", async () => {
    // χ² with 15 degrees of freedom passes 56.5 with probability 10⁻⁶ for a fair order; two salts, two kinds of values.
    for (const salt of [KEY, "a"])
      for (const spacing of [1, 65_536]) {
        const rows = `SELECT (i // 16)::BIGINT AS u, (i % 16 * ${spacing})::BIGINT AS v FROM range(640000) AS r(i)`;
        const text = ordered(rows, [{ name: "u", kind: "integer" }, VALUE], salt);
        const counts = await query(
          `SELECT count(*) FROM (SELECT arg_min(v, h) AS first FROM (${text}) GROUP BY u) GROUP BY first`,
        );
        const chi = counts.reduce((sum, [n]) => sum + (Number(n) - 2500) ** 2 / 2500, 0);
        expect(counts).toHaveLength(16);
        expect(chi).toBeLessThan(56.5);
      }
  });

  test("spreads over its bits, and another salt is another order", async () => {
    const rows = "SELECT i::BIGINT AS v FROM range(100000) AS r(i)";
    const orders = (salt: string) => query(`SELECT h FROM (${ordered(rows, [VALUE], salt)}) ORDER BY v`);
    const [one, two] = await Promise.all([orders(KEY), orders("b5".repeat(32))]);
    // 100,000 of 2³¹ values: about 2.3 pairs collide; 20 and more have probability below 10⁻¹¹.
    expect(new Set(one.map(([h]) => h)).size).toBeGreaterThan(100_000 - 20);
    expect(one.every(([h], index) => h === two[index]?.[0])).toBe(false);
    for (let bit = 0; bit < ORDER_BITS; bit++) {
      const set = one.filter(([h]) => (BigInt(h as bigint) >> BigInt(bit)) & 1n).length;
      expect(Math.abs(set - 50_000)).toBeLessThan(6 * Math.sqrt(25_000));
    }
  });
});
