import { laplaceSampler } from "@dosimeter/core/internal";

/** Discrete Laplace noise of scale 1/ε as releases draw it, from the browser's own generator; ε to a thousandth. */
export function drawNoise(epsilon: number, count: number): readonly number[] {
  const draw = laplaceSampler({ numerator: 1000n, denominator: BigInt(Math.round(1000 * epsilon)) });
  const word = new Uint32Array(1);
  const random = { uint32: () => crypto.getRandomValues(word)[0] ?? 0 };
  return Array.from({ length: count }, () => Number(draw(random)));
}
