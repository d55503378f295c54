/**
 * Chebyshev coefficients of four smooth functions, fitted with mpmath at 50 digits and cut below 1e-18; sums by
 * Clenshaw. The functions: ERFCX (1 + 2x)·erfcx(x) in s = (x − 3.75)/(x + 3.75); MILLS_SLOPE (1 + t)²·(1 − t·m(t)) in
 * s = (t − 5)/(t + 5), m the Mills ratio; ERF erf(x)/x in s = 2x² − 1; LOG_GAMMA ln Γ(1 + z)/(z(z − 1)) in s = 2z − 1.
 */
function chebyshev(coefficients: readonly number[], s: number): number {
  let last = 0;
  let next = 0;
  for (let i = coefficients.length - 1; i > 0; i--) {
    const sum = 2 * s * last - next + (coefficients[i] ?? 0);
    next = last;
    last = sum;
  }
  return s * last - next + (coefficients[0] ?? 0);
}

const ERFCX = [
  1.1775789345674017, -0.004590054580646478, -0.08424913336651792, 0.05920993999819189, -0.026658668435305753,
  0.009074997670705265, -0.002413163540417608, 0.0004907758365258086, -6.916973302501207e-5, 4.13902798607301e-6,
  7.74038306619849e-7, -2.1886401049234397e-7, 1.076499946567091e-8, 4.521959811218287e-9, -7.754400208831351e-10,
  -6.318088340886684e-11, 2.86879501093067e-11, 1.9455868545777382e-13, -9.654696748433435e-13, 3.2525481481487717e-14,
  3.347811948286833e-14, -1.8645628804190985e-15, -1.2507950530687189e-15, 7.418235256631411e-17, 5.068148904796366e-17,
  -2.237056659499183e-18, -2.1873429444228585e-18,
];
const MILLS_SLOPE = [
  1.1786939013866438, -0.10125727962799318, -0.14865546208521888, 0.09816848778580152, -0.03171798898152607,
  0.004118380306630206, 0.0013840174983079264, -0.0009838340353495313, 0.0002948950492045316, -4.709260195140171e-5,
  8.590029272920808e-7, 1.3554619080433912e-6, -2.3147555595831767e-7, -1.7075440607920013e-8, 9.949362873866235e-9,
  -2.4106464654592276e-10, -3.5666175303257516e-10, 2.8945226947362402e-11, 1.3016100717797053e-11,
  -1.5524538138949635e-12, -5.220930630315194e-13, 6.950184611901334e-14, 2.345944460700038e-14, -2.771885973444679e-15,
  -1.1544282194411682e-15, 9.116045274446133e-17, 5.955159763084838e-17, -1.4216719997436313e-18,
  -3.0664098216468804e-18,
];
const ERF = [
  0.9754769393826541, -0.14226120510371365, 0.010035582187599796, -0.0005768764699767485, 2.741993125219606e-5,
  -1.1043175507344507e-6, 3.8488755420345036e-8, -1.1808582533875466e-9, 3.2334215826050907e-11, -7.991015947004549e-13,
  1.7990725113961456e-14, -3.718635487818693e-16, 7.103599003714253e-18,
];
const LOG_GAMMA = [
  0.49141539302938714, -0.07611416167043585, 0.008432324965932778, -0.001079493726328608, 0.00014900748003692963,
  -2.1512399888556784e-5, 3.1979329860862186e-6, -4.851693012139927e-7, 7.47148782116316e-8, -1.1638296700170518e-8,
  1.829400437118668e-9, -2.8969180607129607e-10, 4.61570140620909e-11, -7.392810230497983e-12, 1.1894280008333085e-12,
  -1.9212068676522805e-13, 3.113975526387164e-14, -5.0628432984486114e-15, 8.254150281631144e-16,
  -1.3490578987574844e-16, 2.209876116782623e-17,
];

const SQRT2 = Math.SQRT2;
const SQRT_HALF_PI = Math.sqrt(Math.PI / 2);
const SQRT_2PI = 2.5066282746310002;
const LOG_2 = Math.LN2;
const HALF_LOG_2PI = 0.9189385332046728;

/** exp(factor·x²) with the square taken in two exact halves, so that a large x costs no digits. */
function expSquare(x: number, factor: number): number {
  const high = Math.fround(x);
  const low = x - high;
  return Math.exp(factor * high * high) * Math.exp(factor * low * (high + x));
}

/** erf(x) = 2/√π ∫₀ˣ e^(−t²) dt; full relative accuracy near 0. [M3] */
export function erf(x: number): number {
  if (Number.isNaN(x)) return x;
  const size = Math.abs(x);
  if (size <= 1) return x * chebyshev(ERF, 2 * x * x - 1);
  const value = 1 - erfc(size);
  return x < 0 ? -value : value;
}

/** 1 − erf(x), with full relative accuracy in the upper tail down to the least double. */
export function erfc(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x < 0.5) return 1 - erf(x);
  if (x > 27.3) return 0;
  return expSquare(x, -1) * erfcx(x);
}

/** e^(x²)·erfc(x): decays like 1/(x√π), never underflows for x ≥ 0; +∞ below about −26.6. */
export function erfcx(x: number): number {
  if (x >= 0) {
    if (x > 1e8) return 1 / (x * Math.sqrt(Math.PI));
    return chebyshev(ERFCX, (x - 3.75) / (x + 3.75)) / (1 + 2 * x);
  }
  return x < -26.7 ? Number.POSITIVE_INFINITY : 2 * expSquare(x, 1) - erfcx(-x);
}

/** Φ(x) with full relative accuracy in the lower tail. */
export function normalCdf(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x < -38.6) return 0;
  if (x > -0.5) return x > 38 ? 1 : 0.5 * erfc(-x / SQRT2);
  return 0.5 * expSquare(x, -0.5) * erfcx(-x / SQRT2);
}

/** ln Φ(x), for any x: −x²/2 far below, −Φ(−x) far above. */
export function logNormalCdf(x: number): number {
  if (x > 0) return Math.log1p(-normalCdf(-x));
  if (x > -1) return Math.log(normalCdf(x));
  return -0.5 * x * x + Math.log(0.5 * erfcx(-x / SQRT2));
}

export const normalDensity = (x: number): number => expSquare(Math.min(Math.abs(x), 1e3), -0.5) / SQRT_2PI;

export const logNormalDensity = (x: number): number => -0.5 * x * x - HALF_LOG_2PI;

/** x with Φ(x) = p; −∞ at 0, ∞ at 1, NaN outside [0, 1]. For an upper tail q use `normalQuantileUpper`, which keeps its digits. */
export function normalQuantile(p: number): number {
  if (!(p >= 0 && p <= 1)) return Number.NaN;
  if (p < 0.25) return logNormalQuantile(Math.log(p));
  return p > 0.75 ? -logNormalQuantile(Math.log1p(-p)) : centralQuantile(p - 0.5);
}

/** x with 1 − Φ(x) = q. */
export const normalQuantileUpper = (q: number): number => -normalQuantile(q);

/** x with ln Φ(x) = logP, for logP ≤ 0 however small. */
export function logNormalQuantile(logP: number): number {
  if (!(logP <= 0)) return Number.NaN;
  if (logP === Number.NEGATIVE_INFINITY) return logP;
  if (logP > -0.2876) return -logNormalQuantile(log1mexp(-logP));
  if (logP > -1.3862) return centralQuantile(Math.exp(logP) - 0.5);
  const scale = -2 * logP;
  let x = -Math.sqrt(Math.max(scale - Math.log(scale) - 2 * HALF_LOG_2PI, 0.1));
  for (let i = 0; i < 12; i++) {
    const value = logNormalCdf(x);
    const step = (value - logP) * Math.exp(value - logNormalDensity(x));
    x -= step;
    if (Math.abs(step) <= 4e-16 * Math.abs(x)) break;
  }
  return x;
}

/** x with Φ(x) − ½ = offset, |offset| ≤ ¼, by Halley's method on erf. */
function centralQuantile(offset: number): number {
  let x = offset * SQRT_2PI;
  for (let i = 0; i < 8; i++) {
    const error = (0.5 * erf(x / SQRT2) - offset) / normalDensity(x);
    const step = error / (1 + 0.5 * x * error);
    x -= step;
    if (Math.abs(step) <= 2e-16 * Math.abs(x)) break;
  }
  return x;
}

/** The Mills ratio Φ(−t)/φ(t). */
export const mills = (t: number): number =>
  t < 0 ? SQRT_2PI * expSquare(t, 0.5) - mills(-t) : SQRT_HALF_PI * erfcx(t / SQRT2);

/** 1 − t·mills(t), that is −d/dt mills(t): positive, without cancellation for large t. */
export function millsSlope(t: number): number {
  if (t < 0) return 1 - t * mills(t);
  return chebyshev(MILLS_SLOPE, (t - 5) / (t + 5)) / ((1 + t) * (1 + t));
}

const STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400];

/** ln Γ(x) for x > 0, with full relative accuracy also around its zeros 1 and 2; NaN for x < 0, ∞ at 0. */
export function logGamma(x: number): number {
  if (Number.isNaN(x) || x < 0) return Number.NaN;
  if (x === 0) return Number.POSITIVE_INFINITY;
  if (x < 0.75) return x < 1e-17 ? -Math.log(x) : nearOne(x + 1, x) - Math.log(x);
  if (x <= 2.25) return nearOne(x, x - 1);
  if (x < 11) {
    let product = 1;
    let y = x;
    while (y > 2.25) {
      y -= 1;
      product *= y;
    }
    return Math.log(product) + nearOne(y, y - 1);
  }
  const inverse = 1 / (x * x);
  let sum = 0;
  for (let i = STIRLING.length - 1; i >= 0; i--) sum = sum * inverse + (STIRLING[i] ?? 0);
  return (x - 0.5) * (Math.log(x) - 1) + (HALF_LOG_2PI - 0.5) + sum / x;
}

/** ln Γ(1 + z), y = 1 + z in [0.75, 2.25]. */
function nearOne(y: number, z: number): number {
  if (z < 0) return nearOne(y + 1, z + 1) - Math.log1p(z);
  if (z > 1) return nearOne(y - 1, z - 1) + Math.log1p(z - 1);
  return z * (z - 1) * chebyshev(LOG_GAMMA, 2 * z - 1);
}

/** ln(1 − e^(−x)) for x ≥ 0. */
export const log1mexp = (x: number): number => (x < LOG_2 ? Math.log(-Math.expm1(-x)) : Math.log1p(-Math.exp(-x)));

/** ln(1 + eˣ). */
export const log1pexp = (x: number): number => (x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x)));

/** ln(eᵃ + eᵇ). */
export function logAdd(a: number, b: number): number {
  const [high, low] = a > b ? [a, b] : [b, a];
  return low === Number.NEGATIVE_INFINITY ? high : high + Math.log1p(Math.exp(low - high));
}

/** ln Σ e^(x_i); −∞ for none. */
export function logSumExp(values: Iterable<number>): number {
  const list = [...values];
  const high = list.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (!Number.isFinite(high)) return high;
  return high + Math.log(list.reduce((sum, x) => sum + Math.exp(x - high), 0));
}
