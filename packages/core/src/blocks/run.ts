import { invalid } from "../error.ts";

/** Blocks `from` to `to`, both among them. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

export interface Run<T> extends BlockRange {
  readonly value: T;
}

/** Values of blocks, in rising order without overlap. A block in no run has no value. */
export type Runs<T> = readonly Run<T>[];

export type Same<T> = (a: T, b: T) => boolean;

/** The blocks as the fewest ranges, in rising order. INVALID_PARAMETER, with its name, for a block that comes twice. */
export function rangesOf(
  blocks: readonly number[],
  nameOf: (block: number) => string | number = (block) => block,
): readonly BlockRange[] {
  const ranges: { from: number; to: number }[] = [];
  for (const block of [...blocks].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && block === last.to) invalid("window", nameOf(block), "every block once");
    if (last !== undefined && block === last.to + 1) last.to = block;
    else ranges.push({ from: block, to: block });
  }
  return ranges;
}

export const blocksIn = (ranges: readonly BlockRange[]): number =>
  ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);

/** Neighbouring runs with the same value as one. */
export function merged<T>(runs: Runs<T>, same: Same<T>): Runs<T> {
  const out: Run<T>[] = [];
  for (const run of runs) {
    const last = out.at(-1);
    if (last !== undefined && last.to + 1 === run.from && same(last.value, run.value)) {
      out[out.length - 1] = { ...last, to: run.to };
    } else out.push(run);
  }
  return out;
}

/** The parts of the ranges in which each of several lists of runs has one value; a block that is missing in one of them is refused. */
export function together<T>(lists: readonly Runs<T>[], ranges: readonly BlockRange[]): Runs<readonly T[]> {
  const at = lists.map(() => 0);
  const pieces: Run<readonly T[]>[] = [];
  for (const range of ranges) {
    for (let from = range.from; from <= range.to; ) {
      const runs = lists.map((list, index) => {
        let position = at[index] ?? 0;
        while ((list[position]?.to ?? Number.POSITIVE_INFINITY) < from) position += 1;
        at[index] = position;
        const run = list[position];
        return run !== undefined && run.from <= from ? run : invalid("window", from, "blocks that have been opened");
      });
      const to = Math.min(range.to, ...runs.map((run) => run.to));
      pieces.push({ from, to, value: runs.map((run) => run.value) });
      from = to + 1;
    }
  }
  return pieces;
}

/** The runs with the values of `changes` in place of their own. */
export function replaced<T>(runs: Runs<T>, changes: Runs<T>, same: Same<T>): Runs<T> {
  const kept: Run<T>[] = [];
  let next = 0;
  for (const run of runs) {
    let from = run.from;
    while ((changes[next]?.to ?? Number.POSITIVE_INFINITY) < from) next += 1;
    for (let at = next; from <= run.to; at++) {
      const change = changes[at];
      if (change === undefined || change.from > run.to) {
        kept.push({ ...run, from });
        break;
      }
      if (change.from > from) kept.push({ ...run, from, to: change.from - 1 });
      from = change.to + 1;
    }
  }
  return merged(inOrder([...kept, ...changes]), same);
}

/** The ranges as runs: their own values where they have one, `value` elsewhere. */
export function filled<T>(runs: Runs<T>, ranges: readonly BlockRange[], { value, same }: Filling<T>): Runs<T> {
  const inside: Run<T>[] = [];
  let next = 0;
  for (const range of ranges) {
    while ((runs[next]?.to ?? Number.POSITIVE_INFINITY) < range.from) next += 1;
    for (let at = next; ; at++) {
      const run = runs[at];
      if (run === undefined || run.from > range.to) break;
      inside.push({ ...run, from: Math.max(run.from, range.from), to: Math.min(run.to, range.to) });
    }
  }
  const empty = ranges.map(({ from, to }) => ({ from, to, value }));
  return replaced(empty, inside, same);
}

interface Filling<T> {
  readonly value: T;
  readonly same: Same<T>;
}

/** The runs and one more. INVALID_PARAMETER where a block of it has a value already. */
export function added<T>(runs: Runs<T>, run: Run<T>, same: Same<T>): Runs<T> {
  const taken = runs.find(({ from, to }) => from <= run.to && run.from <= to);
  if (taken !== undefined) invalid("block", Math.max(taken.from, run.from), "a block that has not been opened");
  return merged(inOrder([...runs, run]), same);
}

const inOrder = <T>(runs: Runs<T>): Runs<T> => [...runs].sort((a, b) => a.from - b.from);
