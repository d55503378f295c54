import type { Exact, Random } from "@dosimeter/core";
import { reveal } from "@dosimeter/core/exact";
import { gaussianSampler, laplaceSampler } from "@dosimeter/core/internal";
import type { Key } from "../declaration/key.ts";
import { keySelector } from "../noise/key-selection.ts";
import type { BoundedPlan, BoundedStatistic, GroupKey, KeyRule, KeySelection } from "../plan/bounded.ts";
import type { Measured, MeasuredVector } from "../plan/engine.ts";
import { cellsPerGroup } from "../plan/task.ts";
import { periodsOf } from "../plan/task-kinds.ts";
import { definitionOf } from "../statistics/registry.ts";

/** The number of draws in one slice. */
const SLICE = 256;

/** What is published of one statistic: declared or selected groups, and the noisy integers of each. */
export interface NoisyVector {
  readonly groups: readonly GroupKey[];
  readonly integers: readonly bigint[];
}

/**
 * The one place where exact integers become noisy ones: every integer of every cell gets its own draw [M83], one leaf is
 * chosen [M93], or a key stays hidden [M112, M113]. A generator, so that long work can be done in slices.
 */
export function* noisyIntegers(
  plan: BoundedPlan,
  exact: Exact<Measured>,
  random: Random,
  earlier: Earlier = [],
): Generator<void, readonly NoisyVector[]> {
  const measured = reveal(exact);
  const noisy: NoisyVector[] = [];
  const selected = new Map<string, readonly Key[]>();
  for (const [index, statistic] of plan.statistics.entries()) {
    const vector = measured[index];
    if (vector === undefined) throw new RangeError(`${statistic.path} was not measured`);
    const { keys } = statistic;
    if (keys === undefined)
      noisy.push(yield* declaredGroups(statistic, vector, { random, known: earlier[index] ?? [] }));
    else {
      const found = yield* foundGroups(statistic, keys, vector, { random, selected });
      selected.set(statistic.id, found.names);
      noisy.push({ groups: found.names.map((name) => ({ [keys.column]: name })), integers: found.integers });
    }
  }
  return noisy;
}

/** For each statistic of a running total that goes on, the integers that its earlier reports released, group by group. */
export type Earlier = readonly (readonly bigint[])[];

/** `known`: the integers of the group that were released before, which are not drawn again. */
type Draw = (exact: readonly bigint[], random: Random, known?: readonly bigint[]) => Generator<void, readonly bigint[]>;

/** How many integers of each group earlier reports released: all but the newest of a running total that goes on [M209]. */
const releasedBefore = (statistic: BoundedStatistic): number => (periodsOf(statistic) ?? 1) - 1;

/** How the integers of one group are protected. */
function drawOf(statistic: BoundedStatistic): Draw {
  const { noise, task } = statistic;
  const { choose, noised } = definitionOf(statistic);
  if (choose !== undefined) return (counts, random) => choose(counts, statistic, random);
  const draw = noise.kind === "laplace" ? laplaceSampler(noise.scale) : gaussianSampler(noise.sigma);
  return function* (exact, random, known = []) {
    if (known.length !== releasedBefore(statistic))
      throw new RangeError(`${statistic.path} has ${known.length} released integers of ${releasedBefore(statistic)}`);
    const noisy = [...known];
    for (const [at, value] of (noised?.(exact, task) ?? exact).slice(known.length).entries()) {
      noisy.push(value + draw(random));
      if (at % SLICE === 0) yield;
    }
    return noisy;
  };
}

function* declaredGroups(
  statistic: BoundedStatistic,
  vector: MeasuredVector,
  { random, known }: { readonly random: Random; readonly known: readonly bigint[] },
): Generator<void, NoisyVector> {
  const { groups } = statistic;
  const chosen = definitionOf(statistic).chooseGroups?.(vector, statistic, random) ?? null;
  if (chosen !== null)
    return { groups: chosen.map((at) => groups[at] ?? {}), integers: chosen.map((_, place) => BigInt(place + 1)) };
  const draw = drawOf(statistic);
  const [size, before] = [vector.length, known.length].map((all) => all / groups.length) as [number, number];
  const integers: bigint[] = [];
  for (let group = 0; group < groups.length; group++) {
    const released = known.slice(group * before, (group + 1) * before);
    const exact = vector.slice(group * size, (group + 1) * size);
    for (const each of yield* draw(exact, random, released)) integers.push(each);
  }
  return { groups, integers };
}

/** Published keys in their own order, which does not depend on the order of rows. */
function* foundGroups(
  statistic: BoundedStatistic,
  keys: KeySelection,
  vector: MeasuredVector,
  { random, selected }: { readonly random: Random; readonly selected: ReadonlyMap<string, readonly Key[]> },
): Generator<void, { readonly names: readonly Key[]; readonly integers: readonly bigint[] }> {
  const { choose, width } = definitionOf(statistic);
  // Each candidate has one integer, its count.
  const perCell = choose === undefined ? width(statistic.task) : 1;
  const empty = cellsPerGroup(statistic) * perCell;
  const published = yield* keys.rule === null
    ? publishedBefore(keys, vector, selected)
    : selectedKeys(keys, keys.rule, vector, random);
  const draw = drawOf(statistic);
  const integers: bigint[] = [];
  for (const { index, count } of published)
    if (keys.counts) integers.push(count);
    else {
      const cells = index === undefined ? undefined : vector.cellsOf?.(index);
      for (const each of yield* draw(cells ?? new Array<bigint>(empty).fill(0n), random)) integers.push(each);
    }
  return { names: published.map(({ name }) => name), integers };
}

interface PublishedKey {
  readonly name: Key;
  /** Of a key without rows, which another row of the plan published: absent. */
  readonly index?: number | undefined;
  readonly count: bigint;
}

/** The keys of an earlier row of the plan. */
function* publishedBefore(
  { from }: KeySelection,
  { found = [] }: MeasuredVector,
  selected: ReadonlyMap<string, readonly Key[]>,
): Generator<void, readonly PublishedKey[]> {
  const places = new Map(found.map((name, index) => [name, index]));
  return (selected.get(from ?? "") ?? []).map((name) => ({ name, index: places.get(name), count: 0n }));
}

/** Sorted once they are published: how long sorting takes says no more than the answer. */
function* selectedKeys(
  { atLeast }: KeySelection,
  rule: KeyRule,
  vector: MeasuredVector,
  random: Random,
): Generator<void, readonly PublishedKey[]> {
  const select = keySelector(rule);
  const hidden = BigInt(atLeast - 1);
  const published: PublishedKey[] = [];
  for (const [index, name] of (vector.found ?? []).entries()) {
    const count = select((vector[index] ?? 0n) - hidden, random);
    if (count !== null) published.push({ name, index, count: count + hidden });
    if (index % SLICE === 0) yield;
  }
  return published.sort((a, b) => inOrder(a.name, b.name));
}

/**
 * The draws that are left of those for all values that a table may hold: with them the time of drawing is the same, however many were
 * found [M210].
 */
export function* spareDraws(plan: BoundedPlan, exact: Exact<Measured>, random: Random): Generator<void, void> {
  const measured = reveal(exact);
  for (const [index, { keys }] of plan.statistics.entries()) {
    if (keys === undefined || keys.rule === null) continue;
    const select = keySelector(keys.rule);
    for (let left = keys.most - (measured[index]?.found?.length ?? 0); left > 0; left--) {
      select(1n, random);
      if (left % SLICE === 0) yield;
    }
  }
}

/** Numbers by size, then texts by code unit, then false and true: the same for everyone. */
function inOrder(a: Key, b: Key): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [x, y] = [String(a), String(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}
