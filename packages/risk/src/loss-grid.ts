import { fourierPlan, inverse, transform } from "@dosimeter/core/internal";

/** Probabilities on 2r + 1 points around zero, `count` independent copies of them. */
export interface GridPart {
  readonly law: Float64Array;
  readonly count: number;
}

/** Losses this close to a grid point, in steps, are treated as on it. */
const ON_GRID = 1e-9;

/**
 * The loss of one Laplace release of `level`, worst pair, on multiples of `step`: atoms at ±level, density ¼e^((l−level)/2) between.
 * Each piece of mass goes to the two grid points around it so that mass and E e^−L are kept [M108]. [M110]
 */
export function laplaceGrid(level: number, step: number): Float64Array {
  const cells = level / step;
  const isWhole = Math.round(cells) > 0 && Math.abs(cells - Math.round(cells)) < ON_GRID;
  const reach = isWhole ? Math.round(cells) : Math.ceil(cells);
  const grid = new Float64Array(2 * reach + 1);
  const add = (index: number, mass: number): void => {
    grid[index] = (grid[index] ?? 0) + mass;
  };
  /** `mass` whose mean of e^(A − l) is `tilt`, A the lower end of the cell. */
  const split = (cell: number, mass: number, tilt: number): void => {
    const down = Math.min(mass, Math.max(0, (mass * (tilt - Math.exp(-step))) / -Math.expm1(-step)));
    add(cell + reach, down);
    add(cell + reach + 1, mass - down);
  };
  const up = 1 / (1 + Math.exp(-step / 2));
  for (let cell = -reach; cell < reach; cell++) {
    const isPartial = !isWhole && (cell === -reach || cell === reach - 1);
    const low = isPartial && cell < 0 ? -level : cell * step;
    const high = isPartial && cell >= 0 ? level : (cell + 1) * step;
    const width = high - low;
    const mass = (Math.exp((high - level) / 2) * -Math.expm1(-width / 2)) / 2;
    if (isPartial) split(cell, mass, Math.exp(cell * step - (low + high) / 2));
    else {
      add(cell + reach, mass * (1 - up));
      add(cell + reach + 1, mass * up);
    }
  }
  if (isWhole) {
    add(2 * reach, 0.5);
    add(0, 0.5 * Math.exp(-level));
  } else {
    split(reach - 1, 0.5, Math.exp((reach - 1) * step - level));
    split(-reach, 0.5 * Math.exp(-level), Math.exp(level - reach * step));
  }
  return grid;
}

/** The loss of discrete Laplace noise on an answer that moves by `sensitivity`, on multiples of ε₀/sensitivity: exact. [M102] */
export function discreteLaplaceGrid(epsilon0: number, sensitivity: number): Float64Array {
  const grid = new Float64Array(2 * sensitivity + 1);
  const ratio = epsilon0 / sensitivity;
  const whole = 1 + Math.exp(-ratio);
  grid[0] = Math.exp(-epsilon0) / whole;
  for (let z = 1; z < sensitivity; z++)
    grid[2 * (sensitivity - z)] = (-Math.expm1(-ratio) * Math.exp(-ratio * z)) / whole;
  grid[2 * sensitivity] = (grid[2 * sensitivity] ?? 0) + 1 / whole;
  return grid;
}

/** Magnitudes below this are far below the rounding of a transform. */
const NOTHING = 1e-40;

/** The law of the sum of all parts on 2R + 1 points, R the sum of their reaches. */
export function addGrids(parts: readonly GridPart[]): Float64Array {
  const reach = parts.reduce((sum, { law, count }) => sum + ((law.length - 1) / 2) * count, 0);
  const size = 2 ** Math.ceil(Math.log2(2 * reach + 1));
  const plan = fourierPlan(size);
  const modulus = new Float64Array(size / 2 + 1).fill(1);
  const angle = new Float64Array(size / 2 + 1);
  const [re, im] = [new Float64Array(size), new Float64Array(size)];
  for (const { law, count } of parts) {
    re.fill(0);
    im.fill(0);
    // Losses −reach … reach stand at 0 … 2·reach, so that nothing wraps around.
    re.set(law);
    transform(plan, re, im);
    for (let i = 0; i <= size / 2; i++) {
      const x = re[i] ?? 0;
      const y = im[i] ?? 0;
      const length = (modulus[i] ?? 0) * (x * x + y * y) ** (count / 2);
      // Most frequencies of a long sum are negligible, so their angle is not computed.
      modulus[i] = length < NOTHING ? 0 : length;
      if (length >= NOTHING) angle[i] = (angle[i] ?? 0) + Math.atan2(y, x) * count;
    }
  }
  for (let i = 0; i <= size / 2; i++) {
    const length = modulus[i] ?? 0;
    re[i] = length === 0 ? 0 : length * Math.cos(angle[i] ?? 0);
    im[i] = length === 0 ? 0 : length * Math.sin(angle[i] ?? 0);
    if (i === 0) continue;
    // The law is real: the other half of its transform is the conjugate.
    re[size - i] = re[i] ?? 0;
    im[size - i] = -(im[i] ?? 0);
  }
  inverse(plan, re, im);
  return re.slice(0, 2 * reach + 1).map((mass) => Math.max(0, mass));
}
