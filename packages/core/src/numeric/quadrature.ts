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

/** The 3-point rule, exact to degree 5: enough for panels far narrower than the scale of the function. */
const SHORT_RULE = [
  [0, 0.8888888888888888],
  [-0.7745966692414834, 0.5555555555555556],
  [0.7745966692414834, 0.5555555555555556],
] as const;

/** Visits the points of the 3-point rule on [from, to]. */
export function eachShortGaussPoint(from: number, to: number, visit: (x: number, weight: number) => void): void {
  const half = (to - from) / 2;
  const middle = from + half;
  for (const [point, weight] of SHORT_RULE) visit(middle + point * half, weight * half);
}

/** The 16-point Gauss–Legendre rule on [−1, 1]: half of its nodes and weights; the rest mirror them. */
const LONG_RULE = [
  [0.09501250983763744, 0.1894506104550685],
  [0.2816035507792589, 0.1826034150449236],
  [0.45801677765722737, 0.16915651939500254],
  [0.6178762444026438, 0.14959598881657674],
  [0.755404408355003, 0.12462897125553388],
  [0.8656312023878318, 0.09515851168249279],
  [0.9445750230732326, 0.062253523938647894],
  [0.9894009349916499, 0.027152459411754096],
] as const;

/** ∫ from a to b of a smooth function, with 16 values. */
export function integrate(fn: (x: number) => number, a: number, b: number): number {
  const half = (b - a) / 2;
  const middle = a + half;
  let sum = 0;
  for (const [node, weight] of LONG_RULE) sum += weight * (fn(middle - half * node) + fn(middle + half * node));
  return half * sum;
}

/** The 20-point Gauss–Legendre rule on [−1, 1]: half of its nodes and weights. */
const TWENTY_POINT_RULE: readonly (readonly [number, number])[] = [
  [0.07652652113349734, 0.15275338713072584],
  [0.22778585114164507, 0.14917298647260374],
  [0.37370608871541955, 0.14209610931838204],
  [0.5108670019508271, 0.13168863844917664],
  [0.636053680726515, 0.11819453196151841],
  [0.7463319064601508, 0.10193011981724044],
  [0.8391169718222188, 0.08327674157670475],
  [0.912234428251326, 0.06267204833410907],
  [0.9639719272779138, 0.04060142980038694],
  [0.9931285991850949, 0.017614007139152118],
];

/** ∫ₐᵇ f by 20-point Gauss–Legendre in panels of length ≤ `panel`: exact to rounding for functions smooth on that scale. */
export function integrateInPanels(f: (x: number) => number, a: number, b: number, panel = 1): number {
  const panels = Math.max(1, Math.ceil((b - a) / panel));
  let sum = 0;
  for (let p = 0; p < panels; p++) {
    const low = a + ((b - a) * p) / panels;
    const high = a + ((b - a) * (p + 1)) / panels;
    const centre = (low + high) / 2;
    const half = (high - low) / 2;
    for (const [node, weight] of TWENTY_POINT_RULE)
      sum += half * weight * (f(centre - half * node) + f(centre + half * node));
  }
  return sum;
}
