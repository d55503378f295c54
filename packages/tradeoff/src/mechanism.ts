import {
  type Decimal,
  type DpEvent,
  type EventAdjacency,
  PrivacyError,
  parseRational,
  toDouble,
  unboundedWork,
  type Work,
} from "@dosimeter/core";
import { neededAdjacency, spendClasses } from "@dosimeter/core/accounting";
import {
  lower as down,
  drawnShare,
  isKind,
  type KindEvent,
  kindLosses,
  type LossDistribution,
  latticeDistribution,
  lossDistribution,
  oneSample,
  plainEvent,
  reach,
  sampledEvent,
  underRelation,
  upper as up,
} from "@dosimeter/core/internal";
import { discreteGaussian, discreteLaplace, randomizedResponse } from "./atomic.ts";
import { boundedRange } from "./bounded-range.ts";
import { bothWays, compose, selfCompose } from "./compose.ts";
import { renamed, type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { epsdelta } from "./epsdelta.ts";
import { minimum } from "./extremes.ts";
import { gdp } from "./gdp.ts";
import { lap } from "./lap.ts";
import { fromLosses } from "./profile.ts";
import { fromRenyi, zcdp } from "./renyi.ts";
import { subsample, subsampleOneWay } from "./subsample.ts";

/**
 * The trade-off function of an event whose parameters are fixed before any answer [M72]. Sampled events are composed one
 * direction at a time and joined at the end. Every kind has a curve or a certified lower bound. Errors: ADJACENCY_MISMATCH
 * where parts of the event hold for different relations.
 */
export function mechanismCurve(event: DpEvent, work: Work = unboundedWork): TradeoffFunction {
  const removed = curveOf(event, "event", { adjacency: neededAdjacency([event]), work });
  return bothWays(removed, { label: removed.label, definition: { mechanism: event }, text: removed.toString() });
}

/** The curve of the pair that dominates an event of the table: of its simple event, its atoms, or its dots on a lattice. */
function kindCurve(event: KindEvent): TradeoffFunction {
  const plain = curveOf(plainEvent(event), "event", { adjacency: undefined, work: unboundedWork });
  if (spendClasses([event]).length === 0 || "kind" in (kindLosses(event, "remove", "above") ?? {})) return bound(plain);
  const found = lossDistribution(event, "remove") as LossDistribution;
  const ends = found.pieces.flatMap((piece) => reach(piece, 0).map((x) => piece.loss(x)));
  const step = (Math.max(...ends) - Math.min(...ends)) / DOTS;
  const dots = ends.length === 0 ? undefined : latticeDistribution(found, { step, offset: 0, negligible: 1e-300 });
  const losses =
    dots === undefined ? found.atoms.map(({ loss }) => loss) : Array.from(dots.mass, (_, i) => (dots.from + i) * step);
  const probabilities = dots === undefined ? found.atoms.map(({ mass }) => mass) : Array.from(dots.mass);
  const { infinite } = dots ?? found;
  return bound(fromLosses({ losses, probabilities, infinite }, event.kind, plain.gaussian));
}

/** The same curve as one that the event's own may lie above. */
const bound = (curve: TradeoffFunction): TradeoffFunction =>
  tradeoffFunction(renamed(curve), { label: curve.label, definition: curve.definition, isExact: false });

/** Points of a lattice of losses. */
const DOTS = 2 ** 15;

interface Context {
  readonly adjacency: EventAdjacency | undefined;
  readonly work: Work;
}

function curveOf(whole: DpEvent, path: string, context: Context): TradeoffFunction {
  const event = underRelation(whole, context.adjacency);
  if (isKind(event)) return kindCurve(event);
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
      return subsampleOneWay(up(one.rate), curveOf(sampledEvent(one.event), `${path}.event`, context));
    }
    case "sampledWithoutReplacement": // replace-one: no direction is that of a removed person
      return subsample(up(drawnShare(event)), curveOf(sampledEvent(event.event), `${path}.event`, context));
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
