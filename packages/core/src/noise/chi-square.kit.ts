import { logGamma } from "../numeric/special.ts";

/** Chance that a correct sampler fails one test that uses it. Seeds are fixed, so a pass is repeatable. */
export const SIGNIFICANCE = 1e-6;

/** Pr[χ²_freedom > statistic]: the regularised upper incomplete gamma function. */
export function chiSquareTail(statistic: number, freedom: number): number {
  const a = freedom / 2;
  const x = statistic / 2;
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  if (x < a + 1) {
    let [term, sum] = [1 / a, 1 / a];
    for (let n = 1; n < 10_000 && term > sum * 1e-17; n++) {
      term *= x / (a + n);
      sum += term;
    }
    return 1 - front * sum;
  }
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let h = d;
  for (let i = 1; i < 10_000; i++) {
    const an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return front * h;
}

/** p-value of integer draws against an exact pmf; cells with an expected count below 10 are pooled at both ends. */
export function chiSquarePValue(draws: readonly bigint[], pmf: (k: number) => number): number {
  const counts = new Map<number, number>();
  for (const draw of draws) counts.set(Number(draw), (counts.get(Number(draw)) ?? 0) + 1);
  let edge = 0;
  while (draws.length * pmf(edge + 1) >= 10) edge += 1;
  let [statistic, cells, insideMass, insideCount] = [0, 0, 0, 0];
  for (let k = -edge; k <= edge; k++) {
    const expected = draws.length * pmf(k);
    const count = counts.get(k) ?? 0;
    statistic += (count - expected) ** 2 / expected;
    insideMass += pmf(k);
    insideCount += count;
    cells += 1;
  }
  const rest = draws.length * (1 - insideMass);
  if (rest > 5) {
    statistic += (draws.length - insideCount - rest) ** 2 / rest;
    cells += 1;
  }
  return chiSquareTail(statistic, cells - 1);
}
