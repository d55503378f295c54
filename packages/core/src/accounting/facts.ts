import { toDouble } from "../amounts/double.ts";
import { type Decimal, divide, parseRational, powerOfTen, type Rational, rational } from "../amounts/rational.ts";
import type { DpEvent } from "../event.ts";
import { logAdd } from "../numeric/special.ts";
import { unboundedWork, type Work } from "../work.ts";
import { bend, characteristicOf, effectiveDirection, laplaceLogMgf } from "./characteristic.ts";
import { noise, oneSample, type SpendClass, spendClasses } from "./classes.ts";
import { muOfLaplace, muOfPure } from "./gdp.ts";
import { isKind, plainEvent, workOf } from "./kinds.ts";
import { type LossDistribution, lossDistribution } from "./loss-distribution.ts";
import { mixedLoss } from "./mixture.ts";
import type { Direction } from "./profile.ts";
import { drawnShare, enlarge, lower, productOf, upper } from "./rounding.ts";
import { rhoOfPure } from "./zcdp.ts";

/** The loss of one event under each measure, apart from a mass `delta` on which nothing is promised [M33]. */
export interface LossFacts {
  /** Pure ε; ∞ where there is none. */
  readonly epsilon: number;
  /** The same ε exactly, where it is a decimal. */
  readonly decimal?: Decimal | Rational;
  readonly delta: Decimal;
  /** zCDP ρ; ∞ where there is none. */
  readonly rho: number;
  /** μ² of GDP; ∞ where there is none. */
  readonly muSquared: number;
  /** Upper bound on λ·D_{1+λ}, the worse of both directions; ∞ where there is none. */
  readonly renyi: (lambda: number) => number;
}

const INFINITY = Number.POSITIVE_INFINITY;

/**
 * λ·D_{1+λ} of randomised response, which is the worst for pure ε: ln[cosh((λ + ½)ε)/cosh(ε/2)] [M34], as the logarithm of
 * 1 + (e^{λε} − 1)(1 − e^{−(λ+1)ε})/(1 + e^{−ε}) where that is small: no digits are lost at small orders. Rounded up.
 */
export function pureRenyi(epsilon: number, lambda: number): number {
  if (epsilon === INFINITY) return epsilon;
  const grown = lambda * epsilon;
  const exact =
    grown > 1
      ? grown + Math.log1p(Math.exp(-(2 * lambda + 1) * epsilon)) - Math.log1p(Math.exp(-epsilon))
      : Math.log1p((Math.expm1(grown) * -Math.expm1(-grown - epsilon)) / (1 + Math.exp(-epsilon)));
  return enlarge(exact, 8);
}

const DECIMALS = powerOfTen(18);

/** ε of Laplace noise, sensitivity ÷ scale: the double above it, and itself where it is a decimal of few places, which keeps exact sums short. */
function laplaceEpsilon(
  sensitivity: number,
  scale: Decimal,
): readonly [epsilon: number, decimal: Rational | undefined] {
  const exact = divide(rational(BigInt(sensitivity)), parseRational(scale));
  return [toDouble(exact, "up"), DECIMALS % exact.denominator === 0n ? exact : undefined];
}

function pure(epsilon: number, decimal?: Decimal | Rational): LossFacts {
  return {
    epsilon,
    ...(decimal === undefined ? {} : { decimal }),
    delta: 0,
    rho: enlarge(rhoOfPure(epsilon), 4),
    muSquared: epsilon === INFINITY ? INFINITY : muOfPure(epsilon) ** 2 * (1 + 2 ** -51),
    renyi: (lambda) => pureRenyi(epsilon, lambda),
  };
}

function concentrated(rho: number): LossFacts {
  return { epsilon: INFINITY, delta: 0, rho, muSquared: INFINITY, renyi: (lambda) => lambda * (lambda + 1) * rho };
}

function normal(mu: number): LossFacts {
  return { ...concentrated(enlarge((mu * mu) / 2, 2)), muSquared: enlarge(mu * mu, 2) };
}

/** The facts of one event; every field is an upper bound. [M321] */
export function lossFacts(event: DpEvent, work: Work = unboundedWork): LossFacts {
  if (isKind(event)) {
    work.spend(workOf(event));
    return fromDistribution(event, lossFacts(plainEvent(event)), work);
  }
  switch (event.kind) {
    case "pure":
      return pure(upper(event.epsilon), event.epsilon);
    case "randomizedResponse":
      return pure(upper(event.epsilon), event.epsilon);
    case "approximate":
      return { ...pure(upper(event.epsilon), event.epsilon), delta: event.delta };
    case "exponential":
      return boundedRange(upper(event.epsilon), event.epsilon);
    case "laplace": {
      const [epsilon, decimal] = laplaceEpsilon(1, event.noiseMultiplier);
      return {
        ...pure(epsilon, decimal),
        rho: enlarge(bend(-epsilon), 8),
        muSquared: muOfLaplace(epsilon) ** 2 * (1 + 2 ** -51),
        renyi: (lambda) => laplaceLogMgf(epsilon, lambda),
      };
    }
    case "discreteLaplace":
      return fromDistribution(event, pure(...laplaceEpsilon(event.sensitivity, event.scale)), work);
    case "gaussian":
      return normal(1 / noise(event));
    case "gdp":
      return normal(upper(event.mu));
    case "discreteGaussian":
      return concentrated(enlarge((event.sensitivity / lower(event.sigma)) ** 2 / 2, 4));
    case "zcdp":
      return concentrated(upper(event.rho));
    case "rdp": {
      const [order, epsilon] = [lower(event.order), upper(event.epsilon)];
      return { ...concentrated(INFINITY), renyi: (lambda) => (lambda + 1 <= order ? lambda * epsilon : INFINITY) };
    }
    case "poissonSampled": {
      const one = oneSample(event);
      return sampled(one, one.rate, work);
    }
    case "sampledWithoutReplacement":
      return sampled(event, drawnShare(event), work);
    case "parallel":
      return worst(event.events.map((part) => lossFacts(part, work)));
    case "repeated":
    case "composed":
      return composedFacts(spendClasses([event]), work);
    default:
      return event satisfies never;
  }
}

/** ε-bounded range: ρ = ε²/8 [M34], μ of half of ε [M38], and what pure ε gives. */
function boundedRange(epsilon: number, decimal: Decimal): LossFacts {
  const plain = pure(epsilon, decimal);
  const rho = enlarge((epsilon * epsilon) / 8, 2);
  const renyi = (lambda: number): number => Math.min(plain.renyi(lambda), lambda * (lambda + 1) * rho);
  return { ...plain, rho: Math.min(plain.rho, rho), muSquared: pure(epsilon / 2).muSquared, renyi };
}

/** Rényi divergences from the exact distribution of the loss, both directions, where the event has one. */
function fromDistribution(event: DpEvent, otherwise: LossFacts, work: Work): LossFacts {
  const distributions = (["remove", "add"] as const).map((direction) => ({
    direction,
    distribution: lossDistribution(event, direction),
  }));
  const cumulants = distributions.flatMap(({ distribution, direction }) => {
    const cumulant =
      distribution === undefined ? undefined : cumulantOf(distribution, effectiveDirection(event, direction), work);
    return cumulant === undefined ? [] : [cumulant];
  });
  if (cumulants.length < 2) return otherwise;
  const renyi = (lambda: number): number =>
    Math.min(
      otherwise.renyi(lambda),
      cumulants.reduce((high, cumulant) => Math.max(high, cumulant(lambda)), 0),
    );
  return { ...otherwise, renyi };
}

/** An upper bound on λ·D_{1+λ} of one distribution; undefined where some outcome shows the person for certain. */
export function cumulantOf(
  distribution: LossDistribution,
  direction: Direction,
  work: Work = unboundedWork,
): ((lambda: number) => number) | undefined {
  const { infinite, cut, cutLogMgf } = distribution;
  if (infinite > cut) return undefined;
  const { logMgf } = characteristicOf(distribution, 1, direction, work);
  return (lambda) => {
    const high = logAdd(logMgf(lambda), cutLogMgf(lambda));
    return high + 1e-14 * Math.abs(high) + 2e-15;
  };
}

/** Sampling never makes any measure worse; pure ε and δ shrink by the secrecy of the sample [M48]. */
function sampled(event: DpEvent & { readonly event: DpEvent }, share: Decimal | Rational, work: Work): LossFacts {
  const inner = lossFacts(event.event, work);
  const rate = upper(share);
  const epsilon = inner.epsilon === INFINITY ? INFINITY : enlarge(mixedLoss(rate, inner.epsilon), 4);
  const mass = productOf(share, inner.delta);
  const small = pure(epsilon);
  return fromDistribution(
    event,
    {
      epsilon,
      delta: mass,
      rho: Math.min(inner.rho, small.rho),
      muSquared: Math.min(inner.muSquared, small.muSquared),
      renyi: (lambda) => Math.min(inner.renyi(lambda), small.renyi(lambda)),
    },
    work,
  );
}

function worst(parts: readonly LossFacts[]): LossFacts {
  const most = (read: (facts: LossFacts) => number): number =>
    parts.reduce((high, part) => Math.max(high, read(part)), 0);
  return {
    epsilon: most(({ epsilon }) => epsilon),
    delta: most(({ delta }) => upper(delta)),
    rho: most(({ rho }) => rho),
    muSquared: most(({ muSquared }) => muSquared),
    renyi: (lambda) => most(({ renyi }) => renyi(lambda)),
  };
}

/** The facts of a table of classes taken as one event: everything adds up. */
function composedFacts(classes: readonly SpendClass[], work: Work): LossFacts {
  const rows = classes.map(({ event, count }) => ({ count, facts: lossFacts(event, work) }));
  const sum = (read: (facts: LossFacts) => number): number =>
    enlarge(
      rows.reduce((total, { count, facts }) => total + count * read(facts), 0),
      rows.length + 1,
    );
  return {
    epsilon: sum(({ epsilon }) => epsilon),
    delta: Math.min(
      1,
      sum(({ delta }) => upper(delta)),
    ),
    rho: sum(({ rho }) => rho),
    muSquared: sum(({ muSquared }) => muSquared),
    renyi: (lambda) => sum(({ renyi }) => renyi(lambda)),
  };
}
