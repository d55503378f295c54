import { useMemo, useState } from "react";
import { choiceField, type FieldState, numberField, readAll, type ValuesOf } from "../risk/field.ts";
import { type Chosen, rangeOf } from "./range.ts";

const percentage = { above: 0, below: 100 } as const;

/** The questions with their initial answers; shares are typed in per cent. */
export const chooserFields = {
  prior: numberField("10", percentage),
  posterior: numberField("50", percentage),
  sensitivity: choiceField(["open", "ordinary", "sensitive", "dangerous"], "ordinary"),
  people: numberField("10000", { min: 1, max: 1e10, isWhole: true }),
  delta: numberField("0.000001", { min: 0, below: 1 }),
  error: numberField("1", { above: 0, max: 100 }),
  answers: numberField("20", { min: 1, max: 100_000, isWhole: true }),
  parties: numberField("1", { min: 1, max: 1000, isWhole: true }),
  reuse: choiceField(["none", "some", "most"], "none"),
  compensation: numberField("5500", { above: 0, max: 1e12 }),
};
export type ChooserState = FieldState<typeof chooserFields>;

/** The same state kept in the component, for a dialog whose page has an address of its own. */
export function useChooser(start: Partial<Record<keyof typeof chooserFields, string>> = {}): ChooserState {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(start);
  return useMemo(
    () => ({
      ...readAll(chooserFields, texts),
      set: (change) =>
        setTexts((before) => ({
          ...before,
          ...Object.fromEntries(
            Object.entries(change).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
          ),
        })),
    }),
    [texts],
  );
}

/** The range that the answers leave; undefined while one of them is invalid. */
export const chosenOf = ({ values }: ChooserState): Chosen | undefined =>
  values === undefined ? undefined : choose(values);

export function choose(values: ValuesOf<typeof chooserFields>): Chosen | undefined {
  if (values.posterior <= values.prior) return undefined;
  return rangeOf({
    ...values,
    prior: values.prior / 100,
    posterior: values.posterior / 100,
    error: values.error / 100,
  });
}
