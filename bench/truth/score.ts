import type { Judged } from "./judge.ts";
import type { Walked } from "./walk.ts";

interface Share {
  readonly of: number;
  readonly holds: number;
  /** The standard error of the share, by chance alone. */
  readonly error?: number;
}

const percent = ({ of, holds, error }: Share): string =>
  of === 0
    ? "none"
    : `${((100 * holds) / of).toFixed(1)}${error === undefined ? "" : ` ± ${(200 * error).toFixed(1)}`} % of ${of}`;

/** Each answer counts once: by the part of its cells whose stated interval holds what the table truly holds. */
const held = (answers: readonly Judged[]): Share => {
  const shares = answers.filter(({ cells }) => cells > 0).map(({ cells, held: holding }) => holding / cells);
  const [of, holds] = [shares.length, shares.reduce((sum, share) => sum + share, 0)];
  const spread = shares.reduce((sum, share) => sum + (share - holds / of) ** 2, 0);
  return { of, holds, error: Math.sqrt(spread) / of };
};
const GOAL = 0.95;
/** An interval that holds in 95 of 100 cases holds in fewer of one run's answers half the time: seldom by more than three errors. */
const isBelow = ({ of, holds, error = 0 }: Share): boolean => of > 0 && holds / of + 3 * error < GOAL;
const isMissed = ({ cells, held: holding }: Judged): boolean => holding < cells;

/** The score as text, and every wrong declaration that was not found. */
export function scoreOf(walked: readonly Walked[], isReadAsMeant: (mistake: string) => boolean): readonly string[] {
  const isFit = ({ mistake, way, found }: Walked): boolean =>
    mistake === "right" || (way === "corrected" && found !== undefined) || isReadAsMeant(mistake);
  const fit = walked.filter(isFit).flatMap(({ answers }) => answers);
  const kept = walked.filter((one) => !isFit(one) && one.way === "kept").flatMap(({ answers }) => answers);
  const wrong = walked.filter(({ mistake }) => mistake !== "right" && !isReadAsMeant(mistake));
  const found = (of: readonly Walked[]): Share => ({
    of: of.length,
    holds: of.filter((one) => one.found !== undefined).length,
  });
  const missed = kept.filter(isMissed);
  const by = (said: Judged["said"]): number => missed.filter((one) => one.said === said).length;
  const questions = [...new Set(fit.map(({ question }) => question))];
  const heldOf = (question: string, answers: readonly Judged[]): Share =>
    held(answers.filter((one) => one.question === question));
  const below = questions.filter((question) => isBelow(heldOf(question, fit)));
  return [
    `${new Set(walked.map(({ table }) => table)).size} tables, ${walked.length} declarations, ${walked.reduce((sum, { answers }) => sum + answers.length, 0)} answers`,
    `stated total intervals that hold, right and corrected declarations: ${percent(held(fit))}`,
    `the same of intervals that agree with other answers: ${percent(held(fit.flatMap(({ agreed, ...one }) => (agreed === undefined ? [] : [{ ...one, ...agreed }]))))}`,
    `wrong declarations found before ε was paid: ${percent(found(wrong))}`,
    `declared all the same: ${percent(held(kept))} hold; of ${missed.length} answers with an interval that does not, ${by("own")} say so, ${by("general")} name in general what is left out, ${by("nothing")} are silent`,
    `questions below 95 % by more than three standard errors: ${below.join(", ") || "none"}`,
    "",
    ...questions.map(
      (question) => `| ${question} | ${percent(heldOf(question, fit))} | ${percent(heldOf(question, kept))} |`,
    ),
    "",
    ...[...new Set(wrong.map(({ mistake }) => mistake))].map(
      (mistake) =>
        `| ${mistake} | ${percent(found(walked.filter((one) => one.mistake === mistake)))} | ${percent(held(walked.filter((one) => one.mistake === mistake && one.way !== "corrected").flatMap(({ answers }) => answers)))} | ${percent(held(walked.filter((one) => one.mistake === mistake && one.way === "corrected").flatMap(({ answers }) => answers)))} |`,
    ),
    "",
    ...wrong.filter((one) => one.found === undefined).map(({ table, mistake }) => `not found: ${table}, ${mistake}`),
  ];
}
