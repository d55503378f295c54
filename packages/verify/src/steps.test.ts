import { expect, test } from "vitest";
import type { Blocks } from "./blocks.ts";
import type { Row } from "./export.ts";
import { priceOf } from "./price.ts";
import { followSteps, squaresOf } from "./steps.ts";

const MU2 = 10_000_000_000n;
const monthly: Blocks = { every: "month", zone: "UTC" };
const names = ["2024-01", "2024-01 to 2024-02", "2024-01 to 2024-03"];
const SQUARES = squaresOf(4);

/** Noise that takes its column's part of the first step's μ², rounded up. */
const paying = (step: number, mu2 = MU2): readonly object[] => {
  const [part = 0n, all = 1n] = [SQUARES[5 - step], SQUARES[4]];
  const cost = (mu2 * part + all - 1n) / all;
  return [{ kind: "gaussian", noiseMultiplier: String((1 + 1e-15) / Math.sqrt(Number(cost) / 1e12)) }];
};

/** The first three of four steps. */
const steps = names.map((read, at) => ({
  ...{ id: `charge_${at + 1}` as string | null, account: "a", dataset: "d", events: paying(at + 1) },
  request: {
    plan: { horizon: 4, statistics: [0], window: { blocks: [read] } } as object,
    window: { blocks: [read] },
    continues: names.slice(0, at).map((_, one) => `charge_${one + 1}`),
  } as Readonly<Record<string, unknown>> | string,
  ranges: [{ from: 648 + at, to: 648 + at }],
}));
type Made = (typeof steps)[number] & { readonly quotes?: readonly Row[] };
const [one, two, three] = steps as [Made, Made, Made];

const asked = ({ request }: Made): Readonly<Record<string, unknown>> => (typeof request === "string" ? {} : request);

function problems(made: readonly (Made | "write-off")[], blocks: Blocks | null = monthly): readonly string[] {
  const found: string[] = [];
  const follower = followSteps(blocks);
  for (const step of made) {
    if (step === "write-off") {
      follower.writeOff();
      continue;
    }
    const { id, account, dataset, request, events, ranges } = step;
    const text = typeof request === "string" ? request : JSON.stringify(request);
    const entry = { charge_id: id, account_id: account, dataset_id: dataset, request: text };
    const price = { ...priceOf(events, "addRemove", { mayRepeat: () => true }), quotes: step.quotes ?? [] };
    follower.charge(entry, { events, ranges, price }, (problem) => found.push(`${id} ${problem}`));
  }
  return found;
}

test("steps whose blocks were paid for pass, and so do charges that are none [M209]", () => {
  expect(problems(steps)).toEqual([]);
  const { continues: _, ...first } = asked(one);
  expect(problems(["write-off", { ...one, request: first }, two])).toEqual([]);
  expect(problems([{ ...one, request: { plan: { statistics: [] } } }], null)).toEqual([]);
  expect(problems([one, { ...one, id: "charge_9", account: "b" }])).toEqual([]);
});

const unpaid = "reads a block that no step before it has paid for";
const other = (step: Made, change: object): Made => ({ ...step, request: { ...asked(step), ...change } });
/** Gaussian noise of which most rows are left out: it may take less than the noise alone does. */
const sampled = ({ events }: Made) => events.map((event) => ({ kind: "poissonSampled", rate: "0.01", event }));
const cheap = paying(1, MU2 / 100n);

test.each<[string, readonly (Made | "write-off")[], readonly string[]]>([
  ["one before it is gone", [one, three], [`charge_3 ${unpaid}`]],
  ["one before it comes later", [two, one], [`charge_2 ${unpaid}`]],
  ["the first is gone", [two, three], [`charge_2 ${unpaid}`]],
  ["one before it is of another account", [one, { ...two, account: "b" }], [`charge_2 ${unpaid}`]],
  ["one before it is of another dataset", [one, { ...two, dataset: "b" }], [`charge_2 ${unpaid}`]],
  ["it has another plan", [one, other(two, { plan: { horizon: 4, statistics: [1] } })], [`charge_2 ${unpaid}`]],
  ["it names others", [one, two, other(three, { continues: ["charge_9", "charge_2"] })], [`charge_3 ${unpaid}`]],
  [
    "it names what is no charge",
    [one, other(two, { continues: [{ toString: 1, valueOf: 1 }] })],
    [`charge_2 ${unpaid}`],
  ],
  ["it names one as a list", [one, other(two, { continues: [["charge_1"]] })], [`charge_2 ${unpaid}`]],
  ["it names none", [one, other(two, { continues: [] })], ["charge_2 reads other blocks than those so far"]],
  [
    "it leaves one out",
    [one, two, other(three, { continues: ["charge_2"], window: { blocks: ["2024-02 to 2024-03"] } })],
    [`charge_3 ${unpaid}`],
  ],
  ["it reads more", [one, other(two, { window: { blocks: [names[2]] } })], ["charge_2 reads other blocks"]],
  ["it pays elsewhere", [one, { ...two, ranges: three.ranges }], ["charge_2 reads other blocks", unpaid]],
  ["it pays for two", [one, { ...two, ranges: [{ from: 648, to: 649 }] }], ["charge_2 pays for other blocks"]],
  ["it pays for none", [{ ...one, ranges: [] }], ["charge_1 pays for other blocks than its newest one"]],
  ["it pays too little", [one, { ...two, events: paying(3) }], ["charge_2 has another price than its part"]],
  ["the first paid too little", [{ ...one, events: paying(2) }, two], ["charge_2 has another price than its part"]],
  [
    "it reads what it did not pay for, as no step",
    [one, other(two, { continues: undefined, plan: {} })],
    ["charge_2 reads other blocks than it pays for"],
  ],
  [
    "a plan does not say what it reads",
    [{ ...one, request: { plan: { statistics: [] } } }],
    ["charge_1 reads other blocks than it pays for"],
  ],
  [
    "its plan reads what it did not pay for",
    [{ ...one, request: { plan: { window: "latest 2" } } }],
    ["charge_1 reads other blocks"],
  ],
  ["it pays by ε", [{ ...one, events: [{ kind: "pure", epsilon: "1" }] }], ["charge_1 has another price"]],
  [
    "it has fewer events",
    [one, { ...two, events: [] }],
    ["charge_2 has another price than its part of the first step"],
  ],
  [
    "it has no events",
    [
      { ...one, events: [] },
      { ...two, events: [] },
    ],
    ["charge_1 has another price", "charge_2 has another price"],
  ],
  [
    "it pays for a sample",
    [{ ...one, events: sampled(one) }],
    ["charge_1 has another price than its part of the first step"],
  ],
  ["all pay for samples", [one, { ...two, events: sampled(one) }], ["charge_2 has another price than its part"]],
  ["it has a price for its plan", [{ ...one, quotes: [{}] }], ["charge_1 has a price for its plan"]],
  ["it has no id", [{ ...one, id: null }], ["null has no id"]],
  ["it has the id of another", [one, { ...two, id: "charge_1" }], ["charge_1 has the id of another charge"]],
  [
    "a cheap one without an id would be before the first",
    [{ ...one, id: null, account: "b", events: cheap }, one, { ...two, events: paying(2, MU2 / 100n) }],
    ["null has no id", "charge_2 has another price than its part of the first step"],
  ],
  ["a charge that is no step has the id of one", [one, { ...one, request: {} }], ["charge_1 has the id of another"]],
  ["its request is no JSON", [{ ...one, request: "{" }], ["charge_1 has a request that is no JSON"]],
  ["it is made twice", [one, two, { ...two, id: "charge_9" }], ["charge_9 is a second step of the same block"]],
  ["something was written off", [one, "write-off", two], ["charge_2 goes on after a write-off"]],
  ...[1, 2.5, 1e15, null, "4"].map((horizon): [string, readonly Made[], readonly string[]] => {
    const plan = { horizon, statistics: [0] };
    return [
      `it goes on for ${horizon} months`,
      [other(one, { plan }), other(two, { plan })],
      ["charge_2 has another price"],
    ];
  }),
])("where %s, it is said", (_, made, said) => {
  const found = problems(made).join("; ");
  for (const problem of said) expect(found).toContain(problem);
});

test.each([null, { ...monthly, protects: "person" }])("nothing goes on in blocks that are no periods: %o", (blocks) => {
  expect(problems([one], blocks)).toEqual(["charge_1 goes on in blocks that are no periods"]);
});
