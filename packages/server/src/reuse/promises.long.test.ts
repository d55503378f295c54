import type { StatisticRequest } from "@dosimeter/client";
import { present } from "@dosimeter/core/internal";
import { expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { csvBytes } from "../instance.kit.ts";

const fixture = fixtureOf();

const columns = {
  person: { type: "integer" },
  age: { type: "integer", lower: 0, upper: 100 },
  pay: { type: "integer", lower: 0, upper: 1000 },
  sex: { type: "category", categories: ["f", "m"] },
  word: { type: "text" },
} as const;

/** One of each kind that gives something. */
const released: readonly StatisticRequest[] = [
  { statistic: "keyCounts", column: "word", epsilon: "2", delta: "1e-9" },
  { statistic: "distinctUnits", groupBy: ["sex"], epsilon: "0.1" },
  { statistic: "sum", column: "age", epsilon: "0.1" },
  { statistic: "count", column: "age", epsilon: "0.1" },
  { statistic: "count", groupBy: ["sex"], epsilon: "0.1" },
  { statistic: "mean", column: "pay", groupBy: ["sex"], epsilon: "0.1" },
  { statistic: "cdf", column: "age", epsilon: "0.1" },
  { statistic: "standardDeviation", column: "pay", epsilon: "0.1" },
];

const questions: readonly StatisticRequest[] = ["age", "pay", "sex", "word", undefined]
  .flatMap((column) =>
    ["count", "sum", "mean", "variance", "standardDeviation", "median", "quantiles", "interquartileRange"]
      .concat(["quantileInterval", "minimum", "maximum", "histogram", "cdf", "topValues"])
      .flatMap((statistic) => [
        { statistic, column },
        { statistic, column, groupBy: ["sex"] },
      ]),
  )
  .filter(({ column, groupBy }) => column !== "sex" || groupBy === undefined)
  .map(({ column, ...rest }) => ({
    ...rest,
    epsilon: "0.1",
    ...present({ column }),
    ...(rest.statistic === "topValues" ? { k: 1, ...(column === "word" ? { delta: "1e-9" } : {}) } : {}),
  }));

test("the list promises what a quote offers to a fixed set of questions, and no more", async () => {
  const admin = fixture.as.datasetAdmin;
  const rows = Array.from({ length: 400 }, (_, i) => `${i},${i % 90},${i},${i % 3 === 0 ? "f" : "m"},${"ab"[i % 2]}`);
  const content = csvBytes(["person,age,pay,sex,word", ...rows, ""].join("\n"));
  const { id: file } = await admin.uploadFile({ name: "words.csv", content });
  const privacyUnit = { column: "person" };
  const declaration = { name: "words", source: { csv: "words.csv" }, privacyUnit, contribution: { rows: 1 }, columns };
  const { id: dataset } = await admin.createDataset({ file, declaration });
  const { id: ledger } = await admin.openLedger({ dataset, epsilon: "9", delta: "1e-6" });
  const holder = { kind: "person", id: fixture.people.datasetAdmin } as const;
  const { id: account } = await admin.createAccount({ ledger, holder, epsilon: "9" });
  await admin.releaseAndWait({ dataset, account, plan: { statistics: [...released] } });

  const items = (await admin.listReleased({ dataset })).items.filter((item) => item.kind === "released");
  const promised = items.flatMap(({ label, derivable }) => derivable.map((question) => `${label} → ${question}`));
  const offered = new Set<string>();
  for (const question of questions) {
    const asked = { dataset, account, plan: { statistics: [question] } };
    const quoted = await admin.quotePlan(asked).catch(() => null); // the column is not one for this statistic
    for (const { label, reuse } of quoted?.statistics ?? [])
      for (const { kind, from } of reuse.offers)
        if (kind === "derived") for (const source of from) offered.add(`${source.label} → ${label}`);
  }
  expect(promised.toSorted()).toEqual([...offered].toSorted());
  expect(promised).toContain("people for each value of word → most frequent values of word");
  expect(promised).toContain("number of people by sex → most frequent values of sex");
  expect(promised.length).toBeGreaterThan(15);
});
