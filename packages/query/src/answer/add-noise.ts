import { type Exact, formatRational, type Random } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { costOf } from "../noise/noise.ts";
import type { BoundedPlan, BoundedStatistic } from "../plan/bounded.ts";
import type { Measured } from "../plan/engine.ts";
import { atOnce } from "../plan/steps.ts";
import { gridOf } from "../plan/task.ts";
import { isChosen, taskKindOf } from "../plan/task-kinds.ts";
import type { AnswerCell } from "../statistics/cell.ts";
import { answerBins, definitionOf, groupedBy, nameOf } from "../statistics/registry.ts";
import { forTheWhole, growth } from "../statistics/sampling.ts";
import type { Reading } from "../statistics/statistic.ts";
import { tableNotes } from "../statistics/table/released-table.ts";
import type { Answer } from "./answer.ts";
import { type Earlier, type NoisyVector, noisyIntegers } from "./draw.ts";
import { notesOf } from "./notes.ts";

/**
 * Adds noise to every measured integer and computes the answers from the noisy integers alone: whatever follows the
 * draw is post-processing. Fresh noise at every call; the caller keeps the first result for ever. `earlier`: see
 * `noisyIntegers`.
 */
export function addNoise(
  plan: BoundedPlan,
  exact: Exact<Measured>,
  random: Random,
  earlier?: Earlier,
): readonly Answer[] {
  return atOnce(noiseSteps(plan, exact, random, earlier));
}

/** `addNoise` in slices of a few milliseconds, so that a server can answer other requests in between. */
export function* noiseSteps(
  plan: BoundedPlan,
  exact: Exact<Measured>,
  random: Random,
  earlier: Earlier = [],
): Generator<void, readonly Answer[]> {
  const noisy = yield* noisyIntegers(plan, exact, random, earlier);
  const answers: Answer[] = [];
  for (const [index, statistic] of plan.statistics.entries())
    answers.push(yield* answerOf(statistic, noisy[index] ?? { groups: [], integers: [] }, plan.confidence));
  return answers;
}

function* answerOf(
  statistic: BoundedStatistic,
  { groups, integers }: NoisyVector,
  confidence: number,
): Generator<void, Answer> {
  const failureProbability = 1 - confidence;
  const size = integers.length / groups.length;
  const cells: AnswerCell[] = [];
  const found = statistic.keys === undefined ? statistic : { ...statistic, groups };
  for (const [index, group] of groups.entries())
    for (const cell of cellsOf(found, integers.slice(index * size, (index + 1) * size), failureProbability)) {
      cells.push({ group, ...cell });
      yield;
    }
  const { id, label, column, noise } = statistic;
  const simultaneous = definitionOf(statistic).simultaneous?.(statistic, failureProbability);
  const ticks = gridOf(statistic);
  const table = definitionOf(statistic).table?.released(integers, statistic);
  const shownCells = forTheWhole(statistic, topOf(statistic, cells));
  return {
    id,
    statistic: nameOf(statistic),
    label,
    column,
    groupBy: groupedBy(statistic),
    cost: costOf(statistic),
    confidence,
    noise: {
      kind: isChosen(statistic) ? "selection" : noise.kind,
      spread: formatRational(noise.kind === "laplace" ? noise.scale : noise.sigma),
    },
    tick: ticks === undefined ? null : formatRational(ticks.step),
    cells: shownCells,
    ...(simultaneous === undefined ? {} : { simultaneous: growth(statistic) * simultaneous }),
    ...present({ table }),
    notes: [...notesOf(statistic, shownCells, failureProbability), ...(table === undefined ? [] : tableNotes(table))],
  };
}

/** The cells of one group, computed from its noisy integers. */
function* cellsOf(
  statistic: BoundedStatistic,
  noisy: readonly bigint[],
  failureProbability: number,
): Generator<Ungrouped> {
  const definition = definitionOf(statistic);
  if (definition.cells !== undefined) {
    for (const { noisy: integers, ...cell } of definition.cells(noisy, statistic, failureProbability))
      yield shown(cell, integers);
    return;
  }
  const bins = answerBins(statistic);
  const width = definition.width(statistic.task);
  for (let at = 0; at < Math.max(1, bins.length); at++) {
    const integers = noisy.slice(at * width, (at + 1) * width);
    const bin = bins[at];
    yield shown({ ...present({ bin }), ...definition.read(integers, statistic, failureProbability) }, integers);
  }
}

/**
 * Cells of an answer, read again from their released integers at another failure probability; null for statistics that make their cells
 * of several integers.
 */
export function* rereadCells(
  statistic: BoundedStatistic,
  cells: readonly AnswerCell[],
  failureProbability: number,
): Generator<void, readonly AnswerCell[] | null> {
  const definition = definitionOf(statistic);
  if (definition.cells !== undefined) return null;
  const groups = cells.map(({ group }) => group);
  const found = statistic.keys === undefined ? statistic : { ...statistic, groups };
  const read: AnswerCell[] = [];
  for (const { group, bin, noisy } of cells) {
    const reading = definition.read(noisy.map(BigInt), found, failureProbability);
    read.push({ group, ...present({ bin }), ...shown(reading, noisy.map(BigInt)) });
    yield;
  }
  return forTheWhole(statistic, read);
}

/** A cell of a group, or one with values of its own. */
type Ungrouped = Omit<AnswerCell, "group"> & Partial<Pick<AnswerCell, "group">>;

const shown = (reading: Reading & Partial<Pick<AnswerCell, "bin" | "group">>, noisy: readonly bigint[]): Ungrouped => ({
  ...reading,
  noisy: noisy.map(String),
});

/** The k largest, largest first; the others keep the order of their keys. */
function topOf(statistic: BoundedStatistic, cells: readonly AnswerCell[]): readonly AnswerCell[] {
  const most = taskKindOf(statistic).shown(statistic.task);
  return most === null || isChosen(statistic) ? cells : cells.toSorted((a, b) => b.value - a.value).slice(0, most);
}
