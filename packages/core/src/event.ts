import { toDouble } from "./amounts/double.ts";
import { type Decimal, parseRational, type Rational } from "./amounts/rational.ts";
import { invalid, PrivacyError } from "./error.ts";
import { isRecord } from "./json.ts";

/**
 * One run of a mechanism, with everything that accounting needs: plain data that ledgers keep for ever, so kinds are
 * added and never removed. The kind names the sampler that ran. Numbers are doubles (meaning their shortest decimal) or
 * exact strings, `"0.3"`, `"10/3"`. [M2]
 */
export type DpEvent =
  | { readonly kind: "pure"; readonly epsilon: Decimal }
  | { readonly kind: "approximate"; readonly epsilon: Decimal; readonly delta: Decimal }
  /** Real-valued Laplace noise of an external mechanism: b / Δ₁. */
  | { readonly kind: "laplace"; readonly noiseMultiplier: Decimal }
  /** The Gaussian mechanism, also exactly rounded to integers: σ / Δ₂. */
  | { readonly kind: "gaussian"; readonly noiseMultiplier: Decimal }
  /** Integer noise with Pr[x] ∝ exp(−|x|/scale) on one integer of the given ℓ₁ sensitivity. */
  | { readonly kind: "discreteLaplace"; readonly scale: Decimal; readonly sensitivity: number }
  /** Integer noise with Pr[x] ∝ exp(−x²/2σ²): for study; it is not Δ/σ-GDP. */
  | { readonly kind: "discreteGaussian"; readonly sigma: Decimal; readonly sensitivity: number }
  | { readonly kind: "randomizedResponse"; readonly epsilon: Decimal; readonly categories?: number }
  /** The exponential mechanism: ε-bounded range. */
  | { readonly kind: "exponential"; readonly epsilon: Decimal }
  | { readonly kind: "zcdp"; readonly rho: Decimal }
  | { readonly kind: "gdp"; readonly mu: Decimal }
  | { readonly kind: "rdp"; readonly order: Decimal; readonly epsilon: Decimal }
  | { readonly kind: "poissonSampled"; readonly rate: Decimal; readonly event: DpEvent }
  | {
      readonly kind: "sampledWithoutReplacement";
      readonly size: number;
      readonly population: number;
      readonly event: DpEvent;
    }
  /** ε-DP reports of this many people by one and the same randomiser, shuffled: whose is which stays secret. */
  | { readonly kind: "shuffled"; readonly epsilon: Decimal; readonly people: number }
  /** A Gaussian sum over a Poisson sample, one person replaced: σ / the largest norm of one person's part. */
  | { readonly kind: "poissonReplaced"; readonly rate: Decimal; readonly noiseMultiplier: Decimal }
  /** Gaussian noise σ on a sum to which a person adds a norm of at most cᵢ with probability pᵢ. */
  | {
      readonly kind: "gaussianMixture";
      readonly noiseMultiplier: Decimal;
      readonly sensitivities: readonly Decimal[];
      readonly probabilities: readonly Decimal[];
    }
  /** A Gaussian sum over a Poisson sample of at most `population` people, of which at most `batch` are kept, at random. */
  | {
      readonly kind: "truncatedPoisson";
      readonly rate: Decimal;
      readonly noiseMultiplier: Decimal;
      readonly batch: number;
      readonly population: number;
    }
  /** Permute and flip: ε-DP. */
  | { readonly kind: "permuteAndFlip"; readonly epsilon: Decimal }
  /** Noise σ on Cx for the lower-triangular Toeplitz matrix C of these coefficients, a person in x at most this often and this far apart. */
  | ({
      readonly kind: "bandedMatrix";
      readonly noiseMultiplier: Decimal;
      readonly coefficients: readonly Decimal[];
    } & Participation)
  /** Noise σ on every node of a binary tree over the steps. */
  | ({ readonly kind: "treeAggregation"; readonly noiseMultiplier: Decimal } & Participation)
  /** A Gaussian sum in each of `steps` steps, each person in one of them, drawn uniformly. */
  | { readonly kind: "randomAllocation"; readonly noiseMultiplier: Decimal; readonly steps: number }
  | { readonly kind: "repeated"; readonly count: number; readonly event: DpEvent }
  | { readonly kind: "composed"; readonly events: readonly DpEvent[] }
  /** One event for each part of a partition in which every privacy unit is in one part. */
  | { readonly kind: "parallel"; readonly events: readonly DpEvent[] };

/** In how many of the steps one person takes part, and the least distance between two of them. */
type Participation = {
  readonly steps: number;
  readonly participations: number;
  readonly separation: number;
};

export type EventKind = DpEvent["kind"];

type Reader = (value: unknown, name: string, depth: number) => unknown;

const participation = { steps: positiveInteger, participations: positiveInteger, separation: positiveInteger } as const;

/** Each kind's fields in their stored order. A missing `?` field is left out. */
const fields = {
  pure: { epsilon: nonNegative },
  approximate: { epsilon: nonNegative, delta: unitInterval },
  laplace: { noiseMultiplier: positive },
  gaussian: { noiseMultiplier: positive },
  discreteLaplace: { scale: positive, sensitivity: positiveInteger },
  discreteGaussian: { sigma: positive, sensitivity: positiveInteger },
  randomizedResponse: { epsilon: nonNegative, "categories?": categories },
  exponential: { epsilon: nonNegative },
  zcdp: { rho: nonNegative },
  gdp: { mu: nonNegative },
  rdp: { order: aboveOne, epsilon: nonNegative },
  poissonSampled: { rate: unitInterval, event: nested },
  sampledWithoutReplacement: { size: positiveInteger, population: positiveInteger, event: nested },
  shuffled: { epsilon: nonNegative, people: positiveInteger },
  poissonReplaced: { rate: unitInterval, noiseMultiplier: positive },
  gaussianMixture: {
    noiseMultiplier: positive,
    sensitivities: listOf(nonNegative),
    probabilities: listOf(unitInterval),
  },
  truncatedPoisson: {
    rate: unitInterval,
    noiseMultiplier: positive,
    batch: positiveInteger,
    population: positiveInteger,
  },
  permuteAndFlip: { epsilon: nonNegative },
  bandedMatrix: { noiseMultiplier: positive, coefficients: listOf(anyNumber), ...participation },
  treeAggregation: { noiseMultiplier: positive, ...participation },
  randomAllocation: { noiseMultiplier: positive, steps: positiveInteger },
  repeated: { count: naturalNumber, event: nested },
  composed: { events: nestedList },
  parallel: { events: nestedList },
} as const satisfies Record<EventKind, Record<string, Reader>>;

export const eventKinds = Object.keys(fields) as readonly EventKind[];

const MAX_DEPTH = 100;

/**
 * Reads an event from JSON and returns a frozen copy with exactly the known fields, in a fixed order, so that
 * `JSON.stringify` of it is stable. Errors carry the path: UNSUPPORTED_EVENT for a kind, INVALID_PARAMETER for the rest.
 */
export function parseEvent(json: unknown, path = "event"): DpEvent {
  return parse(json, path, 0);
}

/** The text of an event, the same for every order of its keys. */
export const formatEvent = (event: DpEvent): string => JSON.stringify(parseEvent(event));

function parse(json: unknown, path: string, depth: number): DpEvent {
  if (!isRecord(json)) invalid(path, json, 'an event like {"kind": "pure", "epsilon": 0.1}');
  if (depth > MAX_DEPTH) invalid(path, "…", `nested at most ${MAX_DEPTH} deep`);
  const { kind } = json;
  if (!isKind(kind)) {
    throw new PrivacyError("UNSUPPORTED_EVENT", { name: `${path}.kind`, got: kind, want: eventKinds.join(", ") });
  }
  const event: Record<string, unknown> = { kind };
  for (const [field, read] of Object.entries<Reader>(fields[kind])) {
    const key = field.replace("?", "");
    const value = json[key];
    if (value === undefined && field.endsWith("?")) continue;
    if (value === undefined) throw new PrivacyError("INVALID_PARAMETER", { name: `${path}.${key}` });
    event[key] = read(value, `${path}.${key}`, depth);
  }
  for (const key of Object.keys(json)) {
    if (!(key in event)) invalid(`${path}.${key}`, json[key], `absent from an event of kind ${kind}`);
  }
  if (kind === "sampledWithoutReplacement" && Number(event.size) > Number(event.population)) {
    invalid(`${path}.size`, event.size, "at most the population");
  }
  if (kind === "gaussianMixture") checkMixture(event as unknown as Extract<DpEvent, { kind: "gaussianMixture" }>, path);
  return Object.freeze(event) as DpEvent;
}

function checkMixture(
  { sensitivities, probabilities }: Extract<DpEvent, { readonly kind: "gaussianMixture" }>,
  path: string,
): void {
  if (sensitivities.length !== probabilities.length)
    invalid(
      `${path}.probabilities`,
      `${probabilities.length} numbers`,
      `as many as sensitivities: ${sensitivities.length}`,
    );
  const sum = probabilities.reduce<number>((total, p) => total + toDouble(parseRational(p), "up"), 0);
  if (!(Math.abs(sum - 1) <= 1e-12)) invalid(`${path}.probabilities`, sum, "numbers that sum to 1");
}

/** Longest list of numbers in an event. */
const MAX_LIST = 4096;

function listOf(read: Reader): Reader {
  return (value, name, depth) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > MAX_LIST)
      invalid(name, Array.isArray(value) ? `${value.length} numbers` : value, `a list of 1 to ${MAX_LIST} numbers`);
    return Object.freeze(value.map((item, i) => read(item, `${name}[${i}]`, depth)));
  };
}

function anyNumber(value: unknown, name: string): Decimal {
  return decimal(value, name, "a number", () => true);
}

function nested(value: unknown, name: string, depth: number): DpEvent {
  return parse(value, name, depth + 1);
}

function nestedList(value: unknown, name: string, depth: number): readonly DpEvent[] {
  if (!Array.isArray(value)) invalid(name, value, "a list of events");
  return Object.freeze(value.map((item, index) => parse(item, `${name}[${index}]`, depth + 1)));
}

function decimal(value: unknown, name: string, want: string, holds: (x: Rational) => boolean): Decimal {
  if (typeof value !== "number" && typeof value !== "string") invalid(name, value, want);
  const exact = parseRational(value, name);
  if (!holds(exact)) invalid(name, value, want);
  if (!isRepresentable(exact)) invalid(name, value, `${want} and 0 or between 1e-300 and 1e300`);
  return Object.is(value, -0) ? 0 : value;
}

function isRepresentable({ numerator, denominator }: Rational): boolean {
  const digits = (n: bigint): number => n.toString().length;
  return numerator === 0n || Math.abs(digits(numerator) - digits(denominator)) < 300;
}

function nonNegative(value: unknown, name: string): Decimal {
  return decimal(value, name, ">= 0", (x) => x.numerator >= 0n);
}

function positive(value: unknown, name: string): Decimal {
  return decimal(value, name, "> 0", (x) => x.numerator > 0n);
}

function unitInterval(value: unknown, name: string): Decimal {
  return decimal(value, name, "between 0 and 1", (x) => x.numerator >= 0n && x.numerator <= x.denominator);
}

function aboveOne(value: unknown, name: string): Decimal {
  return decimal(value, name, "> 1", (x) => x.numerator > x.denominator);
}

function naturalNumber(value: unknown, name: string): number {
  if (!Number.isSafeInteger(value) || Number(value) < 0) invalid(name, value, "an integer >= 0");
  return Number(value);
}

function positiveInteger(value: unknown, name: string): number {
  if (!Number.isSafeInteger(value) || Number(value) < 1) invalid(name, value, "an integer >= 1");
  return Number(value);
}

function categories(value: unknown, name: string): number {
  if (!Number.isSafeInteger(value) || Number(value) < 2) invalid(name, value, "an integer >= 2");
  return Number(value);
}

const isKind = (kind: unknown): kind is EventKind => typeof kind === "string" && Object.hasOwn(fields, kind);
