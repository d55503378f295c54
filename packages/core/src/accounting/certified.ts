import {
  type DeltaAmount,
  deltaAmount,
  deltaNumber,
  epsilonAmount,
  epsilonUnits,
  formatDelta,
  formatEpsilon,
} from "../amounts/amount.ts";
import { parseRational } from "../amounts/rational.ts";
import { PrivacyError } from "../error.ts";
import type { DpEvent } from "../event.ts";
import type { Adjacency } from "../filter/adjacency.ts";
import { QUESTION_WORK, type Work, workBudget } from "../work.ts";
import { compositions } from "./composition.ts";
import { distributionOf } from "./pld.ts";

/**
 * Events that were all fixed in advance as one (ε, δ): the certified ε of their composition at this δ, rounded up, for a rule that only adds
 * [M389]. UNSUPPORTED_EVENT where no ε is promised at it; TOO_MUCH_WORK.
 */
export function certified(
  events: readonly DpEvent[],
  delta: DeltaAmount,
  adjacency: Adjacency,
  work: Work = workBudget(QUESTION_WORK),
): DpEvent {
  const upper =
    delta > 0n
      ? distributionOf(compositions(events, adjacency, work)).epsilon(deltaNumber(delta, "down")).upper
      : Number.POSITIVE_INFINITY;
  if (!(upper < 1e6))
    throw new PrivacyError("UNSUPPORTED_EVENT", {
      name: "delta",
      got: formatDelta(delta),
      want: "a δ of the account at which these events have an ε: the rule in force adds up ε, and this noise has none at δ = 0",
    });
  return {
    kind: "approximate",
    epsilon: formatEpsilon(epsilonUnits(parseRational(upper), "up")),
    delta: formatDelta(delta),
  };
}

/** Another build may round the certified ε by this part of itself. */
const OTHER_BUILD = 1e-9;

/** Whether events that were all fixed in advance lose no more than what was charged: one (ε, δ). Errors as `certified`. [M389] */
export function isCertified(events: readonly DpEvent[], charged: DpEvent, adjacency: Adjacency, work?: Work): boolean {
  if (charged.kind !== "approximate") return false;
  const least = certified(events, deltaAmount(charged.delta, "down"), adjacency, work);
  if (least.kind !== "approximate") return false;
  const [has, wants] = [charged, least].map(({ epsilon }) => epsilonAmount(epsilon, "up"));
  return Number(has) >= Number(wants) * (1 - OTHER_BUILD);
}
