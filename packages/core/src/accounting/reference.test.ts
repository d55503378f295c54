import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { calibrate } from "./calibrate.ts";
import { lossFacts, pureRenyi } from "./facts.ts";
import { gdpEpsilon } from "./gdp.ts";
import { groupPrivacy, groupRho } from "./group.ts";
import { type GoldenValue, goldenTotals } from "./reference.kit.ts";
import { totalLoss } from "./report.ts";
import { amplifyBySampling, functioningLoss } from "./sampling.ts";
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

const named = (
  category: string,
  has: (golden: GoldenValue) => boolean = () => true,
): readonly [string, GoldenValue][] =>
  values.filter((golden) => golden.category === category && has(golden)).map((golden) => [golden.id, golden]);

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

test.each(named("rdp", ({ id }) => id === "rdp2dp-cks"))("%s", (_id, golden) => {
  const { alpha, rdp, delta } = golden.inputs;
  const { epsilon } = totalLoss([{ kind: "rdp", order: alpha, epsilon: rdp }], { delta }, "rdp");
  expect(epsilon).toBeGreaterThanOrEqual(golden.value * (1 - ROUNDED));
  expect(epsilon).toBeLessThanOrEqual(golden.value * 1.02);
});

test.each(named("analytic-gaussian"))("%s: the returned sigma is enough, and no more", (_id, golden) => {
  const { eps, delta, l2_sensitivity } = golden.inputs;
  const { value } = calibrate({ kind: "gaussian" }, { epsilon: eps, delta });
  expectUpper(value * l2_sensitivity, golden);
});

test.each(named("calibration", ({ id }) => id !== "cal-lap"))("%s", (id, golden) => {
  const { q, k, eps, delta } = golden.inputs;
  const gaussian = { kind: "gaussian" };
  const event = id === "cal-sg" ? { kind: "poissonSampled", rate: q, event: gaussian } : gaussian;
  expectUpper(calibrate({ kind: "repeated", count: k, event }, { epsilon: eps, delta }).value, golden);
});

test.each(named("calibration", ({ id }) => id === "cal-lap"))("%s, to what a lattice can do", (_id, golden) => {
  const { k, eps, delta } = golden.inputs;
  const { value } = calibrate({ kind: "repeated", count: k, event: { kind: "laplace" } }, { epsilon: eps, delta });
  expect(value).toBeGreaterThanOrEqual(golden.value * (1 - ROUNDED));
  expect(value).toBeLessThanOrEqual(golden.value * (1 + 1e-7));
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
