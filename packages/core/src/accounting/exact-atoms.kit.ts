import type { DpEvent } from "../event.ts";
import { fixedPoint } from "./fixed-point.kit.ts";

/**
 * A third engine, slow and independent: losses of two points each, in fixed point with 1,600 binary digits, 60 significant ones down to a δ of 10⁻³⁰⁰, composed by
 * plain products and sums. It shares nothing with the accountant but the event.
 */
const { one: ONE, times, over, of: fixed, exp, toNumber } = fixedPoint(1600);

/** `count` times the pair of a pure or approximate event. */
interface Pair {
  readonly epsilon: bigint;
  readonly delta: bigint;
  readonly count: number;
}

function pairOf(event: DpEvent): Pair | undefined {
  if (event.kind === "repeated") {
    const one = pairOf(event.event);
    return one === undefined ? undefined : { ...one, count: one.count * event.count };
  }
  if (event.kind === "pure") return { epsilon: fixed(event.epsilon), delta: 0n, count: 1 };
  if (event.kind === "approximate") return { epsilon: fixed(event.epsilon), delta: fixed(event.delta), count: 1 };
  return undefined;
}

/** δ(ε) of a list of pure and approximate events to 60 digits, as a double; undefined for other lists. */
export function exactDelta(events: readonly DpEvent[]): ((epsilon: number) => number) | undefined {
  const pairs = events.map(pairOf);
  let atoms: { loss: bigint; mass: bigint }[] = [{ loss: 0n, mass: ONE }];
  let finite = ONE;
  for (const pair of pairs) {
    if (pair === undefined) return undefined;
    const { epsilon, delta, count } = pair;
    const ratio = exp(-epsilon);
    const high = over(ONE, ONE + ratio);
    const low = ONE - high;
    for (let i = 0; i < count; i++) finite = times(finite, ONE - delta);
    const powers = (base: bigint): bigint[] => {
      const all = [ONE];
      for (let i = 0; i < count; i++) all.push(times(all[i] as bigint, base));
      return all;
    };
    const [highs, lows] = [powers(high), powers(low)];
    let ways = 1n;
    const own = Array.from({ length: count + 1 }, (_, i) => {
      if (i > 0) ways = (ways * BigInt(count - i + 1)) / BigInt(i);
      const mass = ways * times(highs[count - i] as bigint, lows[i] as bigint);
      return { loss: BigInt(count - 2 * i) * epsilon, mass };
    });
    atoms = atoms.flatMap((a) => own.map((b) => ({ loss: a.loss + b.loss, mass: times(a.mass, b.mass) })));
    if (atoms.length > 40_000) return undefined;
  }
  return (epsilon) => {
    const at = fixed(epsilon);
    let sum = 0n;
    for (const { loss, mass } of atoms) if (loss > at) sum += times(mass, ONE - exp(at - loss));
    return toNumber(ONE - finite + times(finite, sum));
  };
}
