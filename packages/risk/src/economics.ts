import { checkPositive, checkWhole } from "./check.ts";

/** Hsu et al. 2014, the arm without privacy: N = budget/(share · payment) people can be paid; the mean is off by more than `error` with chance at most 2e^(−NT²/3). */
export function plainStudy(options: {
  readonly budget: number;
  readonly share: number;
  readonly payment: number;
  readonly error: number;
}): { readonly people: number; readonly failureProbability: number } {
  const { budget, share, payment, error } = options;
  for (const [name, value] of Object.entries({ budget, share, payment, error })) checkPositive(name, value);
  const people = Math.floor(budget / (share * payment));
  return { people, failureProbability: Math.min(1, 2 * Math.exp((-people * error * error) / 3)) };
}

/** The most that a person can ask for taking part: expected utility changes by (e^ε − 1)·E at most (Hsu et al. 2014). */
export function participationCost(options: {
  readonly epsilon: number;
  readonly compensation: number;
  readonly people?: number;
}): number {
  const { epsilon, compensation, people = 1 } = options;
  return (
    checkWhole("people", people) *
    checkPositive("compensation", compensation) *
    Math.expm1(checkPositive("epsilon", epsilon))
  );
}
