import { toDouble } from "@dosimeter/core";
import { type Form, formOf } from "@dosimeter/query/noise";
import type { BoundedStatistic, SeriesTask } from "@dosimeter/query/plan";
import { type ViewName, weightsOf } from "@dosimeter/query/statistics";
import { cellRows } from "./cover.ts";
import type { Diagrams } from "./diagram.ts";
import { type Earlier, originText, type Pool } from "./earlier.ts";
import type { Parts } from "./parts.ts";

/** Released totals to date: the integers of its one draw are mixed totals of periods. */
interface Series {
  readonly statistic: BoundedStatistic<SeriesTask>;
  readonly source: Earlier;
}

function seriesOf({ statistic, draws }: Pool): Series | null {
  const { task } = statistic;
  const [draw] = draws;
  if (task.kind !== "series" || draw === undefined || draws.length > 1) return null;
  return { statistic: { ...statistic, task }, source: draw.source };
}

/** A total to date as weights of the noisy integers of its group; null for a cell of any other answer [M208]. */
export function totalForm(pool: Pool, cell: number): Form | null {
  const series = seriesOf(pool);
  if (series === null) return null;
  const periods = series.statistic.task.bins.length;
  const weights = weightsOf(series.statistic.task, periods);
  return formAt(series, Math.floor(cell / periods), (back) => weights[(cell % periods) - back] ?? 0);
}

/** The periods of each group as parts, whose rows or values were added up; null where they do not give this sum [M208]. */
export function periodParts(pool: Pool, view: ViewName, diagrams: Diagrams): Parts | null {
  const series = seriesOf(pool);
  if (series === null || pool.statistic.keys !== undefined) return null;
  const { bins, over, horizon } = series.statistic.task;
  // One that goes on is of a version of the rows for each period: no question has that answer.
  if (horizon !== undefined) return null;
  if (view !== (over === undefined ? "rows" : "sum")) return null;
  const totals = weightsOf(series.statistic.task, bins.length);
  const ofOne = totals.map((weight, at) => weight - (totals[at - 1] ?? 0));
  return {
    rows: cellRows(series.statistic, diagrams),
    union: (parts) => {
      const byGroup = Map.groupBy(parts, (part) => Math.floor(part / bins.length));
      const forms = [...byGroup].map(([group, cells]) =>
        formAt(series, group, (period) =>
          cells.reduce((sum, cell) => sum + (ofOne[(cell % bins.length) - period] ?? 0), 0),
        ),
      );
      return { offset: 0, terms: forms.flatMap(({ terms }) => terms) };
    },
  };
}

/** A sum over the periods of one group, in the unit of what was added up. */
function formAt({ statistic, source }: Series, group: number, weight: (period: number) => number): Form {
  const { bins, ticks } = statistic.task;
  const unit = ticks === undefined ? 1 : toDouble(ticks.step, "up");
  const integers = bins.map((_, period) => {
    const at = group * bins.length + period;
    return { at, weight: unit * weight(period), value: source.noisy[at]?.[0] ?? 0n };
  });
  return formOf(originText(source.origin), statistic.noise, integers);
}
