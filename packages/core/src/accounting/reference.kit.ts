import type { DpEvent } from "../event.ts";
import type { Method, Question } from "./loss.ts";

export interface GoldenValue {
  readonly id: string;
  readonly category: string;
  // biome-ignore lint/suspicious/noExplicitAny: each category has inputs of its own
  readonly inputs: any;
  readonly quantity: string;
  readonly value: number;
  readonly tolerance: { readonly rel: number; readonly abs: number };
}

/** One golden value as a call of `totalLoss`. */
export interface GoldenTotal {
  readonly id: string;
  readonly events: readonly DpEvent[];
  readonly question: Question;
  readonly method: Method;
  readonly value: number;
  /** The largest allowed relative excess: that of the value, or that of a method that is not exact. */
  readonly tolerance: number;
}

const times = (count: number, event: DpEvent): DpEvent => ({ kind: "repeated", count, event });
const pure = (epsilon: number): DpEvent => ({ kind: "pure", epsilon });
const laplace = (epsilon: number): DpEvent => ({ kind: "laplace", noiseMultiplier: 1 / epsilon });
const approximate = (epsilon: number, delta: number): DpEvent =>
  delta === 0 ? pure(epsilon) : { kind: "approximate", epsilon, delta };

type Spends = readonly (readonly [number, number])[];

/** The golden values that are totals of a list, each with every method that must reproduce it. */
export function goldenTotals(values: readonly GoldenValue[]): readonly GoldenTotal[] {
  return values.flatMap((golden) => {
    const { inputs, category, id } = golden;
    const question: Question =
      inputs.delta === undefined ? { epsilon: inputs.epsilon ?? inputs.eps } : { delta: inputs.delta };
    const total = (
      method: Method,
      events: readonly DpEvent[],
      asked: Question = question,
      tolerance = golden.tolerance.rel,
    ): GoldenTotal => ({ id, events, question: asked, method, value: golden.value, tolerance });
    switch (category) {
      case "basic":
        return id.endsWith("p")
          ? [
              total(
                "basic",
                (inputs.spends as [number, number, number][]).map(([e, d, n]) => times(n, approximate(e, d))),
                { epsilon: 1e3 },
              ),
            ]
          : [];
      case "advanced": {
        const events =
          typeof inputs.eps === "string"
            ? Array.from({ length: 40 }, (_, i) => pure(Number((0.01 * (i + 1)).toFixed(2))))
            : [times(inputs.k, pure(inputs.eps))];
        const method = id.startsWith("drvtanh") ? "advancedTight" : id.startsWith("kov-e") ? "advancedLog" : "advanced";
        return [total(method, events, { delta: inputs.delta_prime })];
      }
      case "kov-optimal": {
        const events = [times(inputs.k, approximate(inputs.eps, inputs.delta_each ?? 0))];
        return [total("optimal", events), total("pld", events)];
      }
      case "murtagh-vadhan": {
        const events = (inputs.eps as number[]).map((e) => approximate(e, inputs.delta_each ?? 0));
        return [total("optimal", events), total("pld", events)];
      }
      case "zcdp":
        if (inputs.rho === undefined) return [];
        if (id.includes("gauss"))
          return [total("gdp", [{ kind: "gaussian", noiseMultiplier: 1 / Math.sqrt(2 * inputs.rho) }])];
        return [total(id.includes("simple") ? "zcdpSimple" : "zcdp", [{ kind: "zcdp", rho: inputs.rho }])];
      case "gdp":
        return [total("gdp", [{ kind: "gdp", mu: inputs.mu }]), total("pld", [{ kind: "gdp", mu: inputs.mu }])];
      case "pld-discrete":
        return [total("pld", [times(inputs.k, discrete(inputs))])];
      case "pld-laplace":
      case "tiny-delta":
      case "pld-mixture":
        return [total("pld", mixture(inputs))];
      case "pld-subsampled-gaussian": {
        const event: DpEvent = { kind: "gaussian", noiseMultiplier: inputs.sigma };
        return [total("pld", [times(inputs.k, { kind: "poissonSampled", rate: inputs.q, event })])];
      }
      default:
        return [];
    }
  });
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function discrete(inputs: any): DpEvent {
  if (inputs.buckets !== undefined) {
    const other = inputs.noise_parameter / inputs.buckets;
    return {
      kind: "randomizedResponse",
      epsilon: Math.log((1 - inputs.noise_parameter + other) / other),
      categories: inputs.buckets,
    };
  }
  if (inputs.sigma !== undefined) return { kind: "discreteGaussian", sigma: inputs.sigma, sensitivity: 1 };
  return { kind: "discreteLaplace", scale: 1 / inputs.a, sensitivity: inputs.sensitivity };
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function mixture(inputs: any): readonly DpEvent[] {
  if (inputs.eps0 !== undefined) return [times(inputs.k, laplace(inputs.eps0))];
  return [
    ...((inputs.gaussian_mu ?? []) as number[]).map((mu): DpEvent => ({ kind: "gdp", mu })),
    ...((inputs.laplace ?? []) as Spends).map(([e, n]) => times(n, laplace(e))),
    ...((inputs.pure ?? []) as Spends).map(([e, n]) => times(n, pure(e))),
    ...((inputs.delta_masses ?? []) as Spends).map(([d, n]) => times(n, { kind: "approximate", epsilon: 0, delta: d })),
  ];
}
