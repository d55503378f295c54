import { normalCdf } from "@dosimeter/core/internal";
import { roundTowards } from "@dosimeter/plot";

/**
 * Least whole k with P(|Z| > k) ≤ failureProbability for discrete Laplace noise Z of scale 1/ε: the error of a count of
 * people who each count once. The tail is 2e^{−ε(k+1)}/(1+e^{−ε}).
 */
export function countError(epsilon: number, failureProbability: number): number {
  const ratio = 2 / (failureProbability * (1 + Math.exp(-epsilon)));
  return Math.max(0, Math.ceil(Math.log(ratio) / epsilon) - 1);
}

/** The most a belief `prior` in [0, 1] can become after everything published with a total of ε: p·eᵉ/(p·eᵉ + 1 − p). */
export function posterior(prior: number, epsilon: number): number {
  return prior / (prior + (1 - prior) * Math.exp(-epsilon));
}

/** The largest share of right guesses, from even odds, whether one person took part: eᵉ/(1 + eᵉ). */
export const guessesRight = (epsilon: number): number => posterior(0.5, epsilon);

/**
 * What a reader who knows everyone else believes of a person's part in counts with discrete Laplace noise of scale 1/ε: each as printed, and as
 * it is without the person [M416].
 */
export const beliefAfter = (
  prior: number,
  epsilon: number,
  page: readonly { readonly printed: number; readonly without: number }[],
): number =>
  posterior(
    prior,
    epsilon *
      page.reduce(
        (sum, { printed, without }) => sum + Math.abs(printed - without) - Math.abs(printed - without - 1),
        0,
      ),
  );

/** A share that is an upper bound, of 100, as every page shows it: rounded up, to whole ones from 10 on. */
export const atMostOf100 = (share: number): number =>
  share >= 0.1 ? Math.ceil(100 * share) : Math.ceil(1000 * share) / 10;

/** Of 100 such guesses, how many are right at most, on average; rounded up [M79]. */
export const rightOf100 = (epsilon: number): number => atMostOf100(guessesRight(epsilon));

/** The same for people: of 99 and more a digit that tells how many are wrong, so that 100 is only said of certainty, to eleven digits. */
export function ofHundred(share: number): string {
  const wrong = 100 * (1 - share);
  return wrong > 1 || wrong < 1e-9
    ? String(atMostOf100(share))
    : String(Number((100 - roundTowards(wrong, "down", 1)).toFixed(9)));
}

/** What answers may reveal: pure loss that adds up to ε, Gaussian noise of μ² in all, and δ. */
export interface Exposure {
  readonly epsilon: number;
  readonly mu2: number;
  readonly delta: number;
}

/** The largest share of right guesses, from even odds, after such answers: their advantages add up [M381]. */
export const rightAfter = ({ epsilon, mu2, delta }: Exposure): number =>
  Math.min(1, (1 + Math.tanh(epsilon / 2) + (2 * normalCdf(Math.sqrt(mu2) / 2) - 1) + delta) / 2);
