/** The 8-point Gauss–Legendre rule on [−1, 1]: positive points and their weights. */
const RULE = [
  [0.1834346424956498, 0.362683783378362],
  [0.525532409916329, 0.3137066458778873],
  [0.7966664774136267, 0.2223810344533745],
  [0.9602898564975363, 0.1012285362903763],
] as const;

/** Visits the points and weights of the rule on `panels` equal panels of [from, to]; exact for polynomials of degree 15. */
export function eachGaussPoint(
  from: number,
  to: number,
  panels: number,
  visit: (x: number, weight: number) => void,
): void {
  const half = (to - from) / (2 * panels);
  for (let i = 0; i < panels; i++) {
    const middle = from + (2 * i + 1) * half;
    for (const [point, weight] of RULE) {
      visit(middle - point * half, weight * half);
      visit(middle + point * half, weight * half);
    }
  }
}
