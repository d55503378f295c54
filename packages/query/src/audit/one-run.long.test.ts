import { seededRandom } from "@dosimeter/core/testing";
import { oneRunAudit, oneRunGaussianAudit } from "@dosimeter/tradeoff";
import { afterAll, beforeAll, expect, test } from "vitest";
import { duckdbUnderTest } from "../../../engines/src/duckdb/under-test.kit.ts";
import { type EngineUnderTest, SALT } from "../../../engines/src/engine/under-test.kit.ts";
import { addNoise } from "../answer/add-noise.ts";
import { boundPlan } from "../bind/bound-plan.ts";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import type { BoundedPlan, PriceRequest } from "../plan/bounded.ts";
import type { ReleasedTable } from "../statistics/released.ts";

/** Values of each of two columns: every pair of values is a cell of its own, the most that a pair may have. */
const VALUES = 64;
/** Rows of each value that anyone may know; both columns agree in them, so that their pair is worth measuring. */
const KNOWN = 320;
/** The most values of one column. */
const MANY = 10_000;

let under: EngineUnderTest;
beforeAll(async () => {
  under = await duckdbUnderTest("csv", 1);
});
afterAll(() => under.close());

interface Run {
  readonly canaries: number;
  readonly guesses: number;
  readonly correct: number;
  /** A sound release is refuted with a chance of no more than this. */
  readonly significance: number;
}

/** A table in which each canary has a cell of its own: of a pair of columns, or of one column, which then has all of the price. */
interface Shape {
  readonly canaries: number;
  readonly values: number;
  readonly rowOf: (cell: number) => Readonly<Record<string, number>>;
  readonly known: (cell: number) => number;
  readonly countsOf: (table: ReleasedTable) => readonly number[] | undefined;
}

const pair: Shape = {
  canaries: VALUES ** 2,
  values: VALUES,
  rowOf: (cell) => ({ a: Math.floor(cell / VALUES), b: cell % VALUES }),
  known: (cell) => (cell % (VALUES + 1) === 0 ? KNOWN : 0),
  countsOf: ({ pairs }) => pairs[0]?.counts,
};
const column: Shape = {
  canaries: MANY,
  values: MANY,
  rowOf: (cell) => ({ a: cell }),
  known: () => 0,
  countsOf: ({ columns }) => columns[0]?.counts,
};

interface Attack {
  readonly shape: Shape;
  readonly guesses: number;
  readonly significance: number;
}

/**
 * One release of one table: a fair coin puts each canary into the table or not. An attacker who knows all other rows guesses the coins of
 * which the released counts say most. The plan is the one that is sold; the noise is that of `drawn`.
 */
async function attacked(
  { shape, ...limits }: Attack,
  sold: PriceRequest,
  drawn: PriceRequest,
): Promise<{ readonly run: Run; readonly plan: BoundedPlan }> {
  const random = seededRandom(2023);
  const cells = Array.from({ length: shape.canaries }, (_, cell) => cell);
  const coins = cells.map(() => random.uint32() % 2 === 1);
  const rows = cells.flatMap((cell) => {
    const copies = shape.known(cell) + (coins[cell] === true ? 1 : 0);
    return Array.from({ length: copies }, () => shape.rowOf(cell));
  });
  const names = Object.keys(shape.rowOf(0));
  const declaration = checkDeclaration({
    name: "canaries",
    source: await under.store(Object.fromEntries(names.map((name) => [name, "BIGINT"] as const)), rows),
    privacyUnit: "row",
    columns: Object.fromEntries(
      names.map((name) => [name, { type: "integer", lower: 0, upper: shape.values - 1, required: true }]),
    ),
  });
  const planAt = (price: PriceRequest): BoundedPlan =>
    boundPlan({ statistics: [{ statistic: "syntheticTable", bins: shape.values, ...price }] }, declaration);
  const [plan, other] = [planAt(sold), planAt(drawn)];
  const noised = {
    ...plan,
    statistics: plan.statistics.map((each, at) => ({ ...each, noise: other.statistics[at]?.noise ?? each.noise })),
  };
  const version = await under.engine.check(declaration, { salt: SALT });
  const [answer] = addNoise(noised, await under.engine.run(noised, version), random);
  const counts = answer?.table === undefined ? undefined : shape.countsOf(answer.table);
  if (counts?.length !== shape.canaries) throw new Error("the canaries were not measured");
  // Above ½ a count says *in*, below it *out*.
  const says = counts.map((count, cell) => count - shape.known(cell) - 1 / 2);
  const surest = cells.toSorted((a, b) => Math.abs(says[b] ?? 0) - Math.abs(says[a] ?? 0)).slice(0, limits.guesses);
  const correct = surest.filter((cell) => (says[cell] ?? 0) > 0 === coins[cell]).length;
  return { run: { canaries: shape.canaries, correct, ...limits }, plan };
}

/** What is charged: the sum of the events' ε, or the root of the sum of their μ². */
function chargedOf({ statistics }: BoundedPlan): number {
  const parts = (statistics[0]?.events ?? []).map((event) =>
    event.kind === "pure"
      ? Number(event.epsilon)
      : event.kind === "gaussian"
        ? String(event.noiseMultiplier)
            .split("/")
            .map(Number)
            .reduce((over, down) => over / down) ** -2
        : Number.NaN,
  );
  const sum = parts.reduce((total, part) => total + part, 0);
  return statistics[0]?.noise.kind === "gaussian" ? Math.sqrt(sum) : sum;
}

/**
 * An attacker of a pair's counts alone proves at most the seven tenths of ε that they cost; with half of the noise 1.4·ε, which is more than
 * was charged. One run says less of Gaussian noise, so there the table has one column, and a sound one is refuted in one of a hundred runs at
 * most, in place of one of ten thousand.
 */
test.each([
  {
    name: "a pair, paid in ε",
    attack: { shape: pair, guesses: pair.canaries, significance: 1e-4 },
    sold: { epsilon: "1" },
    halved: { epsilon: "2" },
    claim: 1,
    proved: (run: Run) => oneRunAudit({ ...run, delta: 0 }),
  },
  {
    name: "a column, paid in ρ",
    attack: { shape: column, guesses: 800, significance: 0.01 },
    sold: { rho: "0.08" },
    halved: { rho: "0.32" },
    claim: 0.4,
    proved: oneRunGaussianAudit,
  },
])(
  "one run proves no more of a synthetic table than it costs, and more with half of the noise: $name [M78, M202]",
  async ({ attack, sold, halved, claim, proved }) => {
    const sound = await attacked(attack, sold, sold);
    const claimed = chargedOf(sound.plan);
    expect(claimed).toBeCloseTo(claim, 9);
    expect(proved(sound.run)).toBeLessThanOrEqual(claimed);
    // An attack that proves nothing would not notice faulty noise.
    expect(proved(sound.run)).toBeGreaterThan(0.3 * claimed);
    const faulty = await attacked(attack, sold, halved);
    expect(chargedOf(faulty.plan)).toBe(claimed);
    expect(proved(faulty.run)).toBeGreaterThan(claimed);
  },
);
