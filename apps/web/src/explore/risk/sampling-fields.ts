import { choiceField, numberField, optionalField, type ValuesOf } from "./field.ts";
import { type PublicDataName, publicData } from "./public-data.ts";

export const share = { above: 0, below: 1 } as const;
export const fields = {
  data: choiceField([...(Object.keys(publicData) as PublicDataName[]), "own", "private"] as const, "ages"),
  statistic: choiceField(["sum", "mean", "variance", "median", "ridge"], "mean"),
  size: numberField("100", { min: 1, max: 100_000, isWhole: true }),
  pairs: numberField("2000", { min: 1, max: 200_000, isWhole: true }),
  risk: numberField("0.05", { min: 0, below: 1 }),
  rho: numberField("0.01", share),
  beta: numberField("0.05", share),
  epsilon0: numberField("1", { above: 0, max: 600 }),
  epsilon: numberField("0.5", { min: 0, max: 600 }),
  proved: optionalField({ above: 0 }),
  seed: numberField("0", { min: 0, isWhole: true }),
};
export type Values = ValuesOf<typeof fields>;
