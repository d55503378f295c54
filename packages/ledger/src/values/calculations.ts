import type { Adjacency, DeltaAmount, DpEvent, FilterNode, freeQuota, Mu2Quote } from "@dosimeter/core";

/** Prices a plan for each filter of a path by its exact profile. [M150] */
export type Quotes = (
  path: readonly FilterNode[],
  events: readonly DpEvent[],
  adjacency: Adjacency,
  /** The step of a past charge that is replayed at another r. */
  paid?: Mu2Quote,
) => Promise<readonly Mu2Quote[]>;

type Free = ReturnType<typeof freeQuota>;

/** Finds the quota that an account could give back, by replaying its charges under smaller caps. */
export type FreeQuota = (...use: Parameters<typeof freeQuota>) => Free | Promise<Free>;

/** One (ε, δ) for events without a price by addition. [M389] */
export type Certified = (
  ...list: [events: readonly DpEvent[], delta: DeltaAmount, adjacency: Adjacency]
) => DpEvent | Promise<DpEvent>;

/** The heavy calculations. A server may run them in another thread; they must give the same results there. */
export interface Calculations {
  readonly quotes: Quotes;
  readonly freeQuota: FreeQuota;
  readonly certified: Certified;
}
