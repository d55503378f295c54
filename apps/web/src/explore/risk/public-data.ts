import { normalQuantile } from "@dosimeter/core/internal";
import { repeatablePick } from "@dosimeter/risk";

/** Public records, made by a formula and never read from a dataset. */
interface PublicData {
  readonly title: string;
  readonly provenance: "synthetic";
  /** A description that is shown with every result. */
  readonly origin: string;
  readonly columns: readonly string[];
  readonly rows: () => readonly (readonly number[])[];
}

const RECORDS = 5000;
const STEPS = 1_000_000;

/** Uniform numbers in (0, 1), the same each time. */
function* uniforms(seed: number): Generator<number, never, void> {
  const pick = repeatablePick(seed);
  while (true) yield (pick(STEPS) + 0.5) / STEPS;
}

const make = (seed: number, record: (next: () => number) => readonly number[]): readonly (readonly number[])[] => {
  const stream = uniforms(seed);
  return Array.from({ length: RECORDS }, () => record(() => stream.next().value));
};

export const publicData = {
  ages: {
    title: "Ages of 5,000 synthetic adults",
    provenance: "synthetic",
    origin: "whole numbers from 18 to 90, each as likely",
    columns: ["age"],
    rows: () => make(1, (next) => [18 + Math.floor(73 * next())]),
  },
  incomes: {
    title: "Incomes of 5,000 synthetic adults, heavy tail",
    provenance: "synthetic",
    origin: "Pareto law, least 20,000, tail index 2.2",
    columns: ["income"],
    rows: () => make(2, (next) => [Math.round(20_000 * next() ** (-1 / 2.2))]),
  },
  health: {
    title: "A condition that 35 in 100 have",
    provenance: "synthetic",
    origin: "ones and zeros, a one with probability 0.35",
    columns: ["has it"],
    rows: () => make(3, (next) => [next() < 0.35 ? 1 : 0]),
  },
  wages: {
    title: "Age and wage, for a regression",
    provenance: "synthetic",
    origin: "age from 18 to 90 as x in [0, 1]; wage 0.3 + 0.4·x + a normal error of 0.1, cut to [0, 1]",
    columns: ["age", "wage"],
    rows: () =>
      make(4, (next) => {
        const x = next();
        return [x, Math.min(1, Math.max(0, 0.3 + 0.4 * x + 0.1 * normalQuantile(next())))];
      }),
  },
} as const satisfies Readonly<Record<string, PublicData>>;

export type PublicDataName = keyof typeof publicData;
