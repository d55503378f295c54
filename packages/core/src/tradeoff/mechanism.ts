import { oneSample, underRelation } from "../accounting/classes.ts";
import { lower as down, drawnShare, upper as up } from "../accounting/rounding.ts";
import { toDouble } from "../amounts/double.ts";
import { type Decimal, parseRational } from "../amounts/rational.ts";
import { PrivacyError } from "../error.ts";
import type { DpEvent } from "../event.ts";
import type { EventAdjacency } from "../filter/adjacency.ts";
import { unboundedWork, type Work } from "../work.ts";
import { discreteGaussian, discreteLaplace, randomizedResponse } from "./atomic.ts";
import { boundedRange } from "./bounded-range.ts";
import { bothWays, compose, selfCompose } from "./compose.ts";
import type { TradeoffFunction } from "./curve.ts";
import { epsdelta } from "./epsdelta.ts";
import { minimum } from "./extremes.ts";
import { gdp } from "./gdp.ts";
import { lap } from "./lap.ts";
import { fromRenyi, zcdp } from "./renyi.ts";
import { subsample, subsampleOneWay } from "./subsample.ts";

/**
 * The trade-off function of an event whose parameters are fixed before any answer [M72]. Sampled events are composed one
 * direction at a time and joined at the end. Never throws UNSUPPORTED_EVENT: every kind has a curve or a certified
 * lower bound.
 */
export function mechanismCurve(event: DpEvent, work: Work = unboundedWork): TradeoffFunction {
  const removed = curveOf(event, "event", { adjacency: needsAddRemove(event) ? "addRemove" : undefined, work });
  return bothWays(removed, { label: removed.label, definition: { mechanism: event }, text: removed.toString() });
}

/** Whether a part of the event holds only where a person is added or removed [M32]. */
const needsAddRemove = (event: DpEvent): boolean =>
  event.kind === "poissonSampled" ||
  event.kind === "parallel" ||
  ("event" in event && needsAddRemove(event.event)) ||
  ("events" in event && event.events.some(needsAddRemove));

interface Context {
  readonly adjacency: EventAdjacency | undefined;
  readonly work: Work;
}

function curveOf(whole: DpEvent, path: string, context: Context): TradeoffFunction {
  const event = underRelation(whole, context.adjacency);
  switch (event.kind) {
    case "pure":
      return epsdelta(up(event.epsilon));
    case "approximate":
      return epsdelta(up(event.epsilon), up(event.delta));
    case "laplace":
      return lap(ratio(event.noiseMultiplier));
    case "gaussian":
      return gdp(ratio(event.noiseMultiplier));
    case "gdp":
      return gdp(up(event.mu));
    case "discreteLaplace":
      return discreteLaplace(down(event.scale), event.sensitivity);
    case "discreteGaussian":
      return discreteGaussian(down(event.sigma), event.sensitivity);
    case "randomizedResponse":
      return randomizedResponse(up(event.epsilon), event.categories ?? 2);
    case "exponential":
      return boundedRange(up(event.epsilon));
    case "zcdp":
      return zcdp(up(event.rho));
    case "rdp":
      return fromRenyi([{ order: down(event.order), epsilon: up(event.epsilon) }]);
    case "poissonSampled": {
      const one = oneSample(event);
      return subsampleOneWay(up(one.rate), curveOf(one.event, `${path}.event`, context));
    }
    case "sampledWithoutReplacement": // replace-one: no direction is that of a removed person
      return subsample(up(drawnShare(event)), curveOf(event.event, `${path}.event`, context));
    case "repeated": {
      if (event.count === 0) return gdp(0);
      return selfCompose(event.count, curveOf(event.event, `${path}.event`, context), context.work);
    }
    case "composed":
      return event.events.length === 0
        ? gdp(0)
        : compose(
            event.events.map((e, i) => curveOf(e, `${path}.events[${i}]`, context)),
            context.work,
          );
    case "parallel":
      return event.events.length === 0
        ? gdp(0)
        : minimum(event.events.map((e, i) => curveOf(e, `${path}.events[${i}]`, context)));
    default:
      event satisfies never;
      throw new PrivacyError("UNSUPPORTED_EVENT", { name: path });
  }
}

/** 1/x, exact for the reciprocal of a short decimal or fraction. */
function ratio(value: Decimal): number {
  const { numerator, denominator } = parseRational(value);
  const inverse = toDouble({ numerator: denominator, denominator: numerator }, "up");
  const near = 1 / Number(value);
  return typeof value === "number" && Math.abs(near - inverse) <= Number.EPSILON * inverse ? near : inverse;
}
