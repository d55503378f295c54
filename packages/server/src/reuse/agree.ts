import type { Answer } from "@dosimeter/query/answer";
import type { BoundedPlan } from "@dosimeter/query/plan";
import { isLive } from "@dosimeter/query/source";
import {
  consistentSteps,
  diagramsOf,
  earlierOf,
  mayAgree,
  type Pool,
  poolOf,
  restsOn,
  type StatisticSpec,
  undeclaredRows,
  type Way,
} from "@dosimeter/reuse";
import { inSlices } from "../measuring/slices.ts";
import type { Version } from "./find.ts";

/** No answer is replaced: the other value is in `consistent`. */
const AGREED =
  "The values as drawn stay; next to them stand those made to agree with the other answers of this release.";

/** The most rows that are made to agree; more would take too long. */
const MAX_ROWS = 40;

interface Agreeing {
  readonly answers: readonly Answer[];
  /** The columns of each equation that the released numbers refute, for the admins of the dataset. */
  readonly refuted: readonly (readonly string[])[];
}

/**
 * The answers of one release, each with the answer that agrees with the others: totals match parts, means their
 * sums. Costs nothing; answers that are related to no others stay as they are.
 */
export async function agreeing(
  answers: readonly Answer[],
  asked: readonly StatisticSpec[],
  {
    ways,
    drawn,
    fresh,
    about,
    charge,
  }: {
    readonly ways: ReadonlyMap<string, Way>;
    readonly drawn: readonly Answer[];
    readonly fresh: BoundedPlan | null;
    readonly about: Version;
    /** The releases whose draws they are; null where there are none. */
    readonly charge: string | null;
  },
): Promise<Agreeing> {
  if (answers.length < 2) return { answers, refuted: [] };
  const pools = asked.slice(0, MAX_ROWS).map(({ statistic, key }): Pool | null => {
    const { id } = statistic;
    // Not answers on derived columns, as two formulas may have one name, and not samples, as each row has its own.
    if (statistic.derived !== undefined || statistic.join !== undefined || statistic.sampling !== undefined)
      return null;
    const way = ways.get(id);
    // Of a live table only the draws of one charge are about the same rows.
    if (way !== undefined && isLive(about.declaration.source)) return null;
    if (way !== undefined) return way.kind === "same" || way.kind === "pooled" ? (way.pools[0] ?? null) : null;
    const answer = drawn.find((one) => one.id === id);
    const bound = fresh?.statistics.find((one) => one.id === id);
    if (charge === null || answer === undefined || bound === undefined) return null;
    const pool = poolOf(earlierOf({ release: charge, row: id }, bound, key, answer));
    return mayAgree(pool) ? pool : null;
  });
  const tied = pools.filter((pool) => pool !== null);
  const confidence = answers[0]?.confidence ?? 0.95;
  const diagrams = diagramsOf(about.declaration);
  const rests = restsOn(
    tied.map(({ statistic }) => statistic),
    diagrams,
  );
  const { cells, broken } = await inSlices(consistentSteps(tied, diagrams, 1 - confidence));
  const others = undeclaredRows(tied, diagrams, confidence);
  const refuted = [...new Map(broken.map(({ columns }) => [columns.join("\n"), columns])).values()];
  const all = answers.map((answer, index) => {
    const pool = pools[index];
    if (pool == null) return answer;
    const at = tied.indexOf(pool);
    const agreed = cells[at] ?? null;
    const against = broken.filter(({ total, parts }) => total === at || parts === at).map(({ note }) => note);
    const beside = others[at] ?? null;
    const noted = { ...answer, notes: [...against, ...answer.notes, ...(beside === null ? [] : [beside])] };
    if (agreed === null || agreed.length !== answer.cells.length) return noted;
    return {
      ...noted,
      notes: [...noted.notes, AGREED, ...rests],
      cells: answer.cells.map((cell, at) => {
        const consistent = agreed[at];
        return consistent === undefined ? cell : { ...cell, consistent };
      }),
    };
  });
  return { answers: all, refuted };
}
