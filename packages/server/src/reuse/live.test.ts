import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import type { Plan } from "@dosimeter/query/statistics";
import { expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { refuseEarlierJoin } from "./live.ts";

const visits = checkDeclaration({
  name: "visits",
  source: { csv: "visits.csv" },
  privacyUnit: { column: "who" },
  contribution: { rows: 5 },
  columns: { who: { type: "integer" } },
});
const people = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: { column: "person" },
  contribution: { rows: 1 },
  columns: { person: { type: "integer" }, age: { type: "integer", lower: 0, upper: 100 } },
});
const declared = { ...people, joinable: { d2: { version: 1, declaration: visits } } };
const bounded = (column: string) => {
  const join = { dataset: "d2", version: 1, columns: { n: { take: "count", lower: 0, upper: 9 } } } as const;
  const plan: Plan = { join, statistics: [{ statistic: "sum", column, epsilon: 1 }] };
  return boundPlan(plan, declared);
};
const database = { postgres: { connection: "main", schema: "public", table: "people" } } as never;

test("no rows are drawn from an earlier version of a joined table that stays in its database", () => {
  expect(() => refuseEarlierJoin(bounded("n"), database, 2)).toThrow(
    /^join\.version is 1, must be answers that were released then/,
  );
  refuseEarlierJoin(bounded("n"), database, 1);
  refuseEarlierJoin(bounded("age"), database, 2);
  // The rows of files are kept.
  refuseEarlierJoin(bounded("n"), people.source, 2);
});

const fixture = fixtureOf();

const mean = { id: "pay", statistic: "mean", column: "salary", groupBy: ["sex"], epsilon: "0.1" } as const;
const bySex = { id: "sex", statistic: "count", groupBy: ["sex"], epsilon: "0.5" } as const;

test("a quote's group size is the declared one, until a count of the groups is there that the asker may read [M386]", async () => {
  const { as, dataset, memberAccount: account } = fixture;
  const quoted = async () => {
    const { statistics } = await as.member.quotePlan({ dataset, account, people: 400, plan: { statistics: [mean] } });
    return statistics[0]?.accuracy;
  };
  const groups =
    (await as.member.quotePlan({ dataset, account, plan: { statistics: [bySex] } })).statistics[0]?.cells ?? 0;
  expect(await quoted()).toMatchObject({ groupSize: { rows: 400 / groups, from: "assumed", by: null } });
  const key = { idempotencyKey: "sizes" };
  const { answers } = await as.member.releaseAndWait({ dataset, account, plan: { statistics: [bySex] } }, key);
  const accuracy = await quoted();
  expect(accuracy?.groupSize).toMatchObject({ from: "release", by: "count by sex" });
  const least = Math.min(...(answers?.[0]?.cells ?? []).map(({ value }) => value));
  expect(accuracy?.groupSize?.rows).toBeLessThanOrEqual(Math.max(0, least));
  expect(accuracy?.assumes).toMatch(
    /^if each group has at least (?:1 person|\d+ people), as the earlier count by sex says/,
  );
  // Where rows without a declared value may be, the answer says that they are in no group.
  expect(answers?.[0]?.notes).toContain("Rows without a declared value of sex are in no group.");
});
