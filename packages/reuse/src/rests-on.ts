import { predicateColumns, predicateText } from "@dosimeter/query/declaration";
import { type BoundedStatistic, taskKindOf } from "@dosimeter/query/plan";
import { definitionOf } from "@dosimeter/query/statistics";
import type { Diagrams } from "./diagram.ts";

/** What the equations between these answers rest on: required columns that some of them read in another way than others [M330]. */
export function restsOn(statistics: readonly BoundedStatistic[], { isRequired }: Diagrams): readonly string[] {
  const [first = {}, ...others] = statistics.map(waysOf);
  const names = [first, ...others].flatMap((ways) => Object.keys(ways));
  const apart = [...new Set(names)].filter((name) => others.some((ways) => ways[name] !== first[name]));
  const found = apart.filter(isRequired).sort();
  return found.length === 0
    ? []
    : [`It rests on what the owner requires: a row without a declared value of ${found.join(" and ")} counts nowhere.`];
}

/** How the rows of a statistic are chosen and divided, by column. */
function waysOf(statistic: BoundedStatistic): Readonly<Record<string, string>> {
  const { column, where, groupBy, task } = statistic;
  const ways: Record<string, string> = Object.create(null);
  const say = (name: string, way: string): void => {
    ways[name] = `${ways[name] ?? ""} ${way}`;
  };
  if (where !== null) for (const name of predicateColumns(where)) say(name, predicateText(where));
  for (const name of groupBy) say(name, "groups");
  const measured =
    taskKindOf(statistic).binned(task) ?? (definitionOf(statistic).reuse.leavesOutMissing ? column : null);
  if (measured !== null) say(measured, "values");
  return ways;
}
