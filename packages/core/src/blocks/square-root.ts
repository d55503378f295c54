/** What the first coefficient is: rounding the others to whole numbers then changes nothing that could be seen. */
const FINE = 2 ** 20;

/**
 * The first column of the matrix that mixes the totals of periods: the square root of the matrix of running totals,
 * (1 − x)^(−1/2) as a power series, in whole numbers [M208].
 */
export function squareRootColumn(periods: number): readonly bigint[] {
  let coefficient = FINE;
  return Array.from({ length: periods }, (_, k) => {
    if (k > 0) coefficient *= 1 - 1 / (2 * k);
    return BigInt(Math.round(coefficient));
  });
}
