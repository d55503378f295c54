import { type Form, halfWidthOf, none, numberOf, sumOf, varianceOf } from "@dosimeter/query/noise";
import { errorText } from "@dosimeter/query/quote";
import {
  type AnswerCell,
  curveCells,
  isotonic,
  nothing,
  prefixSums,
  selectedForm,
  type ViewName,
} from "@dosimeter/query/statistics";
import { coverOf } from "./cover.ts";
import { fromSumsOf, sameScale } from "./derive.ts";
import { type Diagrams, unlessTooLarge } from "./diagram.ts";
import { cellForms, originText, type Pool } from "./earlier.ts";
import { nodesOf, type Tree, treeOf } from "./leaves.ts";
import { orderedQuantiles } from "./ordered.ts";
import { keptBy, type Parts, partsOf } from "./parts.ts";
import { solve } from "./views.ts";

/** Only this number of equations is used, the first ones. */
const MAX_EQUATIONS = 150;
const MAX_WITH_CURVES = 24;

/** Cells of an answer, and steps of a curve; more would take too long. */
const MAX_CELLS = 400;
const MAX_STEPS = 2048;

/** Whether an answer of its own draw has few enough cells to be made to agree with others. */
export const mayAgree = (pool: Pool): boolean =>
  (pool.draws[0]?.source.answer.cells.length ?? 0) <= (treeOf(pool) === null ? MAX_CELLS : MAX_STEPS);

/** The cells of an answer in its order, after the adjustment. */
type Agreed = readonly Pick<AnswerCell, "value" | "interval">[];

/** A pair of answers whose equations the released numbers refute. */
interface Broken {
  readonly total: number;
  readonly parts: number;
  /** In which the parts differ. */
  readonly columns: readonly string[];
  readonly note: string;
}

/** One entry of `cells` for each pool, null where it does not change; and what does not agree, for the readers of both answers. */
export interface Agreement {
  readonly cells: readonly (Agreed | null)[];
  readonly broken: readonly Broken[];
}

/** Answers of tables that are as they are declared are refuted by their noise in fewer than one of this many releases. */
const REFUTED = 1e-6;

/**
 * Makes the answers of one release consistent: totals match their parts, means match their sums. Weighted least squares
 * on the released integers under every equation that holds between the rows' exact answers; free, since it reads
 * answers only [M147]. An equation that the released numbers refute is not used: what it rests on is declared, and may be wrong [M354]. In
 * steps of a few milliseconds, so that a server can answer other requests in between.
 */
export function* consistentSteps(
  pools: readonly Pool[],
  diagrams: Diagrams,
  failureProbability: number,
): Generator<void, Agreement> {
  const ordered = orderedQuantiles(pools, diagrams);
  const { cells, broken } = yield* agreedSums(pools, diagrams, failureProbability);
  return { cells: cells.map((agreed, at) => agreed ?? ordered[at] ?? null), broken };
}

function* agreedSums(
  pools: readonly Pool[],
  diagrams: Diagrams,
  failureProbability: number,
): Generator<void, Agreement> {
  const found = yield* equationsOf(pools, diagrams);
  const broken = brokenOf(found, pools);
  const isBroken = ({ total, parts }: Equation): boolean =>
    broken.some((each) => [each.total, each.parts].includes(total) && [each.total, each.parts].includes(parts));
  const equations = found.filter((equation) => !isBroken(equation)).map(({ form }) => form);
  const none = { cells: pools.map(() => null), broken };
  if (equations.length === 0) return none;
  const projected = yield* projection(equations);
  if (projected === null) return none;
  const { shifts } = projected;
  const touched = new Set(equations.flatMap(({ terms }) => terms.map(({ key }) => key)));
  const agreed: (Agreed | null)[] = [];
  for (const pool of pools) {
    yield;
    const tree = treeOf(pool);
    agreed.push(
      tree === null
        ? yield* agreedCells(pool, projected, touched, failureProbability)
        : agreedCurve(tree, shifts, failureProbability),
    );
  }
  return { cells: agreed, broken };
}

/** A difference that is zero without noise, between answers by their places. */
interface Equation {
  readonly total: number;
  readonly parts: number;
  readonly form: Form;
}

/** Each pair of answers with an equation whose residual is beyond its noise. [M354] */
function brokenOf(equations: readonly Equation[], pools: readonly Pool[]): readonly Broken[] {
  const pairs = new Map<string, Broken>();
  for (const { total, parts, form } of equations) {
    const off = Math.abs(numberOf(form));
    const half = halfWidthOf(form, REFUTED / equations.length);
    const [whole, fine] = [pools[total]?.statistic, pools[parts]?.statistic];
    if (!(off > half) || whole === undefined || fine === undefined || pairs.has(`${total} ${parts}`)) continue;
    const columns = fine.groupBy.filter((column) => !whole.groupBy.includes(column));
    const where = columns.length > 0 ? columns : fine.column === null ? [] : [fine.column];
    const why = where.length === 0 ? "" : ` Are there values of ${where.join(" and ")} that are not declared?`;
    const note = `The parts of ${fine.label} do not add up to ${whole.label}: they are off by ${errorText(off)}, which noise explains up to ${errorText(half)}. They were not made to agree with each other directly.${why}`;
    pairs.set(`${total} ${parts}`, { total, parts, columns: where, note });
  }
  return [...pairs.values()];
}

function* agreedCells(
  pool: Pool,
  { adjust }: Projection,
  touched: ReadonlySet<string>,
  failureProbability: number,
): Generator<void, Agreed | null> {
  const rule = fromSumsOf(pool.statistic);
  if (rule === null) return null;
  const forms = rule.needs.map((need) => [need, cellForms(pool, need)] as const);
  if (!forms.some(([, cells]) => cells?.some(({ terms }) => terms.some(({ key }) => touched.has(key))))) return null;
  const hides = rule.needs.length > 1;
  const agreed: Agreed[number][] = [];
  for (let cell = 0; cell < (pool.draws[0]?.source.noisy.length ?? 0); cell++) {
    yield;
    const named = Object.fromEntries(forms.map(([need, cells]) => [need, adjust(cells?.[cell] ?? none)]));
    // Its own noisy number of rows decides whether a cell is shown, so it decides how sure the interval must be [M352].
    const rows = hides ? forms.find(([need]) => need === "rows")?.[1]?.[cell] : undefined;
    const shown =
      rows === undefined
        ? failureProbability
        : selectedForm(rows, pool.statistic, failureProbability).failureProbability;
    const { value, interval } = rule.read(
      { ...nothing, ...named },
      pool.statistic,
      Math.min(failureProbability, shown),
    );
    agreed.push({ value, interval });
  }
  return agreed;
}

/**
 * Differences that are zero without noise: a cell minus the cells that make it up, for every sum that two rows share.
 */
function* equationsOf(pools: readonly Pool[], diagrams: Diagrams): Generator<void, readonly Equation[]> {
  const sides = pools.map((pool): Side => {
    const known = new Map<ViewName, Parts | null>();
    return {
      pool,
      partsOf(view) {
        const parts = known.get(view);
        if (parts !== undefined) return parts;
        const found = unlessTooLarge(() => partsOf(pool, view, diagrams), null);
        known.set(view, found);
        return found;
      },
    };
  });
  const equations: Equation[] = [];
  for (const [i, coarse] of sides.entries())
    for (const [j, fine] of sides.entries()) {
      if (i === j) continue;
      for (const view of ["rows", "sum"] as const) {
        const left = MAX_EQUATIONS - equations.length;
        if (left === 0) return equations;
        yield;
        const forms = between(coarse, fine, { view, first: i < j, most: left }, diagrams);
        equations.push(...forms.map((form) => ({ total: i, parts: j, form })));
      }
    }
  return equations;
}

/** One answer; its parts are computed once for all others. */
interface Side {
  readonly pool: Pool;
  partsOf(view: ViewName): Parts | null;
}

function between(
  coarse: Side,
  fine: Side,
  { view, first, most }: { readonly view: ViewName; readonly first: boolean; readonly most: number },
  diagrams: Diagrams,
): readonly Form[] {
  const [wanted, source] = [coarse.pool.statistic, fine.pool.statistic];
  if (view === "sum" && !sameScale(wanted, source)) return [];
  const [totals, parts] = [coarse.partsOf(view), fine.partsOf(view)];
  if (totals === null || parts === null || totals.rows.length > parts.rows.length) return [];
  if (totals.rows.length === parts.rows.length && !first) return [];
  // Every step of a curve depends on every node of its tree.
  if ((treeOf(coarse.pool) ?? treeOf(fine.pool)) !== null && totals.rows.length > MAX_WITH_CURVES) return [];
  const cover = unlessTooLarge(() => coverOf(totals.rows, parts.rows, diagrams), null);
  if (cover === null) return [];
  const whole = totals.rows.length === 1 && cover[0]?.length === parts.rows.length && view === "rows";
  const keeping = keptBy(wanted, source);
  if (keeping === "fewer" || (keeping === "others" && !whole)) return [];
  return cover.slice(0, most).map((of, cell) =>
    sumOf([
      [1, totals.union([cell])],
      [-1, parts.union(of)],
    ]),
  );
}

/**
 * A curve computed from its adjusted nodes; its intervals are those of the original nodes, widened to contain the new
 * values.
 */
function agreedCurve(tree: Tree, shifts: ReadonlyMap<string, number>, failureProbability: number): Agreed | null {
  const { statistic, source } = tree;
  const name = originText(source.origin);
  let moved = false;
  const cells = statistic.groups.flatMap((_, group) => {
    const nodes = nodesOf(tree, group);
    const shift = nodes.map((_, node) => shifts.get(`${name}/${group * nodes.length + node}`) ?? 0);
    moved ||= shift.some((by) => by !== 0);
    const agreed = nodes.map((node, at) => Number(node) - (shift[at] ?? 0));
    const sums = prefixSums(statistic.task.shape, agreed);
    const values = isotonic(sums);
    // Pooling can only raise the end, so cap it at the total that the other answers agree on.
    const most = Math.max(0, sums.at(-1) ?? 0);
    return curveCells(nodes, statistic, failureProbability).map(({ interval: [from, to] }, leaf) => {
      const value = Math.min(most, Math.max(0, values[leaf] ?? 0));
      return { value, interval: [Math.min(from, value), Math.max(to, value)] as const };
    });
  });
  return moved ? cells : null;
}

interface Projection {
  /** F ↦ F − FVCᵀ(CVCᵀ)⁻¹C: the part of a form that the equations leave free. */
  readonly adjust: (form: Form) => Form;
  /** VCᵀ(CVCᵀ)⁻¹Cx: how much of each released integer the equations take away. */
  readonly shifts: ReadonlyMap<string, number>;
}

function* projection(equations: readonly Form[]): Generator<void, Projection | null> {
  const spreads = new Map<string, number>();
  for (const { terms } of equations)
    for (const term of terms) spreads.set(term.key, varianceOf({ offset: 0, terms: [{ ...term, weight: 1 }] }));
  const inner = (a: Form, b: Form): number => {
    const weights = new Map(b.terms.map(({ key, weight }) => [key, weight]));
    return a.terms.reduce(
      (sum, { key, weight }) => sum + weight * (weights.get(key) ?? 0) * (spreads.get(key) ?? 0),
      0,
    );
  };
  const independent: Form[] = [];
  const residual: Form[] = [];
  // Gram–Schmidt: leaves out an equation that follows from earlier ones.
  for (const equation of equations) {
    yield;
    let rest = equation;
    for (const before of residual)
      rest = sumOf([
        [1, rest],
        [-inner(rest, before) / inner(before, before), before],
      ]);
    if (!(inner(rest, rest) > 1e-9 * inner(equation, equation))) continue;
    independent.push(equation);
    residual.push(rest);
  }
  const gram = independent.map((a) => independent.map((b) => inner(a, b)));
  const inverse = solve(
    gram,
    independent.map((_, i) => independent.map((_, j) => (i === j ? 1 : 0))),
  );
  if (inverse === null) return null;
  const gaps = independent.map(numberOf);
  const shifts = new Map<string, number>();
  independent.forEach(({ terms }, i) => {
    const factor = gaps.reduce((sum, gap, j) => sum + gap * (inverse[i]?.[j] ?? 0), 0);
    for (const { key, weight } of terms)
      shifts.set(key, (shifts.get(key) ?? 0) + factor * weight * (spreads.get(key) ?? 0));
  });
  return {
    shifts,
    adjust(form) {
      const along = independent.map((equation) => inner(form, equation));
      const factors = independent.map((_, j) => along.reduce((sum, a, i) => sum + a * (inverse[i]?.[j] ?? 0), 0));
      const adjusted = sumOf([[1, form], ...independent.map((equation, j) => [-(factors[j] ?? 0), equation] as const)]);
      return Number.isFinite(numberOf(adjusted)) ? adjusted : form;
    },
  };
}
