import { present } from "@dosimeter/core/internal";
import { isStatisticName, type StatisticName, type StatisticRequest, statisticOf } from "@dosimeter/query/statistics";

/** Requests that a released answer may give for free; `waysTo` decides whether it does. */
export function questionsFrom(asked: StatisticRequest): readonly StatisticRequest[] {
  const { statistic, groupBy = [] } = asked;
  if (!isStatisticName(statistic)) return [];
  return statisticOf(statistic).reuse.gives.flatMap((given): readonly StatisticRequest[] => {
    if (given === "total") return groupBy.length === 0 ? [] : [question(asked, statistic, [])];
    return isStatisticName(given) ? [question(asked, given, groupBy)] : [];
  });
}

function question(asked: StatisticRequest, statistic: StatisticName, groupBy: readonly string[]): StatisticRequest {
  const { column: reads, takes } = statisticOf(statistic);
  const { column, where, lower, upper, granularity, delta, atLeast } = asked;
  const isKey = reads === "key";
  // Counts by the values of a column are its histogram.
  const isOfGroup = isKey || (reads === "binned" && column === undefined);
  const name = isOfGroup ? (column ?? groupBy[0]) : column;
  const range = { lower, upper, ...(reads === "numeric" ? { granularity } : {}) };
  return present({
    ...{ statistic, column: name, where, epsilon: "1" },
    ...(isOfGroup || groupBy.length === 0 ? {} : { groupBy }),
    ...(isKey ? { delta, atLeast } : reads === "numeric" || reads === "binned" ? range : {}),
    ...(takes.includes("k") ? { k: 1 } : {}),
  });
}
