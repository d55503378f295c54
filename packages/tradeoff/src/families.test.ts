import { describe, expect, test } from "vitest";
import { epsdelta } from "./epsdelta.ts";
import { gdp } from "./gdp.ts";
import { expectClose, golden, real } from "./golden.kit.ts";
import { lap } from "./lap.ts";
import { numberLabel } from "./number-label.ts";

interface Case {
  readonly name: string;
  readonly printed: string;
  readonly alpha: readonly number[];
  readonly beta_exact: readonly number[];
}
interface Curves {
  readonly epsdelta: readonly (Case & { epsilon: number; delta: number; skeletonRows: number })[];
  readonly gdp: readonly (Case & { mu: number })[];
  readonly lap: readonly (Case & { mu: number; skeletonAlpha: readonly number[] })[];
  readonly number_labels: readonly { value: number | string; text: string }[];
}
const curves = golden<Curves>("fdp-curves.json");

test.each(curves.epsdelta)("epsdelta($epsilon, $delta) agrees with mpmath", (row) => {
  const curve = epsdelta(row.epsilon, row.delta);
  expect(curve.label).toBe(row.name);
  expect(curve.toString()).toBe(row.printed);
  for (const [i, alpha] of row.alpha.entries()) expectClose(curve.beta(alpha), real(row.beta_exact[i]!));
  if (row.epsilon < 700) expect(curve.vertices()).toHaveLength(row.skeletonRows);
});

test.each(curves.gdp)("gdp($mu) agrees with mpmath", (row) => {
  const curve = gdp(row.mu);
  expect(curve.label).toBe(row.name);
  expect(curve.toString()).toBe(row.printed);
  for (const [i, alpha] of row.alpha.entries()) expectClose(curve.beta(alpha), real(row.beta_exact[i]!));
});

test.each(curves.lap)("lap($mu) agrees with mpmath", (row) => {
  const curve = lap(row.mu);
  expect(curve.label).toBe(row.name);
  expect(curve.toString()).toBe(row.printed);
  for (const [i, alpha] of row.alpha.entries()) expectClose(curve.beta(alpha), real(row.beta_exact[i]!));
  const alphas = curve.vertices().map(({ alpha }) => alpha);
  expect(alphas).toHaveLength(row.skeletonAlpha.length);
  for (const [i, alpha] of row.skeletonAlpha.entries()) expect(alphas[i]).toBeCloseTo(alpha, 15);
});

test.each(curves.number_labels)("number $value is written $text", ({ value, text }) => {
  expect(numberLabel(real(value))).toBe(text);
});

describe("the far tail of G_μ", () => {
  interface Tail {
    readonly mu: string;
    readonly rows: readonly { alpha: string; beta: string; one_minus_beta: string }[];
  }
  const { gdp_tail_exact_20_digits: tails } = golden<{ gdp_tail_exact_20_digits: readonly Tail[] }>("fdp-beyond.json");
  const rows = tails.flatMap(({ mu, rows }) => rows.map((row) => ({ mu, ...row })));
  test.each(rows)("gdp($mu) at $alpha", ({ mu, alpha, beta, one_minus_beta }) => {
    const curve = gdp(Number(mu));
    // A double cannot hold 1 − 1e-10 better than 1e-6 of its distance from 1: the reference is at the decimal.
    const slack = Number(alpha) > 0.99 ? 1e-5 : 0;
    expectClose(curve.beta(Number(alpha)), Number(beta), Math.max(1e-13, slack));
    expectClose(curve.power(Number(alpha)), Number(one_minus_beta), 2e-14);
    expectClose(curve.logPower(Number(alpha)), Math.log(Number(one_minus_beta)), 1e-13);
  });
});
