import { type Decimal, parseRational, type Rational } from "./amounts/rational.ts";
import { invalid, PrivacyError } from "./error.ts";
import { isRecord } from "./json.ts";

/**
 * One run of a mechanism, with everything that accounting needs: plain data that ledgers keep for ever, so kinds are
 * added and never removed. The kind names the sampler that ran. Numbers are doubles (meaning their shortest decimal) or
 * exact strings, `"0.3"`, `"10/3"`.
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
  | { readonly kind: "repeated"; readonly count: number; readonly event: DpEvent }
  | { readonly kind: "composed"; readonly events: readonly DpEvent[] }
  /** One event for each part of a partition in which every privacy unit is in one part. */
  | { readonly kind: "parallel"; readonly events: readonly DpEvent[] };

export type EventKind = DpEvent["kind"];

type Reader = (value: unknown, name: string, depth: number) => unknown;

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
  return Object.freeze(event) as DpEvent;
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
