import type { TradeoffAxes } from "@dosimeter/plot";
import {
  type CurveDefinition,
  compose,
  named,
  readCurve,
  selfCompose,
  type TradeoffFunction,
} from "@dosimeter/tradeoff";

/** One curve of the page. `together` is a composition of earlier entries: each with how often it is used. */
export type Entry =
  | { readonly epsdelta: readonly [epsilon: number, delta: number] }
  | { readonly gdp: number }
  | { readonly lap: number }
  | { readonly points: readonly (readonly [alpha: number, beta: number])[]; readonly name: string }
  | { readonly together: readonly (readonly [index: number, count: number])[] };

/** The state in the page's address. */
export interface TradeoffState {
  readonly curves: readonly Entry[];
  readonly axes: TradeoffAxes;
  readonly rate: number;
  readonly prior: number;
}

export const startState: TradeoffState = {
  curves: [{ epsdelta: [1, 0] }, { gdp: 1 }],
  axes: "linear",
  rate: 0.01,
  prior: 0.5,
};

/** More points than this are not put into the address. */
export const MAX_POINTS = 120;

const axesKinds: readonly TradeoffAxes[] = ["linear", "log", "probit"];

/** The state that an address holds; what is missing or invalid in it has its initial value. */
export function readState(search: Readonly<Record<string, unknown>>): TradeoffState {
  const { curves, axes, rate, prior } = search;
  const entries = Array.isArray(curves) ? curves.filter(isEntry) : startState.curves;
  return {
    curves: entries.filter((entry, i) => !("together" in entry) || entry.together.every(([index]) => index < i)),
    axes: axesKinds.find((kind) => kind === axes) ?? startState.axes,
    rate: isRate(rate) && rate > 0 ? rate : startState.rate,
    prior: isRate(prior) ? prior : startState.prior,
  };
}

export function unreadIn({ curves }: Readonly<Record<string, unknown>>): number {
  return Array.isArray(curves) ? curves.length - readState({ curves }).curves.length : 0;
}

/** The address of a state: only what differs from the initial state, and no long lists of points. */
export function writeState(state: TradeoffState): Readonly<Record<string, unknown>> {
  const curves = state.curves.filter((entry) => !("points" in entry) || entry.points.length <= MAX_POINTS);
  const isWhole = curves.length === state.curves.length;
  return {
    ...(JSON.stringify(curves) === JSON.stringify(startState.curves)
      ? {}
      : { curves: isWhole ? curves : curves.filter((entry) => !("together" in entry)) }),
    ...(state.axes === startState.axes ? {} : { axes: state.axes }),
    ...(state.rate === startState.rate ? {} : { rate: state.rate }),
    ...(state.prior === startState.prior ? {} : { prior: state.prior }),
  };
}

const isRate = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= 1;
const isAmount = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= 1e6;
const isPair = (value: unknown): value is readonly [unknown, unknown] => Array.isArray(value) && value.length === 2;

function isEntry(value: unknown): value is Entry {
  if (typeof value !== "object" || value === null) return false;
  const entry = value as Readonly<Record<string, unknown>>;
  if (isPair(entry.epsdelta)) return isAmount(entry.epsdelta[0]) && isRate(entry.epsdelta[1]);
  if (Array.isArray(entry.points)) {
    return (
      entry.points.length > 0 &&
      typeof entry.name === "string" &&
      entry.points.every(
        (point) => isPair(point) && isRate(point[0]) && isRate(point[1]) && point[0] + point[1] <= 1 + 1e-8,
      )
    );
  }
  if (Array.isArray(entry.together)) {
    return entry.together.every(
      (part) =>
        isPair(part) &&
        Number.isSafeInteger(part[0]) &&
        Number(part[0]) >= 0 &&
        Number.isSafeInteger(part[1]) &&
        Number(part[1]) >= 1 &&
        Number(part[1]) <= 1000,
    );
  }
  return isAmount(entry.gdp) || isAmount(entry.lap);
}

/** The definition of an entry, with compositions written out; null for a composition of nothing. */
export function definitionOf(curves: readonly Entry[], index: number): CurveDefinition | null {
  const entry = curves[index];
  if (entry === undefined) return null;
  if ("points" in entry) return { points: entry.points };
  if (!("together" in entry)) return entry;
  const parts = entry.together.flatMap(([part, count]): CurveDefinition[] => {
    const definition = part < index ? definitionOf(curves, part) : null;
    return definition === null ? [] : [count === 1 ? definition : { selfCompose: [count, definition] }];
  });
  return parts.length === 0 ? null : { compose: parts };
}

/** Whether a composition needs transforms, which take a moment. */
export function isHeavy(definition: CurveDefinition): boolean {
  const parts = "compose" in definition ? definition.compose : [definition];
  const inner = parts.map((part) => ("selfCompose" in part ? part.selfCompose[1] : part));
  const isGaussian = inner.every((part) => "gdp" in part);
  const isDiscrete = inner.every((part) => "epsdelta" in part || "points" in part);
  return ("compose" in definition || "selfCompose" in definition) && !isGaussian && !isDiscrete;
}

/** The curve of an entry that is not a composition, or a light one. */
export function curveOf(curves: readonly Entry[], index: number): TradeoffFunction | null {
  const entry = curves[index];
  const definition = definitionOf(curves, index);
  if (entry === undefined || definition === null) return null;
  if ("points" in entry) return named(readCurve(definition), entry.name);
  if (!("together" in entry)) return readCurve(definition);
  const parts = entry.together.flatMap(([part, count]) => {
    const curve = part < index ? curveOf(curves, part) : null;
    return curve === null ? [] : [count === 1 ? curve : selfCompose(count, curve)];
  });
  return parts.length === 0 ? null : named(compose(parts), nameOf(curves, index));
}

export function nameOf(curves: readonly Entry[], index: number): string {
  const entry = curves[index];
  if (entry === undefined) return "nothing";
  if ("points" in entry) return entry.name;
  if (!("together" in entry)) return readCurve(entry).label;
  const parts = entry.together.map(([part, count]) => `${count === 1 ? "" : `${count} × `}${nameOf(curves, part)}`);
  return parts.length === 0 ? "composition of nothing" : parts.join(" + ");
}

/** Removes an entry, also from compositions, and renumbers their references. */
export function withoutEntry(curves: readonly Entry[], index: number): readonly Entry[] {
  return curves
    .filter((_, i) => i !== index)
    .map((entry) =>
      "together" in entry
        ? {
            together: entry.together
              .filter(([part]) => part !== index)
              .map(([part, count]) => [part > index ? part - 1 : part, count] as const),
          }
        : entry,
    );
}
