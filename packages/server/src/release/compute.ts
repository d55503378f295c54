import { randomBytes } from "node:crypto";
import { realpath } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { openEngines } from "@dosimeter/engines";
import { type Answer, type AnswerWords, addNoise, missingShares, planTable, planWords } from "@dosimeter/query/answer";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { type QuotedStatistic, quotePlan } from "@dosimeter/query/quote";
import { overFile, uploadFormatOf } from "@dosimeter/query/source";
import type { Plan } from "@dosimeter/query/statistics";
import { systemRandom } from "../measuring/random.ts";

/** Answers that are charged to no ledger. */
export interface Computed {
  readonly statistics: readonly QuotedStatistic[];
  readonly answers: readonly Answer[];
  readonly words: AnswerWords;
}

/**
 * Runs one plan on a local file: bounded, measured and noised like a release, but not charged. A caller who publishes more
 * than one such answer must add up their costs. The file replaces `source` of the declaration.
 */
export async function compute(
  path: string,
  given: Readonly<Record<string, unknown>>,
  plan: Plan,
  signal?: AbortSignal,
): Promise<Computed> {
  const file = await realpath(path);
  const reading = (given.source ?? {}) as Readonly<Record<string, unknown>>;
  const source = overFile(reading, uploadFormatOf(file), basename(file));
  const declaration = checkDeclaration({ ...given, source });
  const bounded = boundPlan(plan, declaration);
  const engine = await openEngines({ files: { root: dirname(file), cachedTables: 0 } });
  try {
    const more = signal === undefined ? {} : { signal };
    const version = await engine.check(declaration, { salt: randomBytes(32).toString("hex"), ...more });
    const exact = await engine.run(bounded, { ...version, ...more });
    const answers = addNoise(bounded, exact, systemRandom());
    const table = planTable(plan, declaration);
    const words = { ...planWords(plan, table), ...missingShares(plan, table, answers) };
    return { statistics: quotePlan(bounded), answers, words };
  } finally {
    await engine.close();
  }
}
