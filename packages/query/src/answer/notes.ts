import { formatDelta } from "@dosimeter/core";
import { countText } from "@dosimeter/core/internal";
import type { UnitNoun } from "../declaration/declaration.ts";
import { inNoun } from "../declaration/words.ts";
import { unitsToPublish } from "../noise/key-selection.ts";
import type { BoundedStatistic, KeySelection } from "../plan/bounded.ts";
import { binsOf, rangeOf, unitTicksOf } from "../plan/task.ts";
import type { AnswerCell } from "../statistics/cell.ts";
import { definitionOf } from "../statistics/registry.ts";
import { SAMPLE_NOTE } from "../statistics/sampling.ts";
import { boundText, clampedNote, stepText, unitsText, whole } from "../statistics/words.ts";

const JUST = " One that is only just published is likely to have fewer than its count says: its interval reaches down.";

export function keySentence({ rule, from, atLeast, delta, counts }: KeySelection, noun: UnitNoun | undefined): string {
  if (rule === null) return `The groups are those that ${from} publishes.`;
  const half = unitsToPublish(rule, 0.5) + atLeast - 1;
  const most = unitsToPublish(rule, 0.99) + atLeast - 1;
  return `A value that about ${unitsText(half, noun)} share is published half of the time, one of ${whole.format(most)} in 99 cases of 100; ${inNoun("one of a single person", noun)}, over all values, with probability at most ${formatDelta(delta)}.${counts ? JUST : ""}`;
}

/** What a reader must know of an answer: how it was measured, what its interval leaves out, whether it can be relied on. */
export function notesOf(
  statistic: BoundedStatistic,
  cells: readonly AnswerCell[],
  failureProbability: number,
): readonly string[] {
  const { notes, doubts } = definitionOf(statistic);
  return [
    ...(statistic.sampling === undefined ? [] : [SAMPLE_NOTE]),
    ...(statistic.ofCohorts === true ? [inNoun(COHORT_NOTE, statistic.noun)] : []),
    ...Object.entries(statistic.derived ?? {}).flatMap(([name, text]) =>
      name === text ? [] : [`${name} is ${text}.`],
    ),
    ...joinedNotes(statistic),
    ...clampingOf(statistic),
    ...(stepText(statistic) === null ? [] : [`Values are ${stepText(statistic)}, by the middle of each.`]),
    ...keyNotes(statistic, cells),
    ...undeclaredNotes(statistic),
    ...(notes?.(statistic, cells) ?? []),
    ...boundingOf(statistic),
    ...new Set(doubts?.(statistic, cells, failureProbability)),
    ...(cells.some((cell) => cell.unreliable === true)
      ? ["Where an answer is marked unreliable, the noise was larger than the data: its value says nothing."]
      : []),
  ];
}

const COHORT_NOTE = "It is about all rows of the people of these cohorts, rows of later dates too.";

/** No join is one to one by promise: it takes one row of each person, whatever there is [M195]. */
function joinedNotes({ join, noun }: BoundedStatistic): readonly string[] {
  const ones = Object.entries(join?.columns ?? {}).flatMap(([name, { take }]) => (take === "one" ? [name] : []));
  const many = inNoun("Of a person with several rows in the joined table, one drawn at random gives", noun);
  return ones.length === 0 ? [] : [`${many} ${ones.join(" and ")}; of one without a row there it is missing.`];
}

function clampingOf(statistic: BoundedStatistic): readonly string[] {
  const { task } = statistic;
  const range = binsOf(statistic).length > 0 ? undefined : rangeOf(statistic);
  const notes = range === undefined ? endsOf(statistic) : [clampedNote(range)];
  switch (task.kind) {
    case "joint": {
      const ranges = task.design.axes.map(
        ({ column, lower, upper }) => `${boundText(lower)} to ${boundText(upper)} (${column})`,
      );
      return [
        `Values were capped to ${ranges.join(", ")} and rounded to a grid of that range; the interval does not cover what that changed.`,
      ];
    }
    case "totals":
      return [
        ...notes,
        inNoun(
          "The total of each person in a group was capped at its bounds; the interval does not cover what that changed.",
          statistic.noun,
        ),
      ];
    case "series":
      return task.over === undefined ? notes : [...notes, clampedNote(task.range)];
    case "sums":
      return [...notes, ...statedNotes(statistic)];
    case "counts":
    case "clips":
    case "cuts":
    case "values":
    case "choice":
    case "curve":
    case "top":
    case "table":
    case "tables":
      return notes;
    default:
      return task satisfies never;
  }
}

/** What the owner states of the rows that the answer takes as exact [M89]. */
export const statedNotes = ({ task }: BoundedStatistic): readonly string[] =>
  task.kind !== "sums" || task.publicRows === undefined
    ? []
    : [
        `It rests on what the owner states: the table has ${countText(task.publicRows, "row")}, each with a value in every required column; a row without one counts as the lower bound.`,
      ];

/** What the bins at both ends also hold. */
function endsOf(statistic: BoundedStatistic): readonly string[] {
  const [first, last] = [binsOf(statistic)[0], binsOf(statistic).at(-1)];
  if (statistic.statistic !== "histogram" || first === undefined || last === undefined) return [];
  if (!("lower" in first && "upper" in last)) return [];
  const [lower, upper] = [boundText(first.lower, rangeOf(statistic)), boundText(last.upper, rangeOf(statistic))];
  return [`The bins at both ends also hold the values below ${lower} and above ${upper}.`];
}

function keyNotes({ keys, noun }: BoundedStatistic, cells: readonly AnswerCell[]): readonly string[] {
  if (keys === undefined) return [];
  const none = cells.length === 0 ? [inNoun("No value was shared by enough people to be published.", noun)] : [];
  return [keySentence(keys, noun), ...none];
}

/** Which rows without a declared value are in no group or bin, or do not fit the filter. */
export function undeclaredNotes({
  undeclared = [],
  filtered = [],
  groupBy,
  task,
}: BoundedStatistic): readonly string[] {
  const groups = undeclared.filter((name) => groupBy.includes(name));
  const bins = undeclared.filter((name) => !groupBy.includes(name));
  const value = binsOf({ task }).some((bin) => "value" in bin) ? "a declared value" : "a value";
  return [
    ...(groups.length === 0 ? [] : [`Rows without a declared value of ${groups.join(" and ")} are in no group.`]),
    ...(bins.length === 0 ? [] : [`Rows without ${value} of ${bins.join(" and ")} are in no bin.`]),
    ...filtered.map(({ column, isOut }) =>
      isOut
        ? `Rows without a declared value of ${column} do not fit the filter, and are not counted.`
        : `Rows without a declared value of ${column} have, in the filter, none of the values that it names.`,
    ),
  ];
}

/** Which rows of a unit count. */
function boundingOf(statistic: BoundedStatistic): readonly string[] {
  const { task, contribution } = statistic;
  const { rows, groups, rowsPerGroup } = contribution.bound;
  const isOnce = unitTicksOf(statistic) !== undefined || definitionOf(statistic).aggregates(task).includes("units");
  const kept = [
    rows === null ? null : countText(rows, "row"),
    groups === null ? null : countText(groups, "group"),
    rowsPerGroup === null || isOnce ? null : `${countText(rowsPerGroup, "row")} per group`,
  ].filter((part) => part !== null);
  return kept.length === 0
    ? []
    : [
        inNoun(
          `At most ${kept.join(" and ")} of each person counted; the interval does not cover what was left out.`,
          statistic.noun,
        ),
      ];
}
