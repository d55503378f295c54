import { describe, expect, test } from "vitest";
import { compose } from "./compose.ts";
import type { TradeoffFunction } from "./curve.ts";
import { epsdelta } from "./epsdelta.ts";
import { estEpsdelta, estGdp, gdpToEpsdelta } from "./estimate.ts";
import { gdp } from "./gdp.ts";
import { fromFunction } from "./given.ts";
import { expectClose, golden, real } from "./golden.kit.ts";
import { lap } from "./lap.ts";
import { leastDelta, leastEpsilon, leastMu } from "./least.ts";
import type { PointsInput } from "./points.ts";

interface Columns {
  readonly alpha: readonly number[];
  readonly beta: readonly number[];
}
interface Estimates {
  readonly est_gdp: readonly {
    input: string;
    points: Columns | null;
    dp: number;
    mu_exact_on_points: number | string;
    mu_exact_continuous?: number | string;
  }[];
  readonly est_epsdelta: readonly {
    input: string;
    points: Columns | null;
    fixed: "epsilon" | "delta";
    given: number;
    dp: number;
    on_points: number | string;
    continuous?: number | string;
  }[];
}
const estimates = golden<Estimates>("fdp-estimates.json");

const grid = Array.from({ length: 101 }, (_, i) => i / 100);
const curves: Readonly<Record<string, TradeoffFunction | PointsInput>> = {
  "gdp(1)": gdp(1),
  "gdp(0.5)": gdp(0.5),
  "gdp(2)": gdp(2),
  "lap(1)": lap(1),
  "lap(1.5)": lap(1.5),
  "lap(3)": lap(3),
  "epsdelta(1)": epsdelta(1),
  "epsdelta(1,0.05)": epsdelta(1, 0.05),
  one_minus_alpha: grid.map((a) => 1 - a),
  quad: grid.map((a) => (1 - a) ** 2),
  sqrt_fn: grid.map((a) => (1 - Math.sqrt(a)) ** 2),
};

/** At least the exact minimum, and within one unit of the last digit of it. */
function expectOutward(got: number, exact: number, digits: number): void {
  if (exact === Number.POSITIVE_INFINITY) expect(got).toBe(exact);
  else {
    expect(got).toBeGreaterThanOrEqual(exact * (1 - 4e-16) - 4e-16);
    expect(got).toBeLessThanOrEqual((exact + 10 ** -digits) * (1 + 1e-12));
  }
}

const named = estimates.est_gdp.filter(({ input, points }) => points !== null || input in curves);
test.each(named)("estGdp($input, digits $dp)", (row) => {
  const exact = real(row.mu_exact_continuous ?? row.mu_exact_on_points);
  expectOutward(estGdp(row.points ?? curves[row.input]!, { digits: row.dp }).mu, exact, row.dp);
});

test.each(estimates.est_epsdelta)("estEpsdelta($input, $fixed $given, digits $dp)", (row) => {
  const x = row.points ?? curves[row.input]!;
  const exact = real(row.continuous ?? row.on_points);
  const got =
    row.fixed === "delta"
      ? estEpsdelta(x, { delta: row.given, digits: row.dp }).epsilon
      : estEpsdelta(x, { epsilon: row.given, digits: row.dp }).delta;
  expectOutward(got, exact, row.dp);
});

interface Conversion {
  readonly mu: number;
  readonly epsilon: number;
  readonly dp: number | null;
  readonly delta_exact: number;
}
const { gdp_to_epsdelta: conversions } = golden<{ gdp_to_epsdelta: readonly Conversion[] }>("fdp-curves.json");
test.each(conversions)("gdpToEpsdelta($mu, $epsilon, digits $dp)", ({ mu, epsilon, dp, delta_exact }) => {
  if (dp === null) expectClose(gdpToEpsdelta(mu, epsilon).delta, delta_exact, 5e-14);
  else expectOutward(gdpToEpsdelta(mu, epsilon, { digits: dp }).delta, delta_exact, dp);
});

describe("estimates of a family return its own parameter", () => {
  const values = Array.from({ length: 100 }, (_, i) => (i + 1) / 20);
  test.each(values)("%d", (x) => {
    expect(estGdp(gdp(x)).mu).toBe(x);
    expect(estEpsdelta(epsdelta(x), { delta: 0 }).epsilon).toBe(x);
  });
  test("perfect privacy is 0", () => {
    for (const curve of [gdp(0), lap(0), epsdelta(0)]) {
      expect(estGdp(curve).mu).toBe(0);
      expect(estEpsdelta(curve, { delta: 0 }).epsilon).toBe(0);
      expect(estEpsdelta(curve, { epsilon: 0 }).delta).toBe(0);
    }
    expect(estGdp(curves.one_minus_alpha!).mu).toBe(0);
    expect(estEpsdelta(curves.one_minus_alpha!, { delta: 0 }).epsilon).toBe(0);
  });
});

test("estimates hold on the continuum, not on a grid of 101 points", () => {
  expect(estGdp(lap(9)).mu).toBe(5.08);
  expect(estGdp(lap(12)).mu).toBe(6.06);
  expect(estGdp(lap(1.5), { digits: 4 }).mu).toBe(1.4373);
  expect(estEpsdelta(gdp(1), { delta: 1e-5 }).epsilon).toBe(4.38);
  expect(estEpsdelta(gdp(2), { delta: 1e-5 }).epsilon).toBe(10);
  expect(estEpsdelta(gdp(3), { delta: 1e-5 }).epsilon).toBe(16.68);
  expect(estEpsdelta(gdp(0.5), { epsilon: 2, digits: 6 }).delta).toBe(1e-5);
  expect(estEpsdelta(epsdelta(1), { delta: 1e-5 }).epsilon).toBe(1);
});

test("documented examples of the R package", () => {
  const manual = { beta: [1, 0.93, 0.87, 0.72, 0.43, 0], alpha: [0, 0.05, 0.1, 0.25, 0.5, 1] };
  expect(estGdp(manual).mu).toBe(0.18);
  expect(estGdp(manual, { digits: 3 }).mu).toBe(0.177);
  expect(estGdp(manual, { digits: 5 }).mu).toBe(0.17638);
  expect(estEpsdelta(manual, { epsilon: 1 }).delta).toBe(0);
});

test("Gaussians that compose to a short decimal are that decimal", () => {
  expect(estGdp(compose([gdp(0.6), gdp(0.8)])).mu).toBe(1);
  expect(estGdp(compose([gdp(3), gdp(4)]), { digits: 0 }).mu).toBe(5);
});

test("nine digits and more", () => {
  expect(estGdp(lap(1), { digits: 9 }).mu).toBe(1.030063998);
  expect(estGdp(lap(1), { digits: 12 }).mu).toBe(1.030063997625);
  expect(leastMu(lap(1))).toBeCloseTo(1.030063997624434, 14);
});

test("refuses both ε and δ, neither, and bad digits", () => {
  const both = { epsilon: 1, delta: 0.9 } as unknown as { epsilon: number };
  expect(() => estEpsdelta(gdp(1), both)).toThrow("exactly one");
  expect(() => estEpsdelta(gdp(1), {} as unknown as { epsilon: number })).toThrow("exactly one");
  for (const digits of [-1, 2.5, 16, Number.NaN]) expect(() => estGdp(gdp(1), { digits })).toThrow("digits");
  expect(() => estEpsdelta(gdp(1), { delta: 1.5 })).toThrow("delta is 1.5");
  expect(() => estEpsdelta(gdp(1), { epsilon: -1 })).toThrow("epsilon is -1");
});

test("where no guarantee exists the answer is infinite", () => {
  expect(estGdp(epsdelta(1, 0.05)).mu).toBe(Number.POSITIVE_INFINITY);
  expect(estEpsdelta(epsdelta(1, 0.05), { delta: 0.01 }).epsilon).toBe(Number.POSITIVE_INFINITY);
  expect(estEpsdelta(gdp(1), { delta: 0 }).epsilon).toBe(Number.POSITIVE_INFINITY);
});

test("huge ε and tiny δ stay exact", () => {
  expect(leastEpsilon(epsdelta(1e6), 0)).toBe(1e6);
  expect(leastDelta(epsdelta(1e6, 1e-300), 2e6)).toBe(1e-300);
  expect(leastEpsilon(gdp(1), 1e-300)).toBeCloseTo(37.5, 0);
});

test("estimates of huge losses stay finite, and those of functions see past a grid", () => {
  expect(leastMu(epsdelta(800))).toBeCloseTo(2 * 39.86, 0);
  expect(leastMu(lap(2000))).toBeGreaterThan(80);
  const root = fromFunction((a) => (1 - Math.sqrt(a)) ** 2);
  expect(leastMu(root)).toBeGreaterThan(1.4477);
});
