import type { BoundedStatistic, Sampling } from "./bounded.ts";

/** Bits of the number that decides whether a unit is in a sample. */
export const SAMPLE_BITS = 60;

export const shareOf = (sampling: Sampling): number =>
  sampling.kind === "poisson" ? Number(sampling.below) / 2 ** SAMPLE_BITS : sampling.size / sampling.population;

/** What an error in rows or people on the sample is multiplied by to stand for the whole table; 1 without a sample. */
export const inTheWhole = ({ sampling }: BoundedStatistic): number =>
  sampling === undefined ? 1 : 1 / shareOf(sampling);
