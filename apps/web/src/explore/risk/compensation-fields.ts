import { formatNumber } from "@dosimeter/plot";
import {
  advantageCost,
  type CostFunction,
  exponentialCost,
  hillCost,
  posteriorCost,
  saturatingCost,
} from "@dosimeter/risk";
import { choiceField, numberField, optionalField, type ValuesOf } from "./field.ts";

const positive = { above: 0 } as const;
export const fields = {
  people: numberField("100", { min: 1, isWhole: true, max: 1e9 }),
  compensation: numberField("5500", { above: 0, max: 1e12 }),
  error: numberField("2", { above: 0, max: 1e6 }),
  k: numberField("1", { min: 1, max: 1_000_000, isWhole: true }),
  rate: numberField("1", { above: 0, max: 1e6 }),
  bias: numberField("0", { min: 0 }),
  budget: optionalField(positive),
  shape: choiceField(["exponential", "hill", "saturating", "advantage", "posterior"], "exponential"),
  form: choiceField(["corrected", "printed"], "corrected"),
  least: numberField("5467", positive),
  most: numberField("5530", positive),
  rateLeast: numberField("0.5", { above: 0, max: 1e6 }),
  rateMost: numberField("2", { above: 0, max: 1e6 }),
};
export type Values = ValuesOf<typeof fields>;

export const shapes: Readonly<
  Record<Values["shape"], { readonly words: string; readonly make: (rate: number) => CostFunction }>
> = {
  exponential: { words: "e^(−c/ε), as published", make: exponentialCost },
  hill: { words: "ε/(ε + c)", make: (rate) => hillCost(1, rate) },
  saturating: { words: "1 − e^(−cε)", make: saturatingCost },
  advantage: { words: "tanh(ε/2), membership advantage", make: () => advantageCost },
  posterior: { words: "growth of a 1 in 10 suspicion", make: () => posteriorCost(0.1) },
};

/** The two forms of equation (8). */
export const formWords = {
  corrected: "b + (E − b)·D(ε), corrected",
  printed: "E·D(ε) + b, as printed",
} as const satisfies Readonly<Record<Values["form"], string>>;

const cents = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
export const money = (value: number): string => cents.format(value);
export const percent = (value: number): string => `${formatNumber(100 * value, 3)} %`;
