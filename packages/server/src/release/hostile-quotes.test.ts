import type { Plan } from "@dosimeter/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { usualRates } from "../access/rates.ts";
import { buildFixture, csvBytes, type Fixture, openTestInstance } from "../instance.kit.ts";

let fixture: Fixture;
let dataset = "";
let account = "";
beforeAll(async () => {
  const unhurried = { burst: 1e9, perMinute: 1e9 };
  const rates = { ...usualRates, request: unhurried, anonymous: unhurried, quote: { burst: 600, perMinute: 1e-3 } };
  fixture = await buildFixture(await openTestInstance({ rates }));
  const { as, people } = fixture;
  const categories = Array.from({ length: 1000 }, (_, i) => `c${i}`);
  const { id: file } = await as.datasetAdmin.uploadFile({ name: "wide.csv", content: csvBytes("p,c,n\n1,c1,5\n") });
  const declaration = {
    name: "wide",
    source: { csv: "wide.csv" },
    privacyUnit: { column: "p" },
    adjacency: "addRemove",
    contribution: { rows: 1 },
    columns: {
      p: { type: "integer", provenance: "public" },
      c: { type: "category", categories, provenance: "public" },
      n: { type: "integer", lower: 0, upper: 100, provenance: "public" },
    },
  } as const;
  dataset = (await as.datasetAdmin.createDataset({ file, declaration })).id;
  const { id: ledger } = await as.datasetAdmin.openLedger({ dataset, epsilon: "5", delta: "1e-6" });
  const holder = { kind: "person", id: people.member } as const;
  account = (await as.datasetAdmin.createAccount({ ledger, holder, epsilon: "1" })).id;
  for (const epsilon of ["0.001", "0.002"])
    await as.member.releaseAndWait({ dataset, account, plan: wide(1, epsilon) });
});
afterAll(() => fixture.instance.close());

const wide = (rows: number, epsilon: string): Plan => ({
  statistics: Array.from({ length: rows }, (_, i) => ({ id: `s${i}`, statistic: "count", groupBy: ["c"], epsilon })),
});

test("a quote of many answers lets others through, and looks for earlier ones for the first of them only", async () => {
  const { member } = fixture.as;
  // The thread's own time: other programs may stop it for any while.
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return user + system;
  };
  let turns = 0;
  let isOver = false;
  let longest = 0;
  const watch = async () => {
    for (let at = used(); !isOver; turns += 1) {
      await new Promise((resume) => setImmediate(resume));
      longest = Math.max(longest, used() - at);
      at = used();
    }
  };
  const started = used();
  const watching = watch();
  // Not the same question as the earlier ones: with them, as a sum of parts.
  const plan = wide(60, "0.003");
  const quoted = await member.quotePlan({ dataset, account, plan, people: 1000 });
  isOver = true;
  await watching;
  expect(turns, "each row is a step of its own").toBeGreaterThan(60);
  expect(longest).toBeLessThan((used() - started) / 3);
  expect(quoted.statistics[0]?.reuse.offers.length).toBeGreaterThan(0);
});

test("a plan of more answers than are searched says so where it looked for nothing else", async () => {
  const { member } = fixture.as;
  const statistics = Array.from({ length: 22 }, (_, i) => ({
    id: `s${i}`,
    statistic: "count" as const,
    groupBy: ["c"],
    epsilon: "0.003",
    where: { column: "n", op: ">", value: i },
  }));
  const plan = { statistics } as unknown as Plan;
  const { statistics: rows } = await member.quotePlan({ dataset, account, plan });
  const notes = rows.map(({ reuse }) => reuse.note ?? "");
  expect(notes.findIndex((note) => note.includes("too many answers at once"))).toBe(20);
});

test("quotes count by the cells that they have", async () => {
  const { datasetAdmin: caller } = fixture.as;
  const codes: string[] = [];
  for (let n = 0; n < 4; n += 1)
    codes.push(
      await caller.quotePlan({ dataset, account, plan: wide(199, "0.004"), reuse: "never" }).then(
        () => "quoted",
        ({ code }) => code,
      ),
    );
  expect(codes).toEqual(["quoted", "quoted", "quoted", "RATE_LIMITED"]);
  expect((await fixture.as.auditor.me()).person.name, "another person").toBe("auditor");
});
