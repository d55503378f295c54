import type { BudgetCourse, CalendarUnit, Course, TeamCourse } from "@dosimeter/core";
import type { Chart, ChartSize } from "../chart.ts";
import { formatNumber } from "../scene/number.ts";
import { lineChart } from "./line-chart.ts";

export interface BudgetCourseSpec {
  readonly title: string;
  /** What a block is. */
  readonly every: CalendarUnit;
  readonly course: Course;
}

/** The same reports on one lifetime and on a budget for each block: how much is spent, and when a team is refused first. */
export function budgetCourseChart({ title, every, course }: BudgetCourseSpec, size: ChartSize): Chart {
  const { lifetime, blocks } = course;
  const along = ({ used }: BudgetCourse) => used.map((share, index) => [index + 1, 100 * share] as const);
  const few = blocks.used.length <= 60;
  return lineChart(
    {
      title,
      x: { label: `Time, in ${every}s`, domain: [1, Math.max(2, blocks.used.length)] },
      y: { label: "Budget spent, %", domain: [0, 100] },
      series: [
        { name: "one lifetime for all", points: along(lifetime) },
        { name: `each ${every} for itself`, points: along(blocks), draw: few ? "points" : "line" },
      ],
      markers: [...refusalsOf(lifetime), ...refusalsOf(blocks)],
      summary: courseText(every, course),
    },
    size,
  );
}

/** The places of the first refusals, with the teams that had theirs there. */
const refusalsOf = ({ teams, used }: BudgetCourse) =>
  [...Map.groupBy(teams, ({ firstRefusal }) => firstRefusal?.block)].flatMap(([block, refused]) =>
    block === undefined
      ? []
      : [
          {
            x: block,
            y: 100 * (used[block - 1] ?? 0),
            label: `${refused.map(({ team }) => team).join(", ")} refused`,
            ink: "danger" as const,
          },
        ],
  );

/** What becomes of each team's reports under both, in a sentence for each. */
export const courseText = (every: CalendarUnit, { lifetime, blocks }: Course): string =>
  [
    `With one lifetime for all ${every}s ${listed(every, lifetime.teams)}.`,
    `With a budget for each ${every} ${listed(every, blocks.teams)}.`,
  ].join(" ");

const listed = (every: CalendarUnit, teams: readonly TeamCourse[]): string =>
  teams.map((team) => teamText(every, team)).join("; ");

function teamText(every: CalendarUnit, { team, due, paid, firstRefusal }: TeamCourse): string {
  if (due === 0) return `${team} asks for nothing`;
  const number = `${formatNumber(due)} ${due === 1 ? "report" : "reports"}`;
  if (firstRefusal === null) return `${team} gets ${due === 1 ? "its" : "all"} ${number}`;
  return `${team} is refused first in ${every} ${formatNumber(firstRefusal.block)} and gets ${formatNumber(paid)} of ${number}`;
}
