import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { epsdelta } from "../../../tradeoff/src/epsdelta.ts";
import { gdp } from "../../../tradeoff/src/gdp.ts";
import { lap } from "../../../tradeoff/src/lap.ts";
import type { DpEvent } from "../event.ts";
import { agentReport } from "./as-published/agent.ts";
import { calibrate } from "./calibrate.ts";
import { howManyMore } from "./count.ts";
import { lossFacts, pureRenyi } from "./facts.ts";
import { gdpEpsilon } from "./gdp.ts";
import { groupPrivacy, groupRho } from "./group.ts";
import type { Method } from "./loss.ts";
import { type GoldenValue, goldenTotals } from "./reference.kit.ts";
import { totalLoss } from "./report.ts";
import { amplifyBySampling, functioningLoss } from "./sampling.ts";
import { readSpends } from "./spends.ts";
import { studyCount, studyFilters } from "./study-filter.kit.ts";
import { rhoOfPure } from "./zcdp.ts";

const { values } = JSON.parse(
  readFileSync(new URL("../../../../test/golden/accounting.json", import.meta.url), "utf8"),
) as { readonly values: readonly GoldenValue[] };
const totals = goldenTotals(values);

/** Half an ulp either way: a golden value is itself rounded to a double. */
const ROUNDED = 2 ** -52;

test("the golden file covers every kind of total", () => {
  expect(totals.length).toBeGreaterThan(60);
});

test.each(totals.map((total) => [total.id, total.method, total] as const))(
  "%s by %s is never below the truth, nor above its tolerance",
  (_id, method, total) => {
    const loss = totalLoss(total.events, total.question, method);
    const got = "delta" in total.question ? loss.epsilon : loss.delta;
    expect(got).toBeGreaterThanOrEqual(total.value * (1 - ROUNDED));
    expect(got).toBeLessThanOrEqual(total.value * (1 + total.tolerance));
    if (loss.lower !== undefined) expect(loss.lower).toBeLessThanOrEqual(total.value * (1 + ROUNDED));
  },
);

const covered = new Set(totals.map(({ id }) => id));

function named(category: string, has: (golden: GoldenValue) => boolean = () => true): readonly [string, GoldenValue][] {
  const found = values.filter((golden) => golden.category === category && has(golden));
  for (const { id } of found) covered.add(id);
  return found.map((golden) => [golden.id, golden]);
}

function expectUpper(got: number, { value, tolerance }: GoldenValue): void {
  expect(got).toBeGreaterThanOrEqual(value * (1 - ROUNDED));
  expect(got).toBeLessThanOrEqual(value * (1 + tolerance.rel));
}

test.each(named("zcdp", ({ quantity }) => quantity === "rho"))("%s", (id, golden) => {
  const { eps } = golden.inputs;
  const rho = id.startsWith("laplace") ? lossFacts({ kind: "laplace", noiseMultiplier: 1 / eps }).rho : rhoOfPure(eps);
  expect(Math.abs(rho / golden.value - 1)).toBeLessThanOrEqual(golden.tolerance.rel);
});

test.each(named("rdp", ({ quantity }) => quantity === "rdp"))("%s", (id, golden) => {
  const { alpha, eps, q, sigma } = golden.inputs;
  const lambda = alpha - 1;
  const renyi = id.startsWith("rdp-rr")
    ? pureRenyi(eps, lambda)
    : lossFacts(
        id.startsWith("rdp-lap")
          ? { kind: "laplace", noiseMultiplier: 1 / eps }
          : { kind: "poissonSampled", rate: q, event: { kind: "gaussian", noiseMultiplier: sigma } },
      ).renyi(lambda);
  expect(Math.abs(renyi / lambda / golden.value - 1)).toBeLessThanOrEqual(golden.tolerance.rel);
});

test.each(named("rdp", ({ id }) => id.startsWith("rdp2dp")))("%s", (id, golden) => {
  const { alpha, rdp, delta } = golden.inputs;
  const { epsilon } = totalLoss([{ kind: "rdp", order: alpha, epsilon: rdp }], { delta }, "rdp");
  if (id === "rdp2dp-cks") expectUpper(epsilon, golden);
  // The first conversion there was: never below the tight one.
  else expect(epsilon).toBeLessThan(golden.value);
});

test.each(named("analytic-gaussian"))("%s: the returned sigma is enough, and no more", (_id, golden) => {
  const { eps, delta, l2_sensitivity } = golden.inputs;
  const { value } = calibrate({ kind: "gaussian" }, { epsilon: eps, delta });
  expectUpper(value * l2_sensitivity, golden);
});

test.each(named("calibration"))("%s", (id, golden) => {
  const { q, k, eps, delta } = golden.inputs;
  const noise = { kind: id === "cal-lap" ? "laplace" : "gaussian" };
  const event = id === "cal-sg" ? { kind: "poissonSampled", rate: q, event: noise } : noise;
  expectUpper(calibrate({ kind: "repeated", count: k, event }, { epsilon: eps, delta }).value, golden);
});

test.each(named("pld-subsampled-laplace"))("%s", (_id, golden) => {
  const { eps0, q, epsilon } = golden.inputs;
  const event: DpEvent = { kind: "poissonSampled", rate: q, event: { kind: "laplace", noiseMultiplier: 1 / eps0 } };
  expectUpper(totalLoss([event], { epsilon }, "pld").delta, golden);
});

test.each(named("basic", ({ id }) => id.endsWith("d")))("%s: δ's added", (_id, golden) => {
  const events = (golden.inputs.spends as [number, number, number][]).map(
    ([epsilon, delta, count]): DpEvent => ({
      kind: "repeated",
      count,
      event: delta === 0 ? { kind: "pure", epsilon } : { kind: "approximate", epsilon, delta },
    }),
  );
  expect(readSpends(events).deltaSum).toBe(golden.value);
});

test.each(named("tradeoff"))("%s", (id, golden) => {
  const { eps, delta, mu, alpha } = golden.inputs;
  const curve = id.startsWith("tof-ed") ? epsdelta(eps, delta) : id.startsWith("tof-gdp") ? gdp(mu) : lap(eps);
  expect(Math.abs(curve.beta(alpha) / golden.value - 1)).toBeLessThanOrEqual(golden.tolerance.rel);
});

test.each(named("agent"))("%s", (_id, golden) => {
  const { eps, delta_each, k, delta_budget } = golden.inputs;
  const report = agentReport([{ epsilon: eps, delta: delta_each, count: k }], { epsilon: 1, delta: delta_budget });
  const got = golden.quantity === "epsilon" ? report.epsilon : report.delta;
  expect(Math.abs(got / golden.value - 1)).toBeLessThanOrEqual(golden.tolerance.rel);
});

test.each(named("query-count"))("%s", (_id, golden) => {
  const { eps, eps_budget, delta_budget, rule } = golden.inputs;
  const budget = { epsilon: eps_budget, delta: delta_budget };
  const laplace: DpEvent = { kind: "laplace", noiseMultiplier: 1 / eps };
  const [pure, gaussian]: DpEvent[] = [
    { kind: "pure", epsilon: eps },
    { kind: "gdp", mu: eps },
  ];
  const report = (event: DpEvent | undefined, method: Method): number =>
    howManyMore([], event as DpEvent, { ...budget, method });
  const same = Array.from({ length: 700 }, () => eps as number);
  const count = (
    {
      basic: () => report(pure, "basic"),
      "Whitehouse filter (=zCDP eps^2/2, simple conv)": () => studyCount(studyFilters.whitehouse, same, budget),
      "KOV17 Thm3.5": () => report(pure, "advancedLog"),
      "zCDP filter Laplace KL + CKS": () => report(laplace, "zcdp"),
      "GDP filter, pure lift mu=2Phi^-1(e^eps/(1+e^eps))": () => report(pure, "gdp"),
      "GDP filter, Laplace lift mu=-2Phi^-1(e^{-eps/2}/2)": () => report(laplace, "gdp"),
      "RDP filter, best fixed order, pure": () =>
        Math.max(
          ...Array.from({ length: 40 }, (_, i) => studyCount(studyFilters.renyi, same, { ...budget, order: 15 + i })),
        ),
      "PLD exact, pure (non-adaptive params only)": () => report(pure, "pld"),
      "Gaussian mu=0.01: zCDP+CKS": () => report(gaussian, "zcdp"),
      "Gaussian mu=0.01: GDP filter (exact)": () => report(gaussian, "gdp"),
    } as Readonly<Record<string, () => number>>
  )[rule];
  expect(count?.()).toBe(golden.value);
});

test.each(named("secrecy"))("%s", (id, golden) => {
  const { eps, delta = 0, eps_target, m, n } = golden.inputs;
  const frame = { size: m, population: n };
  if (!id.startsWith("sos-inv"))
    expectUpper(amplifyBySampling({ epsilon: eps, delta }, frame)[golden.quantity as "epsilon"], golden);
  else {
    const { epsilon } = functioningLoss({ epsilon: eps_target, delta: 0 }, frame);
    expect(epsilon).toBeLessThanOrEqual(golden.value * (1 + ROUNDED));
    expect(epsilon).toBeGreaterThanOrEqual(golden.value * (1 - golden.tolerance.rel));
  }
});

test.each(named("group"))("%s", (id, golden) => {
  const { eps, delta, g, rho, mu } = golden.inputs;
  const got =
    id === "group-z"
      ? groupRho(rho, g)
      : id === "group-gdp"
        ? gdpEpsilon((g * mu) ** 2, delta)
        : groupPrivacy({ epsilon: eps, delta }, g)[golden.quantity as "delta"];
  expect(Math.abs(got / golden.value - 1)).toBeLessThanOrEqual(golden.tolerance.rel);
});

test("no golden value is left without a test", () => {
  expect(values.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([]);
});
