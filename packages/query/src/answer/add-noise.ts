import { type Exact, formatRational, type Random } from "@dosimeter/core";
import type { Measured } from "../engine/engine.ts";
import { costOf } from "../noise/noise.ts";
import type { BoundedPlan, BoundedStatistic } from "../plan/bounded.ts";
import { forTheWhole, growth, SAMPLE_NOTE } from "../plan/sampling.ts";
import { curveHalfWidth } from "../statistics/curve/cdf.ts";
import { answerBins, nameOf, statisticOf } from "../statistics/index.ts";
import { isChosen } from "../statistics/keys/top.ts";
import type { Answer } from "./answer.ts";
import type { AnswerCell } from "./cell.ts";
import { boundText, clampedNote, clampingNotes } from "./clamping-notes.ts";
import { distributionNotes } from "./distribution-notes.ts";
import { type NoisyVector, noisyIntegers } from "./draw.ts";

/**
 * Noises every measured integer and reads the answers off the noisy integers alone: whatever follows the draw is
 * post-processing. Fresh noise at every call; the caller keeps the first result for ever.
 */
export function addNoise(plan: BoundedPlan, exact: Exact<Measured>, random: Random): readonly Answer[] {
  const steps = noiseSteps(plan, exact, random);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** `addNoise` in slices of a few milliseconds: a server serves others between them. */
export function* noiseSteps(
  plan: BoundedPlan,
  exact: Exact<Measured>,
  random: Random,
): Generator<void, readonly Answer[]> {
  const noisy = yield* noisyIntegers(plan, exact, random);
  const answers: Answer[] = [];
  for (const [index, statistic] of plan.statistics.entries())
    answers.push(yield* answerOf(statistic, noisy[index] ?? { groups: [], integers: [] }, plan.confidence));
  return answers;
}

function* answerOf(
  statistic: BoundedStatistic,
  { groups, integers: noisy }: NoisyVector,
  confidence: number,
): Generator<void, Answer> {
  const row = statisticOf(statistic.statistic);
  const width = row.width(statistic);
  const given = answerBins(statistic);
  const bins = given.length === 0 ? [null] : given;
  const cells: AnswerCell[] = [];
  for (const [groupIndex, group] of groups.entries()) {
    if (row.cells !== undefined) {
      const size = noisy.length / groups.length;
      const integers = noisy.slice(groupIndex * size, (groupIndex + 1) * size);
      for (const { noisy: shown, ...cell } of row.cells(integers, statistic, 1 - confidence))
        cells.push({ group, ...cell, noisy: shown.map(String) });
      yield;
      continue;
    }
    if (row.readAll !== undefined) {
      const integers = noisy.slice(groupIndex * width, (groupIndex + 1) * width);
      for (const [at, reading] of row.readAll(integers, statistic, 1 - confidence).entries()) {
        const bin = given[at];
        cells.push({ group, ...(bin === undefined ? {} : { bin }), ...reading, noisy: integers.map(String) });
      }
      yield;
      continue;
    }
    for (const [binIndex, bin] of bins.entries()) {
      const at = (groupIndex * bins.length + binIndex) * width;
      const integers = noisy.slice(at, at + width);
      cells.push({
        group,
        ...(bin === null ? {} : { bin }),
        ...row.read(integers, statistic, 1 - confidence),
        noisy: integers.map(String),
      });
      yield;
    }
  }
  return {
    id: statistic.id,
    statistic: nameOf(statistic),
    label: statistic.label,
    column: statistic.column,
    groupBy: statistic.groupBy,
    cost: costOf(statistic),
    confidence,
    noise: {
      kind: isChosen(statistic) ? "selection" : statistic.noise.kind,
      spread: formatRational(statistic.noise.kind === "laplace" ? statistic.noise.scale : statistic.noise.sigma),
    },
    tick: statistic.ticks === null ? null : formatRational(statistic.ticks.step),
    cells: forTheWhole(statistic, topOf(statistic, cells)),
    ...(statistic.curve === null
      ? {}
      : { simultaneous: growth(statistic) * curveHalfWidth(statistic, 1 - confidence) }),
    notes: notesOf(statistic, cells, 1 - confidence),
  };
}

/** The k largest, largest first; the others keep the order of their keys. */
function topOf({ top }: BoundedStatistic, cells: readonly AnswerCell[]): readonly AnswerCell[] {
  if (top === null || top.chosen) return cells;
  return cells.toSorted((a, b) => b.value - a.value).slice(0, top.k);
}

const some = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

function notesOf(
  statistic: BoundedStatistic,
  cells: readonly AnswerCell[],
  failureProbability: number,
): readonly string[] {
  const { bound } = statistic.contribution;
  const notes: string[] = statistic.sampling === undefined ? [] : [SAMPLE_NOTE];
  for (const [name, text] of Object.entries(statistic.derived ?? {})) notes.push(`${name} is ${text}.`);
  if (statistic.design !== null)
    notes.push(
      `Values were clamped to ${statistic.design.axes.map(({ column, lower, upper }) => `${boundText(lower)} to ${boundText(upper)} (${column})`).join(", ")} and rounded to a grid of that range; the interval does not cover what that changed.`,
    );
  else if (statistic.lower !== null && statistic.upper !== null && statistic.bins.length === 0)
    notes.push(clampedNote(statistic.lower, statistic.upper));
  if (statistic.unitTicks !== null)
    notes.push(
      "Each privacy unit's total in a group was clamped to its bounds; the interval does not cover what that changed.",
    );
  notes.push(...distributionNotes(statistic, cells));
  const [quantile] = cells;
  if (quantile?.rank !== undefined && statistic.selection?.extreme === false)
    notes.push(
      `At most ${some(quantile.rank, "row")} lie between an answer and the true quantile; the interval is the declared range.`,
    );
  const kept = [
    bound.rows === null ? null : some(bound.rows, "row"),
    bound.groups === null ? null : some(bound.groups, "group"),
    bound.rowsPerGroup === null ||
    statisticOf(statistic.statistic).aggregates.includes("units") ||
    statistic.unitTicks !== null
      ? null
      : `${some(bound.rowsPerGroup, "row")} per group`,
  ].filter((part) => part !== null);
  if (kept.length > 0)
    notes.push(
      `At most ${kept.join(" and ")} of each privacy unit counted; the interval does not cover what was left out.`,
    );
  notes.push(...clampingNotes(statistic, cells, failureProbability));
  if (cells.some((cell) => cell.unreliable === true))
    notes.push("Where an answer is marked unreliable, the noise was larger than the data: its value says nothing.");
  return notes;
}
