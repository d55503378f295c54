import { seededRandom } from "../noise/seeded-random.ts";
import { bracketOf, reachOf, type SampledNoise } from "./bracket.kit.ts";
import { compositions } from "./composition.ts";
import { composedDirection } from "./pld.ts";

/** One to three kinds of noise, multipliers 10⁻²–10⁵, rates 10⁻⁹–1, up to 256 times. */
export function randomList(seed: number): readonly SampledNoise[] {
  const random = seededRandom(seed);
  const unit = (): number => random.uint32() / 2 ** 32;
  const rate = (): number => (unit() < 0.3 ? 1 : unit() < 0.5 ? 10 ** (-9 * unit()) : unit());
  return Array.from({ length: 1 + Math.floor(3 * unit()) }, () => ({
    kind: unit() < 0.6 ? "gaussian" : "laplace",
    multiplier: 10 ** (7 * unit() - 2),
    rate: Math.max(1e-9, rate()),
    count: unit() < 0.5 ? 1 : Math.ceil(2 ** (8 * unit())),
  }));
}

/** What the accountant says of a list that cannot be true, in words; empty where all of it can. */
export function brokenBounds(list: readonly SampledNoise[]): readonly string[] {
  const events = list.map(({ kind, multiplier, rate, count }) => {
    const noise = { kind, noiseMultiplier: multiplier } as const;
    const event = rate === 1 ? noise : ({ kind: "poissonSampled", rate, event: noise } as const);
    return { kind: "repeated", count, event } as const;
  });
  const reach = reachOf(list);
  return compositions(events).flatMap((part) => {
    const truth = bracketOf(list, part.direction, reach);
    const own = composedDirection(part);
    return [0, 0.01, 0.1, 0.5, -0.05, -0.3].flatMap((share) => {
      const epsilon = share * reach;
      const [{ upper, lower }, between] = [own.delta(epsilon), truth(epsilon)];
      const isPossible = upper >= between.lower && lower <= between.upper && upper >= lower;
      return isPossible
        ? []
        : [`${part.direction}, ε = ${epsilon}: ${lower} to ${upper}, is ${between.lower} to ${between.upper}`];
    });
  });
}
