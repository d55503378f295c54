import { optimalEpsilon } from "@dosimeter/risk";
import { countError } from "../../parts/calculus.ts";

/** The data steward's answers: the five factors and the wanted level of privacy. */
export interface Answers {
  /** A suspicion about one person, and what it may become at most, both in (0, 1). */
  readonly prior: number;
  readonly posterior: number;
  readonly sensitivity: Sensitivity;
  /** People in the data, as declared; never read from rows. */
  readonly people: number;
  /** The error of a count that is accepted, as a share of the people. */
  readonly error: number;
  /** Answers over the whole lifetime, of one party. */
  readonly answers: number;
  readonly parties: number;
  readonly reuse: Reuse;
  readonly delta: number;
}

type Sensitivity = "open" | "ordinary" | "sensitive" | "dangerous";
type Reuse = "none" | "some" | "most";

/** By how much the upper end moves: a convention of this page, not a theorem. */
const caution: Readonly<Record<Sensitivity, number>> = { open: 2, ordinary: 1, sensitive: 0.5, dangerous: 0.25 };
/** Share of questions that earlier answers settle. */
const reused: Readonly<Record<Reuse, number>> = { none: 0, some: 0.5, most: 0.9 };

/** The range after one answer and why it moved. `least` above `most`: the wishes conflict. */
interface Step {
  readonly label: string;
  readonly least: number;
  readonly most: number;
  readonly reason: string;
}

export interface Chosen {
  readonly steps: readonly Step[];
  readonly least: number;
  readonly most: number;
  readonly isConflict: boolean;
  /** What one answer needs for the error wanted. */
  readonly perAnswer: number;
  /** Answers that must be paid for. */
  readonly paid: number;
}

const FAILURE_PROBABILITY = 0.05;
/** The initial range. */
const START = { least: 0.01, most: 10 };

/** Ranges of a lifetime ε, one answer after another: protection moves the upper end, use the lower one. */
export function rangeOf(answers: Answers): Chosen {
  const steps: Step[] = [{ label: "Before any answer", ...START, reason: "Nothing is known yet." }];
  const move = (label: string, change: { readonly least?: number; readonly most?: number }, reason: string): void => {
    const { least, most } = steps.at(-1) ?? START;
    steps.push({ label, least: change.least ?? least, most: change.most ?? most, reason });
  };
  const { prior, posterior, people, error, parties, delta } = answers;
  const level = logOdds(posterior) - logOdds(prior);
  move(
    "Desired level of privacy",
    { most: level },
    `A suspicion of ${share(prior)} becomes ${share(posterior)} at most while ε is at most the difference of their log-odds.`,
  );
  move("Data sensitivity", { most: level * caution[answers.sensitivity] }, "More sensitive data needs a lower ε.");
  const perAnswer = epsilonForCount(error * people);
  move(
    "Population size and error",
    { least: perAnswer },
    `One count within ${share(error)} of ${people.toLocaleString("en-US")} people, 95 times in 100, needs this ε. A larger population needs less.`,
  );
  const total = (count: number): number => totalOf(perAnswer, count, delta);
  move(
    "Access frequency",
    { least: total(answers.answers) },
    `${answers.answers} answers add up: basic or optimal composition, whichever is less, at this δ.`,
  );
  const together = answers.answers * parties;
  move(
    "Collaborators",
    { least: total(together) },
    `${parties === 1 ? "One party" : `${parties} parties, assumed to pool what they see`}: ${together} answers in all.`,
  );
  const paid = Math.max(1, Math.ceil(together * (1 - reused[answers.reuse])));
  move(
    "Caching and reuse",
    { least: total(paid) },
    `Answers already published are free to use again: ${paid} of ${together} must be paid for.`,
  );
  const { least, most } = steps.at(-1) ?? START;
  return { steps, least, most, isConflict: least > most, perAnswer, paid };
}

const logOdds = (p: number): number => Math.log(p) - Math.log1p(-p);
const share = (p: number): string => `${Number((100 * p).toPrecision(3))} %`;

/** The least ε at which a count is within ± `width` people in 95 of 100 cases. */
export function epsilonForCount(width: number): number {
  const isGood = (epsilon: number): boolean => countError(epsilon, FAILURE_PROBABILITY) <= width;
  let [low, high] = [1e-12, 50];
  for (let i = 0; i < 200; i++) {
    const middle = Math.sqrt(low * high);
    if (middle <= low || middle >= high) break;
    if (isGood(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Never below the ε of one answer: δ may cover what tiny answers reveal, but a lifetime of ε = 0 admits none of them. */
function totalOf(epsilon: number, count: number, delta: number): number {
  const basic = count * epsilon;
  if (delta === 0 || count === 1) return basic;
  return Math.max(epsilon, Math.min(basic, optimalEpsilon({ epsilon0: epsilon, count, delta })));
}
