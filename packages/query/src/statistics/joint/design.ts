import type { NoiseFamily } from "../../plan/bounded.ts";
import type { Axis, Design, Exponents } from "../../plan/task.ts";

const FINE = 1024n;
/** The most bits of a tensor's grids together: their squared product fits 63 bits. */
const TENSOR_BITS = 31;
/** The most bits of a Gram matrix's grids together: a row is one whole number of 63 bits. */
const ROW_BITS = 62;
const MAX_GRAM_BITS = 12;
/** The most columns of one Gram matrix: with more its grids would be too coarse. */
export const MAX_AXES = 6;

/** The cheaper of the two for this many columns: under Laplace noise a tensor up to three, under Gaussian noise up to two. */
export function designOf(columns: readonly Omit<Axis, "steps">[], own: readonly bigint[], family: NoiseFamily): Design {
  const count = columns.length;
  if (count <= (family === "laplace" ? 3 : 2)) {
    const most = 1n << BigInt(Math.floor(TENSOR_BITS / count));
    const axes = columns.map((column, index) => ({ ...column, steps: smaller(own[index] ?? most, most) }));
    const row = axes.reduce((product, { steps }) => product * steps * steps, 1n);
    return { kind: "tensor", axes, fine: refined(row) };
  }
  const steps = 1n << BigInt(Math.min(MAX_GRAM_BITS, Math.floor(ROW_BITS / count) - 1));
  return { kind: "gram", axes: columns.map((column) => ({ ...column, steps })), fine: refined(steps * steps) };
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const refined = (row: bigint): bigint => (row >= FINE ? 1n : (FINE + row - 1n) / row);

/** SQL adds up these products of grid positions. */
export function powersOf({ kind, axes }: Design): readonly Exponents[] {
  const zero = axes.map(() => 0);
  if (kind === "tensor")
    return axes.reduce<readonly Exponents[]>(
      (all, _) => all.flatMap((head) => [0, 1, 2].map((power) => [...head, power])),
      [[]],
    );
  const first = axes.map((_, i) => zero.map((_, at) => (at === i ? 1 : 0)));
  return [
    zero,
    ...first,
    ...pairsOf(axes.length).map(([i, j]) => zero.map((_, at) => Number(at === i) + Number(at === j))),
  ];
}

/** i ≤ j, row by row. */
const pairsOf = (count: number): readonly (readonly [number, number])[] =>
  Array.from({ length: count }, (_, i) =>
    Array.from({ length: count - i }, (_, more) => [i, i + more] as const),
  ).flat();

/** Integers of one cell. */
export const widthOf = ({ kind, axes }: Design): number =>
  kind === "tensor" ? 3 ** axes.length : ((axes.length + 1) * (axes.length + 2)) / 2;

/** The integers of a cell from the sums of `powersOf`, in its order. */
export function integersOf(design: Design, sums: readonly bigint[]): readonly bigint[] {
  const { kind, axes, fine } = design;
  if (kind === "tensor") {
    // One column after the other: (1, t, t²) becomes ((S − t)², 2t(S − t), t²).
    let vector = sums;
    axes.forEach(({ steps }, at) => {
      const inner = 3 ** (axes.length - 1 - at);
      const next = [...vector];
      for (let i = 0; i < vector.length; i += 3 * inner)
        for (let j = i; j < i + inner; j++) {
          const [c = 0n, t = 0n, tt = 0n] = [vector[j], vector[j + inner], vector[j + 2 * inner]];
          next[j] = steps * steps * c - 2n * steps * t + tt;
          next[j + inner] = 2n * (steps * t - tt);
        }
      vector = next;
    });
    return vector.map((value) => fine * value);
  }
  const count = axes.length;
  const [n = 0n] = sums;
  const steps = axes[0]?.steps ?? 1n;
  const single = (i: number): bigint => sums[i] ?? 0n;
  const pairs = pairsOf(count).map(([i, j], at) => {
    const product = sums[1 + count + at] ?? 0n;
    return 4n * product - 2n * steps * (single(i + 1) + single(j + 1)) + steps * steps * n;
  });
  const withOne = axes.map((_, i) => steps * (2n * single(i + 1) - steps * n));
  return [steps * steps * n, ...withOne, ...pairs].map((value) => fine * value);
}

/** Norms of one row's integers, each reached by a row at the bounds [M120]. */
export function rowOf({ kind, axes, fine }: Design): { l1: bigint; l2Squared: bigint; linf: bigint; signed: boolean } {
  if (kind === "tensor") {
    const size = fine * axes.reduce((product, { steps }) => product * steps * steps, 1n);
    return { l1: size, l2Squared: size * size, linf: size, signed: false };
  }
  const steps = axes[0]?.steps ?? 1n;
  const size = fine * steps * steps;
  const entries = BigInt(widthOf({ kind, axes, fine }));
  return { l1: size * entries, l2Squared: size * size * entries, linf: size, signed: true };
}

const BERNSTEIN = [
  [1, 1, 1],
  [-1, 0, 1],
  [1, -1, 1],
] as const;

/** Weights of a cell's integers whose sum is Σ Π uᵢ^pᵢ over the rows, uᵢ in [−1, 1] the columns on the scale of their bounds. */
export function formOf(design: Design, exponents: Exponents): readonly number[] {
  const { kind, axes, fine } = design;
  if (kind === "tensor") {
    const row = Number(fine) * axes.reduce((product, { steps }) => product * Number(steps) ** 2, 1);
    return axes.reduce<readonly number[]>(
      (all, _, at) => all.flatMap((head) => (BERNSTEIN[exponents[at] ?? 0] ?? []).map((weight) => head * weight)),
      [1 / row],
    );
  }
  const row = Number(fine) * Number(axes[0]?.steps ?? 1n) ** 2;
  const factors = exponents.flatMap((power, at) => new Array<number>(power).fill(at + 1));
  const [i = 0, j = 0] = [...[0, 0], ...factors].slice(-2);
  return pairsOf(axes.length + 1).map(([a, b]) => (a === i && b === j ? 1 / row : 0));
}
