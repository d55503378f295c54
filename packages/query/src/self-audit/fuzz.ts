import type { Random } from "@dosimeter/core";
import { reveal } from "@dosimeter/core/exact";
import { boundPlan } from "../bound.ts";
import { checkDeclaration, type Source } from "../declaration.ts";
import type { Engine, Measured } from "../engine.ts";
import type { BoundedPlan, Sensitivity } from "../plan.ts";
import { contributions, type MadeUpRow, madeUpColumns, madeUpRows, people, questions, rowsOfOne } from "./people.ts";

/** An engine with somewhere to put made-up tables. */
export interface Bench {
  readonly engine: Engine;
  readonly store: (rows: readonly MadeUpRow[]) => Promise<Source>;
  readonly salt: string;
}

/** What the neighbours of one statistic showed. */
export interface FuzzedStatistic {
  readonly statistic: string;
  readonly pairs: number;
  /** Largest distance seen, as a share of the declared sensitivity: at most 1, and 1 when it was reached. */
  readonly largest: number;
  readonly violations: number;
}

/**
 * Measures, without noise, pairs of made-up tables that differ in one unit, and compares how far the integers move with the
 * declared sensitivity in three norms. Deterministic given `random`. A check of this installation, not a proof.
 */
export async function fuzzSensitivities(
  bench: Bench,
  pairs: number,
  random: Random,
  progress: (done: number) => void = () => {},
): Promise<readonly FuzzedStatistic[]> {
  const seen = new Map<string, { pairs: number; largest: number; violations: number }>();
  for (let done = 0; done < pairs; done++) {
    const rows = madeUpRows(random);
    const shape = shapeOf(random);
    const adjacency = random.uint32() % 2 === 0 ? "addRemove" : "replace";
    const person = random.uint32() % 2 === 0 ? "odd" : (people[random.uint32() % people.length] ?? "odd");
    const rest = rows.filter((row) => row.person !== person);
    const neighbours = adjacency === "addRemove" ? rest : [...rest, ...rowsOfOne(random, "somebody else")];
    const [here, plan] = await measured(bench, rows, adjacency, shape);
    const [there] = await measured(bench, neighbours, adjacency, shape);
    plan.statistics.forEach(({ statistic, sensitivity }, index) => {
      const share = distanceShare(here[index] ?? [], there[index] ?? [], sensitivity);
      const before = seen.get(statistic) ?? { pairs: 0, largest: 0, violations: 0 };
      seen.set(statistic, {
        pairs: before.pairs + 1,
        largest: Math.max(before.largest, share),
        violations: before.violations + (share > 1 ? 1 : 0),
      });
    });
    progress(done + 1);
  }
  return [...seen].map(([statistic, result]) => ({ statistic, ...result }));
}

interface Shape {
  readonly contribution: (typeof contributions)[number];
  readonly groupBy: readonly string[];
  readonly where: string | undefined;
}

function shapeOf(random: Random): Shape {
  const choose = <T>(values: readonly T[]): T => values[random.uint32() % values.length] as T;
  return {
    contribution: choose(contributions),
    groupBy: choose<readonly string[]>([[], ["region"], ["member"], ["region", "member"]]),
    where: choose([undefined, undefined, "age > 3", "not pay < 0 or member is null"]),
  };
}

async function measured(
  { engine, store, salt }: Bench,
  rows: readonly MadeUpRow[],
  adjacency: "addRemove" | "replace",
  { contribution, groupBy, where }: Shape,
): Promise<readonly [Measured, BoundedPlan]> {
  const declaration = checkDeclaration({
    name: "made up",
    source: await store(rows),
    privacyUnit: { column: "person" },
    contribution,
    adjacency,
    columns: madeUpColumns,
  });
  const plan = boundPlan({ statistics: questions(groupBy, where) }, declaration);
  const version = await engine.check(declaration, { salt });
  return [reveal(await engine.run(plan, version)), plan];
}

/** The largest of three distances over what was declared, each exactly compared: above 1 only when one is. */
function distanceShare(a: readonly bigint[], b: readonly bigint[], declared: Sensitivity): number {
  let [l1, l2Squared, linf] = [0n, 0n, 0n];
  a.forEach((value, index) => {
    const difference = value - (b[index] ?? 0n);
    const size = difference < 0n ? -difference : difference;
    l1 += size;
    l2Squared += size * size;
    if (size > linf) linf = size;
  });
  const over = l1 > declared.l1 || l2Squared > declared.l2Squared || linf > declared.linf;
  const share = Number(l1) / Number(declared.l1);
  return over ? Math.max(share, 1 + Number.EPSILON) : Math.min(1, share);
}
