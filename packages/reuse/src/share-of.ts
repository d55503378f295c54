import { constant, type Form, halfWidthOf, numberOf, sumOf } from "@dosimeter/query/noise";

/**
 * The non-decreasing sequence nearest to `values` in squares: neighbours in falling order are averaged (Ayer
 * et al. 1955).
 */
export function rising(values: readonly number[]): readonly number[] {
  const blocks: { value: number; size: number }[] = [];
  for (const value of values) {
    let block = { value, size: 1 };
    for (let last = blocks.at(-1); last !== undefined && last.value > block.value; last = blocks.at(-1)) {
      blocks.pop();
      const size = last.size + block.size;
      block = { value: (last.value * last.size + block.value * block.size) / size, size };
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ value, size }) => new Array<number>(size).fill(value));
}

/** A value with about `share` of the rows below it, from counts of neighbouring bins. */
export interface ShareReading {
  readonly value: number;
  /** Contains the true quantile with probability 1 − failureProbability. */
  readonly interval: readonly [number, number];
  /** At most this many rows lie between the value and the quantile, with the same probability. */
  readonly rank: number;
}

/**
 * The bin of the quantile is one for which the noise does not rule out at most `share` below its lower edge and at
 * least `share` below its upper edge, each side at half the failure probability [M145]. `edges` has one more number
 * than there are bins.
 */
export function quantileOf(
  bins: readonly Form[],
  edges: readonly number[],
  share: number,
  failureProbability: number,
): ShareReading {
  const total = sumOf(bins.map((form) => [1, form]));
  let below = constant(0);
  const excess = [sumOf([[-share, total]])];
  for (const form of bins) {
    below = sumOf([
      [1, below],
      [1, form],
    ]);
    excess.push(
      sumOf([
        [1, below],
        [-share, total],
      ]),
    );
  }
  const values = excess.map(numberOf);
  const halves = excess.map((form) => halfWidthOf(form, failureProbability));
  const possible = bins
    .map((_, bin) => bin)
    .filter(
      (bin) =>
        (bin === 0 || (values[bin] ?? 0) <= (halves[bin] ?? 0)) &&
        (bin === bins.length - 1 || (values[bin + 1] ?? 0) >= -(halves[bin + 1] ?? 0)),
    );
  const [first = 0, last = bins.length - 1] = [possible[0], possible.at(-1)];
  const monotone = rising(values);
  const crossing = monotone.findIndex((value, edge) => edge > 0 && value >= 0);
  const bin = Math.min(last, Math.max(first, (crossing < 1 ? bins.length : crossing) - 1));
  const [from, to] = [edges[bin] ?? 0, edges[bin + 1] ?? 0];
  const [low, high] = [monotone[bin] ?? 0, monotone[bin + 1] ?? 0];
  const part = high > low ? Math.min(1, Math.max(0, -low / (high - low))) : 0.5;
  const interval = [edges[first] ?? from, edges[last + 1] ?? to] as const;
  // The same noise decided the bin, so all edges share the failure probability.
  const off = (edge: number): number => {
    const form = excess[edge];
    return form === undefined ? 0 : Math.abs(numberOf(form)) + halfWidthOf(form, failureProbability / excess.length);
  };
  return { value: from + (to - from) * part, interval, rank: Math.ceil(Math.max(off(bin), off(bin + 1))) };
}
