import type { Random } from "@dosimeter/core";
import { reveal } from "@dosimeter/core/exact";
import { boundPlan } from "../bind/bound-plan.ts";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import type { Declaration } from "../declaration/declaration.ts";
import type { BoundedPlan, BoundedStatistic, Sensitivity } from "../plan/bounded.ts";
import type { Engine, Measured, MeasuredVector } from "../plan/engine.ts";
import { cellsPerGroup } from "../plan/task.ts";
import type { Source } from "../source/kinds.ts";
import { byGroup } from "../statistics/by-group.ts";
import { definitionOf } from "../statistics/registry.ts";
import type { Plan } from "../statistics/request.ts";
import {
  columnsOf,
  contributions,
  derivedColumns,
  derivedQuestions,
  keyQuestions,
  type MadeUpRow,
  type MadeUpSchema,
  nameOf,
  newcomer,
  odd,
  questions,
  rowsOfBlock,
  rowsOfOne,
  schemaOf,
  wholeQuestions,
} from "./people.ts";

export interface Bench {
  readonly engine: Engine;
  readonly store: (rows: readonly MadeUpRow[]) => Promise<Source>;
  readonly salt: string;
}

/** The result for the neighbours of one statistic. */
export interface FuzzedStatistic {
  readonly statistic: string;
  readonly pairs: number;
  /** Largest distance seen, as a share of the declared sensitivity: at most 1, and 1 when it was reached. */
  readonly largest: number;
  readonly violations: number;
}

/** Neighbours that are measured by one query: this many small tables in one, each with people of its own. */
const BLOCKS = 50;

/**
 * Measures, without noise, pairs of made-up tables that differ in one unit, and compares how far the integers move with the
 * declared sensitivity in three norms. Many pairs share two tables: a column names the block of each row, people live in one
 * block only, and every statistic is measured by block, its sensitivity being that of a single one. Deterministic given
 * `random`. A check of this installation, not a proof.
 */
export async function fuzzSensitivities(
  bench: Bench,
  pairs: number,
  random: Random,
  progress: (done: number) => void = () => {},
): Promise<readonly FuzzedStatistic[]> {
  const seen = new Map<string, { pairs: number; largest: number; violations: number }>();
  for (let done = 0; done < pairs; ) {
    const round = roundOf(random, Math.min(BLOCKS, pairs - done));
    for (const [statistic, shares] of await compared(bench, round)) {
      const before = seen.get(statistic) ?? { pairs: 0, largest: 0, violations: 0 };
      seen.set(statistic, {
        pairs: before.pairs + shares.length,
        largest: Math.max(before.largest, ...shares),
        violations: before.violations + shares.filter((share) => share > 1).length,
      });
    }
    done += round.schema.blocks;
    progress(done);
  }
  return [...seen].map(([statistic, result]) => ({ statistic, ...result }));
}

interface Round {
  readonly schema: MadeUpSchema;
  readonly adjacency: "addRemove" | "replace";
  readonly contribution: (typeof contributions)[number];
  readonly groupBy: readonly string[];
  readonly where: string | undefined;
  readonly here: readonly MadeUpRow[];
  /** The same, in every block without one of its people, or with another one instead. */
  readonly there: readonly MadeUpRow[];
}

function roundOf(random: Random, blocks: number): Round {
  const choose = <T>(values: readonly T[]): T => values[random.uint32() % values.length] as T;
  const schema = schemaOf(random, blocks);
  const adjacency = choose(["addRemove", "replace"] as const);
  const here: MadeUpRow[] = [];
  const there: MadeUpRow[] = [];
  for (let block = 0; block < blocks; block++) {
    const rows = rowsOfBlock(random, schema, block);
    const person = nameOf(schema, block, choose([odd, odd, odd, 0]));
    here.push(...rows);
    there.push(...rows.filter((row) => row.person !== person));
    if (adjacency === "replace") there.push(...rowsOfOne(random, schema, block, newcomer));
  }
  return {
    schema,
    adjacency,
    contribution: choose(contributions),
    groupBy: choose<readonly string[]>([[], [], ["region"], ["member"], ["region", "member"]]),
    where: choose([undefined, undefined, "age > 3", "not pay < 0 or member is null"]),
    here,
    there,
  };
}

type Shares = readonly [statistic: string, shares: readonly number[]];

async function compared(bench: Bench, round: Round): Promise<readonly Shares[]> {
  const { schema, groupBy, where } = round;
  const by = { groupBy: ["block", ...groupBy] };
  const asked = questions(groupBy, where, schema);
  const derived = derivedQuestions(groupBy, where);
  const plans: readonly (readonly [plan: Plan, alone: Plan])[] = [
    [{ statistics: asked.map((each) => ({ ...each, ...by })) }, { statistics: asked }],
    [
      { let: derivedColumns, statistics: derivedQuestions(by.groupBy, where) },
      { let: derivedColumns, statistics: derived },
    ],
  ];
  const [before, after] = [await opened(bench, round, round.here), await opened(bench, round, round.there)];
  const shares: Shares[] = [];
  for (const [plan, alone] of plans) {
    const { statistics } = boundPlan(alone, before.declaration);
    const [here, there] = [await before.measure(plan), await after.measure(plan)];
    for (const [index, statistic] of statistics.entries())
      shares.push([statistic.statistic, blockShares(statistic, [here[index], there[index]], schema.blocks)]);
  }
  // Keys that no one declared: the word itself names its block.
  const words: Plan = { statistics: keyQuestions(where) };
  const { statistics } = boundPlan(words, before.declaration);
  const [here, there] = [await before.measure(words), await after.measure(words)];
  for (const [index, statistic] of statistics.entries())
    shares.push([statistic.statistic, keyShares(statistic, [here[index], there[index]], schema.blocks)]);
  // Counts over all groups cannot be split by block, so there is one pair.
  const whole: Plan = { statistics: wholeQuestions("block = 0") };
  const [wholeHere, wholeThere] = [await before.measure(whole), await after.measure(whole)];
  for (const [index, statistic] of boundPlan(whole, before.declaration).statistics.entries())
    shares.push([statistic.statistic, blockShares(statistic, [wholeHere[index], wholeThere[index]], 0)]);
  return shares;
}

interface Opened {
  readonly declaration: Declaration;
  readonly measure: (plan: Plan) => Promise<Measured>;
}

async function opened(
  { engine, store, salt }: Bench,
  { schema, contribution, adjacency }: Round,
  rows: readonly MadeUpRow[],
): Promise<Opened> {
  const named = rows.map((row) => ({ ...row, word: row.word === null ? null : `${row.block}/${row.word}` }));
  const declaration = checkDeclaration({
    name: "made up",
    source: await store(named),
    privacyUnit: { column: "person" },
    contribution,
    adjacency,
    columns: columnsOf(schema),
  });
  const version = await engine.check(declaration, { salt });
  const measure = async (plan: Plan): Promise<Measured> => {
    const bounded: BoundedPlan = boundPlan(plan, declaration);
    return reveal(await engine.run(bounded, version));
  };
  return { declaration, measure };
}

type Two = readonly [here: MeasuredVector | undefined, there: MeasuredVector | undefined];

/** For each block, or without blocks, how far its integers moved; cells run through the block slowest, and one more block is empty. */
function blockShares(statistic: BoundedStatistic, [here = [], there = []]: Two, blocks: number): readonly number[] {
  const size = here.length / (blocks === 0 ? 1 : blocks + 1);
  return Array.from({ length: Math.max(1, blocks) }, (_, block) => {
    const [a, b] = [here, there].map((all) => released(statistic, all.slice(block * size, (block + 1) * size)));
    return distanceShare(a ?? [], b ?? [], statistic);
  });
}

/** For each block how many keys changed, and how far the answers by key moved: the larger share of the two. */
function keyShares(statistic: BoundedStatistic, two: Two, blocks: number): readonly number[] {
  const changed = Array.from({ length: blocks }, () => ({ keys: 0, here: [] as bigint[], there: [] as bigint[] }));
  const [here, there] = two.map((vector) => byKey(vector ?? []));
  for (const key of new Set([...(here?.keys() ?? []), ...(there?.keys() ?? [])])) {
    const block = changed[Number.parseInt(key, 10)];
    if (block === undefined) throw new RangeError("a word of no block");
    const [a = [], b = []] = [here?.get(key), there?.get(key)];
    const [units = 0n, ...cells] = Array.from({ length: Math.max(a.length, b.length) }, (_, at) =>
      at === 0 ? (a[0] ?? 0n) - (b[0] ?? 0n) : (a[at] ?? 0n),
    );
    if (units !== 0n) block.keys += units === 1n || units === -1n ? 1 : Number.POSITIVE_INFINITY;
    block.here.push(...released(statistic, cells));
    block.there.push(
      ...released(
        statistic,
        cells.map((_, at) => b[at + 1] ?? 0n),
      ),
    );
  }
  const most = statistic.keys?.changes ?? 0;
  return changed.map((block) =>
    Math.max(
      block.keys / most,
      statistic.keys?.counts === true ? 0 : distanceShare(block.here, block.there, statistic),
    ),
  );
}

const byKey = (vector: MeasuredVector): ReadonlyMap<string, readonly bigint[]> =>
  new Map(vector.found?.map((key, at) => [String(key), [vector[at] ?? 0n, ...(vector.cellsOf?.(at) ?? [])]]));

/** What noise is added to: all nodes of a tree of counts, else the integers as measured. */
export function released(statistic: BoundedStatistic, vector: readonly bigint[] = []): readonly bigint[] {
  const { noised } = definitionOf(statistic);
  if (noised === undefined) return vector;
  return byGroup(vector, cellsPerGroup(statistic)).flatMap((group) => noised(group, statistic.task));
}

/** The distance over what was declared in the norm that the noise hides; each of three exactly compared: above 1 only when one is. */
function distanceShare(
  a: readonly bigint[],
  b: readonly bigint[],
  { sensitivity, noise }: { readonly sensitivity: Sensitivity; readonly noise: BoundedStatistic["noise"] },
): number {
  let [l1, l2Squared, linf] = [0n, 0n, 0n];
  a.forEach((value, index) => {
    const difference = value - (b[index] ?? 0n);
    const size = difference < 0n ? -difference : difference;
    l1 += size;
    l2Squared += size * size;
    if (size > linf) linf = size;
  });
  const over = l1 > sensitivity.l1 || l2Squared > sensitivity.l2Squared || linf > sensitivity.linf;
  const share =
    noise.kind === "gaussian"
      ? Math.sqrt(Number(l2Squared) / Number(sensitivity.l2Squared))
      : Number(l1) / Number(sensitivity.l1);
  return over ? Math.max(share, 1 + Number.EPSILON) : Math.min(1, share);
}
