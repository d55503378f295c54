import { type DpEvent, deltaAmount } from "@dosimeter/core";
import { certified } from "@dosimeter/core/accounting";
import { expect, test } from "vitest";
import type { Row } from "../packages/verify/src/export.ts";
import { sha256 } from "../packages/verify/src/export.ts";
import { repeatLimit } from "../packages/verify/src/price.ts";
import { followPrograms } from "../packages/verify/src/programs.ts";
import { termsOf } from "../packages/verify/src/terms.ts";

const text = (adjacency: string) =>
  JSON.stringify({
    rule: "addition",
    adjacency,
    epsilon: "1",
    delta: "1",
    deltaFilter: "1",
    deltaSelection: "0",
    mu2: "1",
  });

/** What is said of an entry that counts these events for those. */
async function said(
  stated: readonly DpEvent[],
  counted: readonly DpEvent[],
  { adjacency = "addRemove", months = 0, unit = "column" } = {},
): Promise<readonly string[]> {
  const request = JSON.stringify({ declared: { events: stated, relation: "add-or-remove-one" } });
  const ranges = months === 0 ? [] : [{ from: 1, to: months }];
  const window = months === 0 ? "" : `,[[1,${months}]]`;
  const entry = {
    ...{ kind: "charge", account_id: "a", dataset_id: "d", principal_id: "p", key: "k", ledger_id: "l" },
    ...{ request, request_hash: await sha256(`["a","d",${request}${window}]`), events: JSON.stringify(counted) },
  } as unknown as Row;
  const problems: string[] = [];
  const say = (problem: string) => problems.push(problem);
  const blocks = months === 0 ? null : { every: "month", zone: "UTC" };
  const charging = { terms: termsOf(text(adjacency)), quotes: [], ranges, mayRepeat: repeatLimit(say) };
  await followPrograms({ blocks, unit }).charge(entry, charging, say);
  return problems;
}

const LESS = ["counts less than it declares"];
const pure = (epsilon: string): DpEvent => ({ kind: "pure", epsilon });
const gaussian = (noiseMultiplier: string): DpEvent => ({ kind: "gaussian", noiseMultiplier });

test("a charge counts what it declares, twice in a copy with blocks and of several periods [M168] [M390]", async () => {
  const mixed = [pure("1"), gaussian("2")];
  const twice = [pure("2"), gaussian("1")];
  expect(await said(mixed, mixed)).toEqual([]);
  expect(await said(mixed, twice)).toEqual([]);
  expect(await said(mixed, [pure("0.5"), gaussian("2")])).toEqual(LESS);
  expect(await said(mixed, [pure("2")])).toEqual(LESS);
  expect(await said(mixed, mixed, { months: 1 })).toEqual([]);
  expect(await said(mixed, mixed, { months: 2 })).toEqual(LESS);
  expect(await said(mixed, mixed, { months: 2, unit: "row" })).toEqual([]);
  expect(await said(mixed, twice, { months: 2 })).toEqual([]);
  const replace = { adjacency: "replace" };
  expect(await said(mixed, twice, replace)).toEqual([]);
  expect(await said(mixed, twice, { ...replace, months: 2 })).toEqual(LESS);
  expect(await said(mixed, [pure("4"), gaussian("0.5")], { ...replace, months: 2 })).toEqual([]);
});

test("a certified ε is at least what the parts with an ε show of it, and honest ones are [M389]", async () => {
  for (const events of [
    [pure("1"), gaussian("5")],
    [...Array.from({ length: 30 }, () => pure("0.2")), gaussian("5")],
    [{ kind: "repeated", count: 200, event: { kind: "laplace", noiseMultiplier: "10" } }, gaussian("5")],
    [{ kind: "composed", events: [{ kind: "discreteLaplace", scale: 3, sensitivity: 2 }, gaussian("9")] }],
    [{ kind: "poissonSampled", rate: "0.01", event: pure("1") }, gaussian("5")],
  ] as const satisfies readonly (readonly DpEvent[])[])
    for (const delta of ["1e-3", "1e-6", "1e-12"]) {
      const honest = certified(events, deltaAmount(delta, "down"), "addRemove");
      expect(await said(events, [honest])).toEqual([]);
    }
  const approximate = (epsilon: string): DpEvent => ({ kind: "approximate", epsilon, delta: "0.000001" });
  expect(await said([pure("1"), gaussian("5")], [approximate("0.9")])).toEqual(LESS);
  expect(await said([pure("1"), gaussian("5")], [approximate("0.000001")])).toEqual(LESS);
  const many: DpEvent = { kind: "repeated", count: 100, event: pure("0.5") };
  expect(await said([many, gaussian("5")], [approximate("5")])).toEqual(LESS);
});
