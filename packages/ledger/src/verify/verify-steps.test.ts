import { columnMu2, type Mu2Amount } from "@dosimeter/core";
import { expect, test } from "vitest";
import { newChargeId } from "../values/id.ts";
import { stepVerifier } from "./verify-steps.ts";

const MU2 = 10_000_000_000n as Mu2Amount;
const names = ["2024-01", "2024-01 to 2024-02", "2024-01 to 2024-03"];

/** The first three of four steps as they are stored. */
const steps = names.map((read, at) => ({
  row: {
    ...{ id: `charge_${at + 1}`, ledger_id: "ledger", account_id: "account", dataset_id: "dataset" },
    request: JSON.stringify({
      plan: { horizon: 4, statistics: [], window: { blocks: [read] } },
      window: { blocks: [read] },
      ...(at === 0 ? {} : { continues: names.slice(0, at).map((_, one) => `charge_${one + 1}`) }),
    }),
    events: JSON.stringify([
      {
        kind: "gaussian",
        noiseMultiplier: String((1 + 1e-15) / Math.sqrt(Number(columnMu2(MU2, { horizon: 4, step: at + 1 })) / 1e12)),
      },
    ]),
  },
  blocks: [{ from: 648 + at, to: 648 + at }],
}));
type Stored = (typeof steps)[number];

function problems(stored: readonly Stored[], writtenOffAt: readonly bigint[] = []): readonly string[] {
  const found: string[] = [];
  const verifier = stepVerifier((_, id, problem) => found.push(`${id} ${problem}`), {
    blocks: new Map([["ledger", { every: "month", zone: "UTC" }]]),
    writeOffs: writtenOffAt.map((seq) => ({ ledger: "ledger", seq })),
  } as never);
  for (const { row, blocks } of stored) verifier.charge(row as never, JSON.parse(row.request), blocks);
  verifier.close();
  return found;
}

const [one, two, three] = steps as [Stored, Stored, Stored];
const edited = (step: Stored, change: Partial<Stored["row"]>): Stored => ({ ...step, row: { ...step.row, ...change } });

test("steps whose blocks were paid for are right [M209]", () => {
  expect(problems(steps)).toEqual([]);
});

test("what is no step says that it reads the blocks that it pays for, unless it has no plan or pays for none [M160]", () => {
  const reading = (request: object, blocks = [{ from: 648, to: 649 }]) =>
    problems([{ blocks, row: { ...one.row, request: JSON.stringify(request) } }]);
  const both = { blocks: ["2024-01 to 2024-02"] };
  const apart = [
    { from: 648, to: 648 },
    { from: 650, to: 650 },
  ];
  for (const request of [
    {},
    { window: both },
    { plan: { window: both } },
    { plan: { window: "latest 2" }, window: both },
  ])
    expect(reading(request), JSON.stringify(request)).toEqual([]);
  expect(reading({ window: { blocks: ["2024-01", "2024-03"] } }, apart)).toEqual([]);
  expect(reading({ plan: {} }, [])).toEqual([]);
  for (const request of [
    { plan: {} },
    { window: { blocks: ["2024-01"] } },
    { window: { blocks: ["2024-01 to 2024-03"] } },
    { window: { blocks: ["2024-01", "2024-02"] } },
    { plan: { window: both }, window: { blocks: ["2024-02"] } },
    { plan: { window: "latest 2" } },
  ])
    expect(reading(request), JSON.stringify(request)).toEqual(["charge_1 reads other blocks than it pays for"]);
  expect(reading({ window: both }, [])).toHaveLength(1);
});

test.each([
  ["one before it is gone", [one, three], "charge_3 reads 2024-02, which no step of it has paid for"],
  ["one before it is of another account", [one, edited(two, { account_id: "other" }), three], "charge_2 reads 2024-01"],
  ["one before it paid elsewhere", [one, { ...two, blocks: one.blocks }, three], "charge_3 reads 2024-02"],
  ["it paid too little", [one, edited(two, { events: three.row.events })], "charge_2 has another price"],
  ["it was made twice", [one, two, edited(two, { id: "charge_9" })], "charge_9 is a second step of the same block"],
  [
    "it has another plan",
    [one, edited(two, { request: two.row.request.replace('"statistics":[]', '"statistics":[1]') })],
    "charge_2 reads 2024-01, which no step of it has paid for",
  ],
  [
    "it reads more",
    [one, edited(two, { request: two.row.request.replaceAll("2024-02", "2024-03") })],
    "charge_2 reads other blocks",
  ],
  [
    "it names none before it",
    [one, edited(two, { request: two.row.request.replace(',"continues":["charge_1"]', "") })],
    "charge_2 reads other blocks than those so far",
  ],
])("where %s, it is said", (_, stored, problem) => {
  expect(problems(stored).join("; ")).toContain(problem);
});

test("a step after what was written off since the first is found", () => {
  const ids = [1n, 2n, 3n].map(newChargeId);
  const named = (text: string): string => text.replace(/charge_(\d)/g, (_, step) => String(ids[step - 1]));
  const own = steps.map((step) => edited(step, { id: named(step.row.id), request: named(step.row.request) }));
  expect(problems(own, [1n, 3n])).toEqual([]);
  expect(problems(own, [2n])).toEqual([`${ids[2]} goes on after a write-off`]);
});
