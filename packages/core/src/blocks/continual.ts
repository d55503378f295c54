import { gaussianMultiplier, type Mu2Amount } from "../amounts/amount.ts";
import { formatRational } from "../amounts/rational.ts";
import type { DpEvent } from "../event.ts";
import { priceEvent } from "../filter/price.ts";

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

/** The most periods of a running total that goes on: ten years of months. */
export const MAX_HORIZON = 120;

const UNIT = (10n ** 12n) as Mu2Amount;

/** Which of the reports of a running total one is: `step` of `horizon`, from 1. */
export interface ContinualStep {
  readonly horizon: number;
  readonly step: number;
}

/**
 * What the block that is new in a step pays for it and all steps to come, in units of μ², where the block of the first one pays `mu2`: as its
 * column of the matrix is shorter. Rounded up [M209]. [M310]
 */
export function columnMu2(mu2: Mu2Amount, { horizon, step }: ContinualStep): Mu2Amount {
  const column = squareRootColumn(horizon);
  const whole = squares(column);
  return ((mu2 * squares(column.slice(0, horizon - step + 1)) + whole - 1n) / whole) as Mu2Amount;
}

/** What part of the price of the first block that is, for people to read. */
export const columnShare = (at: ContinualStep): number => Number(columnMu2(UNIT, at)) / Number(UNIT);

const squares = (column: readonly bigint[]): bigint => column.reduce((sum, c) => sum + c * c, 0n);

/** What a step is charged where the first one would be charged these events; null where they are not Gaussian noise alone. [M209] */
export function stepEvents(first: readonly DpEvent[], at: ContinualStep): readonly DpEvent[] | null {
  const prices = first.map(gaussianMu2);
  if (prices.length === 0 || prices.includes(null)) return null;
  return prices.map((mu2) => {
    const multiplier = gaussianMultiplier(columnMu2(mu2 as Mu2Amount, at));
    return { kind: "gaussian", noiseMultiplier: formatRational(multiplier) };
  });
}

/** Whether the events of a step are those of the first one, each at the price of its own column. Only Gaussian ones can be. [M209] */
export function isStepOf(first: readonly DpEvent[], events: readonly DpEvent[], at: ContinualStep): boolean {
  return (
    first.length > 0 &&
    first.length === events.length &&
    events.every((event, index) => {
      const [whole, part] = [gaussianMu2(first[index]), gaussianMu2(event)];
      return whole !== null && part === columnMu2(whole, at);
    })
  );
}

/** The price of rounded Gaussian noise in units of μ²; null for any other event. */
function gaussianMu2(event: DpEvent | undefined): Mu2Amount | null {
  if (event?.kind !== "gaussian") return null;
  const [cost] = priceEvent(event, "addRemove").mu2 ?? [];
  return cost?.kind === "subtract" ? (cost.cost as Mu2Amount) : null;
}
