import { reveal } from "@dosimeter/core/exact";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { questions } from "../../../query/src/audit/people.ts";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Plan } from "../../../query/src/statistics/request.ts";
import { duckdbUnderTest } from "../duckdb/under-test.kit.ts";
import { postgresUnderTest } from "../postgres/under-test.kit.ts";
import { ofMadeUp, people, sameIntegersKit } from "./same-integers.kit.ts";
import { fixed, sampleKit } from "./sample.kit.ts";
import type { EngineUnderTest, Row } from "./under-test.kit.ts";

sampleKit("PostgreSQL", postgresUnderTest);

test("a database's table that has another number of rows than was declared is not sampled [M128]", async () => {
  const under = await postgresUnderTest();
  try {
    const held = Array.from({ length: 5 }, (_, age) => ({ person: `p${age}`, age }));
    const source = await under.store({ person: "VARCHAR", age: "BIGINT" }, held);
    const declaration = checkDeclaration({ ...fixed, source });
    const version = await under.engine.check({ ...declaration, size: { public: 5 } }, { salt: "3c".repeat(32) });
    const run = (size: number) => {
      const plan: Plan = { sample: { size: 3 }, statistics: [{ statistic: "count", epsilon: 1 }] };
      return under.engine.run(boundPlan(plan, { ...declaration, size: { public: size } }), version);
    };
    expect(reveal(await run(5))).toEqual([[3n]]);
    await expect(run(6)).rejects.toMatchObject({ code: "ENGINE_FAILED" });
  } finally {
    await under.close();
  }
});

describe("both engines", () => {
  let duck: EngineUnderTest;
  let postgres: EngineUnderTest;
  beforeAll(async () => {
    [duck, postgres] = await Promise.all([duckdbUnderTest("parquet", 2), postgresUnderTest()]);
  });
  afterAll(() => Promise.all([duck.close(), postgres.close()]));

  sameIntegersKit(() => [duck, postgres], { runs: 30, parts: 2 });

  test("add up over shards in which every person is in one", async () => {
    const rows: readonly Row[] = Array.from({ length: 300 }, (_, index) => ({
      person: `p${index % 37}`,
      region: ["a", "b", "c", "d"][index % 4] ?? "a",
      age: index % 11,
      pay: (index % 41) / 4 - 4,
      member: index % 3 === 0,
    }));
    const shared = ["distinctUnits", "distinctValues"];
    const plan: Plan = { statistics: questions(["region"]).filter(({ statistic }) => !shared.includes(statistic)) };
    const whole = await ofMadeUp(duck, rows, plan, people({ rows: 4, groups: 2 }));
    const shards = await Promise.all(
      [0, 1, 2].map((shard) =>
        ofMadeUp(
          shard === 1 ? postgres : duck,
          rows.filter(({ person }) => Number(String(person).slice(1)) % 3 === shard),
          plan,
          people({ rows: 4, groups: 2 }),
        ),
      ),
    );
    const sums = whole.map((vector, index) =>
      vector.map((_, cell) => shards.reduce((sum, each) => sum + (each[index]?.[cell] ?? 0n), 0n)),
    );
    expect(sums).toEqual(whole);
  });

  test("case 16: rows that a join repeats count no further than the bound", async () => {
    const once: readonly Row[] = ["p1", "p2", "p3"].map((person) => ({
      person,
      region: "a",
      age: 5,
      pay: 1,
      member: true,
    }));
    const many = Array.from({ length: 50 }, () => once).flat();
    const plan: Plan = {
      statistics: [
        { statistic: "count", epsilon: 1 },
        { statistic: "sum", column: "age", epsilon: 1 },
      ],
    };
    for (const under of [duck, postgres])
      expect(await ofMadeUp(under, many, plan, people({ rows: 4 }))).toEqual([[12n], [60n]]);
  });
});
