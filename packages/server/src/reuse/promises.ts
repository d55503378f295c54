import { unlessRefused } from "@dosimeter/core/internal";
import type { Dataset, Readers, ReleasedStatistic } from "@dosimeter/ledger";
import { boundPlan } from "@dosimeter/query/bind";
import type { BoundedPlan } from "@dosimeter/query/plan";
import { questionsFrom } from "@dosimeter/reuse";
import { betweenSlices } from "../measuring/slices.ts";
import type { ReleasedAnswers, Version } from "./find.ts";
import { questionIn } from "./stored.ts";
import { type Tables, versionOf } from "./versioned-table.ts";

/**
 * The most questions that are tried for one page of released answers, those of the newest answers first. Each takes the
 * processor 1 to 5 ms, quantiles 25 ms: a page of 20 of 300 releases took 60 to 150 ms, the three answers of the demo 30 ms
 * (measured on 2026-11-23, two slow cores). Other requests are served in between.
 */
const MAX_QUESTIONS = 60;
/** Answers about the same rows that are asked along with those of the page. */
const MAX_BESIDE = 8;

export const originOf = ({ charge, row }: Pick<ReleasedStatistic, "charge" | "row">): string => `${charge}/${row}`;

/** For each released answer the questions that a quote answers from it, by the quote's own search. */
export async function promisesOf(
  items: readonly ReleasedStatistic[],
  { dataset, readers }: { readonly dataset: Dataset; readonly readers: Readers },
  deps: Tables & { readonly releasedAnswers: ReleasedAnswers },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const promises = new Map<string, Set<string>>();
  const othersFirst = betweenSlices();
  for (const version of new Set(items.map((item) => item.version))) {
    const about = await versionOf(deps, dataset, version);
    const own = items.filter((item) => item.version === version);
    const scopes = [...new Set(own.map(({ scope }) => scope))];
    const beside = await deps.database.reuse.find({ keys: [], scopes, readers, limit: MAX_BESIDE });
    for (const plan of plansOf([...own, ...beside], about)) {
      await othersFirst();
      const found = await deps.releasedAnswers.find(plan, about, { readers, people: null, search: true });
      for (const { asked, ways } of found)
        for (const { from } of ways.filter(({ kind }) => kind === "derived"))
          for (const { release, row } of from) {
            const name = `${release}/${row}`;
            promises.set(name, (promises.get(name) ?? new Set()).add(asked.statistic.label));
          }
    }
  }
  return new Map([...promises].map(([name, labels]) => [name, [...labels]]));
}

/** Each question once, as a plan of its own. */
function plansOf(released: readonly ReleasedStatistic[], { declaration }: Version): readonly BoundedPlan[] {
  const questions = new Map(
    released
      .map(questionIn)
      .filter(({ let: formulas, join, window }) => [formulas, join, window].every((part) => part === undefined))
      .flatMap(questionsFrom)
      .map((question) => [JSON.stringify(question), question]),
  );
  return [...questions.values()].slice(0, MAX_QUESTIONS).flatMap((question) =>
    // Refused: the column is not one for this statistic.
    unlessRefused(() => [boundPlan({ statistics: [question] }, declaration)], []),
  );
}
