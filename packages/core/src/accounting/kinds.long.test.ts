import { expect, test } from "vitest";
import type { DpEvent } from "../event.ts";
import { seededRandom } from "../noise/seeded-random.ts";
import { isKind, plainEvent } from "./kinds.ts";
import { totalLoss } from "./report.ts";

const random = seededRandom(20_261_130);
const unit = (): number => random.uint32() / 2 ** 32;
/** A short number between two powers of ten. */
const power = (from: number, to: number): number => Number((10 ** (from + (to - from) * unit())).toPrecision(4));
const whole = (from: number, to: number): number => Math.ceil(power(from, to));
const participation = () => ({ steps: whole(0, 6), participations: whole(0, 3), separation: whole(0, 3) });

const makers: readonly (() => DpEvent)[] = [
  () => ({ kind: "shuffled", epsilon: power(-3, 1.2), people: whole(0, 7) }),
  () => ({ kind: "poissonReplaced", rate: power(-6, 0), noiseMultiplier: power(-1, 3) }),
  () => {
    const p = unit();
    return {
      kind: "gaussianMixture",
      noiseMultiplier: power(-1, 3),
      sensitivities: [0, power(-2, 1), power(-1, 0.5)],
      probabilities: [p, (1 - p) / 4, 1 - p - (1 - p) / 4],
    };
  },
  () => {
    const population = whole(0, 5);
    const batch = Math.ceil(population * unit());
    return { kind: "truncatedPoisson", rate: power(-3, 0), noiseMultiplier: power(-0.5, 2), batch, population };
  },
  () => ({ kind: "permuteAndFlip", epsilon: power(-3, 1) }),
  () => ({
    kind: "bandedMatrix",
    noiseMultiplier: power(-0.5, 2),
    coefficients: [1, unit(), -unit()],
    ...participation(),
  }),
  () => ({ kind: "treeAggregation", noiseMultiplier: power(-0.5, 2), ...participation() }),
  () => ({ kind: "randomAllocation", noiseMultiplier: power(-0.5, 2), steps: whole(0, 4) }),
];

const EACH = 8;

test.each(makers.flatMap((make) => Array.from({ length: EACH }, () => [make(), whole(0, 2), power(-12, -2)] as const)))(
  "$0, repeated $1 times, has a bracket that holds together at $2",
  (event, count, delta) => {
    const events = [{ kind: "repeated", count, event }] as const;
    const { epsilon, lower = 0 } = totalLoss(events, { delta }, "pld");
    const plain = isKind(event) ? plainEvent(event) : event;
    const most = totalLoss([{ kind: "repeated", count, event: plain }], { delta }, "pld").epsilon;
    expect(lower).toBeLessThanOrEqual(epsilon);
    expect(epsilon).toBeLessThanOrEqual(most * (1 + 1e-9));
    expect(totalLoss(events, { delta }, "rdp").epsilon).toBeGreaterThanOrEqual(lower);
    const back = totalLoss(events, { epsilon }, "pld");
    expect(back.delta).toBeLessThanOrEqual(delta * (1 + 1e-6));
    expect(back.lower).toBeLessThanOrEqual(back.delta);
  },
);
