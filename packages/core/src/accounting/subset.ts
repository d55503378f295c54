import { asLower, asUpper, type Interval } from "./rounding.ts";

/** Sums of signed ε's with their P-masses, by growing loss. */
interface Sums {
  readonly loss: Float64Array;
  readonly mass: Float64Array;
}

const ROUNDOFF = 2 ** -53;

/**
 * Optimal composition of unequal ε's by meeting in the middle [M47]: all signed sums of either half are listed and
 * merged, and δ(x) is a sweep over both lists. Undefined when a half would have more than `most` sums.
 */
export function subsetProfile(
  groups: readonly { readonly epsilon: number; readonly count: number }[],
  most: number,
): ((x: number) => Interval) | undefined {
  const halves = splitInHalves(groups, most);
  if (halves === undefined) return undefined;
  const [left, right] = halves.map(signedSums) as [Sums, Sums];
  const tails = tailsOf(right);
  const total = groups.reduce((sum, { epsilon, count }) => sum + epsilon * count, 0);
  const steps = groups.length + 8;
  return (asked) => {
    const x = asked - 4 * steps * ROUNDOFF * total;
    let sum = 0;
    let weight = 0;
    let j = right.loss.length;
    for (let i = 0; i < left.loss.length; i++) {
      const gap = x - (left.loss[i] as number);
      while (j > 0 && (right.loss[j - 1] as number) > gap) j--;
      const p = tails.p[j] as number;
      const q = tails.q[j] as number;
      const mass = left.mass[i] as number;
      sum += mass * Math.max(0, p - Math.exp(gap + tails.top) * q);
      weight += mass * p;
    }
    const margin = ROUNDOFF * ((16 + 2 * steps) * weight + 64 * steps * sum) + 2 ** -1060;
    const moved = 8 * steps * ROUNDOFF * total;
    return {
      upper: asUpper(sum + margin, 1),
      lower: asLower(Math.max(0, (sum - margin) * (1 - 1e-14) - moved * weight), 1),
    };
  };
}

function splitInHalves(
  groups: readonly { readonly epsilon: number; readonly count: number }[],
  most: number,
): readonly { readonly epsilon: number; readonly count: number }[][] | undefined {
  const halves: { readonly epsilon: number; readonly count: number }[][] = [[], []];
  const sizes: [number, number] = [1, 1];
  for (const group of [...groups].sort((a, b) => b.count - a.count)) {
    const side = sizes[0] <= sizes[1] ? 0 : 1;
    halves[side]?.push(group);
    sizes[side] *= group.count + 1;
    if (sizes[side] > most) return undefined;
  }
  return halves;
}

function signedSums(groups: readonly { readonly epsilon: number; readonly count: number }[]): Sums {
  let sums: Sums = { loss: Float64Array.of(0), mass: Float64Array.of(1) };
  for (const { epsilon, count } of groups) {
    const scale = -Math.log1p(Math.exp(-epsilon));
    let choose = 0;
    const shifts = Array.from({ length: count + 1 }, (_, i) => {
      if (i > 0) choose += Math.log((count - i + 1) / i);
      return { loss: (count - 2 * i) * epsilon, mass: Math.exp(choose + count * scale - i * epsilon) };
    });
    if (sums.loss.length === 1) {
      const rising = shifts.toReversed();
      sums = {
        loss: Float64Array.from(rising, ({ loss }) => loss),
        mass: Float64Array.from(rising, ({ mass }) => mass),
      };
      continue;
    }
    sums = merge(
      shifts.map(({ loss, mass }) => ({ loss: sums.loss.map((l) => l + loss), mass: sums.mass.map((m) => m * mass) })),
    );
  }
  return sums;
}

/** Merges sorted lists in pairs. */
function merge(lists: readonly Sums[]): Sums {
  let round = [...lists];
  while (round.length > 1) {
    const next: Sums[] = [];
    for (let i = 0; i < round.length; i += 2) {
      const [a, b] = [round[i] as Sums, round[i + 1]];
      next.push(b === undefined ? a : mergeTwo(a, b));
    }
    round = next;
  }
  return round[0] as Sums;
}

function mergeTwo(a: Sums, b: Sums): Sums {
  const size = a.loss.length + b.loss.length;
  const loss = new Float64Array(size);
  const mass = new Float64Array(size);
  for (let i = 0, j = 0, k = 0; k < size; k++) {
    const takeA = j >= b.loss.length || (i < a.loss.length && (a.loss[i] as number) <= (b.loss[j] as number));
    const from = takeA ? a : b;
    const at = takeA ? i++ : j++;
    loss[k] = from.loss[at] as number;
    mass[k] = from.mass[at] as number;
  }
  return { loss, mass };
}

/** P(R ≥ r_j) and e^{−top}·Q(R ≥ r_j) for each j, with one more 0 at the end. */
function tailsOf({ loss, mass }: Sums): { readonly p: Float64Array; readonly q: Float64Array; readonly top: number } {
  const p = new Float64Array(loss.length + 1);
  const q = new Float64Array(loss.length + 1);
  const top = -(loss[loss.length - 1] ?? 0);
  for (let j = loss.length - 1; j >= 0; j--) {
    p[j] = (p[j + 1] as number) + (mass[j] as number);
    q[j] = (q[j + 1] as number) + (mass[j] as number) * Math.exp(-(loss[j] as number) - top);
  }
  return { p, q, top };
}
