import { formatNumber } from "@dosimeter/plot";
import { publishedBothSources, sampledStatisticNames } from "@dosimeter/risk";
import { choiceField, numberField, optionalField, type ValuesOf } from "./field.ts";
import { type PublicDataName, publicData } from "./public-data.ts";

const share = { above: 0, below: 1 } as const;
export const fields = {
  data: choiceField([...(Object.keys(publicData) as PublicDataName[]), "own", "private"] as const, "ages"),
  statistic: choiceField(sampledStatisticNames, "mean"),
  size: numberField("100", { min: 1, max: 100_000, isWhole: true }),
  pairs: numberField("2000", { min: 1, max: 200_000, isWhole: true }),
  risk: numberField("0.05", { min: 0, below: 1 }),
  rho: numberField("0.01", share),
  beta: numberField("0.05", share),
  epsilon0: numberField("1", { above: 0, max: 600 }),
  epsilon: numberField("0.5", { min: 0, max: 600 }),
  ratio: numberField("1.13", { min: 1, max: 1e6 }),
  samples: numberField("10000", { min: 1, max: 1e9, isWhole: true }),
  proved: optionalField({ above: 0 }),
  seed: numberField("0", { min: 0, isWhole: true }),
};
export type Values = ValuesOf<typeof fields>;

/** Equations (6) and (7) at the settings of the page. */
export function equationSix({
  epsilon,
  epsilon0,
  ratio,
  samples,
  rho,
  risk,
}: Values): Readonly<Record<string, string>> {
  const published = publishedBothSources({ epsilon, epsilon0, ratio, samples, accuracy: rho, level: 1 - risk });
  return { Confidence: formatNumber(published.confidence, 6), Risk: formatNumber(published.risk, 6) };
}
