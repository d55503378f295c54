import { expect, test } from "vitest";
import { fourierPlan, inverse, transform } from "./fft.ts";

function random(seed: number): () => number {
  let s = seed;
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return s / 2 ** 32 - 0.5;
  };
}

test("agrees with the sum that defines it", () => {
  const next = random(1);
  const size = 64;
  const re = Float64Array.from({ length: size }, next);
  const im = Float64Array.from({ length: size }, next);
  const outRe = Float64Array.from(re);
  const outIm = Float64Array.from(im);
  transform(fourierPlan(size), outRe, outIm);
  for (let k = 0; k < size; k++) {
    let r = 0;
    let m = 0;
    for (let j = 0; j < size; j++) {
      const angle = (-2 * Math.PI * ((j * k) % size)) / size;
      r += (re[j] as number) * Math.cos(angle) - (im[j] as number) * Math.sin(angle);
      m += (re[j] as number) * Math.sin(angle) + (im[j] as number) * Math.cos(angle);
    }
    expect(outRe[k]).toBeCloseTo(r, 12);
    expect(outIm[k]).toBeCloseTo(m, 12);
  }
});

test.each([1, 2, 4, 1024, 65536])("comes back from length %i within rounding", (size) => {
  const next = random(size);
  const re = Float64Array.from({ length: size }, next);
  const im = Float64Array.from({ length: size }, next);
  const r = Float64Array.from(re);
  const m = Float64Array.from(im);
  const plan = fourierPlan(size);
  transform(plan, r, m);
  inverse(plan, r, m);
  let worst = 0;
  for (let i = 0; i < size; i++)
    worst = Math.max(
      worst,
      Math.abs((r[i] as number) - (re[i] as number)),
      Math.abs((m[i] as number) - (im[i] as number)),
    );
  expect(worst).toBeLessThan(4e-15);
});

test("the spectrum of a probability vector stays within the margin that the lattice claims", () => {
  const size = 2 ** 14;
  const ratio = 0.999;
  const re = Float64Array.from({ length: size }, (_, j) => (1 - ratio) * ratio ** j);
  const im = new Float64Array(size);
  transform(fourierPlan(size), re, im);
  for (const k of [0, 1, 17, 4000, 8192]) {
    const angle = (-2 * Math.PI * k) / size;
    const [gap, s] = [1 - ratio + 2 * ratio * Math.sin(angle / 2) ** 2, ratio * Math.sin(angle)];
    const scale = ((1 - ratio) * (1 - ratio ** size)) / (gap ** 2 + s ** 2);
    const error = Math.hypot((re[k] as number) - scale * gap, (im[k] as number) - scale * s);
    expect(error).toBeLessThan(14 * 6 * 2 ** -53);
  }
});
