import type { AnswerCell } from "../answer.ts";
import { cellRows, coverOf, keepingOf } from "./cover.ts";
import { nothing, rules } from "./derive.ts";
import { cellsFrom } from "./derived.ts";
import { type Diagrams, TooLarge } from "./diagram.ts";
import { cellForms, type Pool } from "./earlier.ts";
import { type Form, none, numberOf, sumOf, varianceOf } from "./form.ts";
import { solve, type ViewName } from "./views.ts";

/** More equations than this are not solved: the first ones are. */
const MOST_EQUATIONS = 150;

/**
 * The answers of one release made to agree: totals match their parts, means their sums. Weighted least squares on the released
 * integers under every equation that holds between the rows' exact answers; costs nothing, as it reads answers alone [M147].
 * An entry for each pool; null where nothing about it changes.
 */
export function consistentCells(
  pools: readonly Pool[],
  diagrams: Diagrams,
  failureProbability: number,
): readonly (readonly Pick<AnswerCell, "value" | "interval">[] | null)[] {
  const equations = equationsOf(pools, diagrams).slice(0, MOST_EQUATIONS);
  if (equations.length === 0) return pools.map(() => null);
  const adjust = projection(equations);
  if (adjust === null) return pools.map(() => null);
  const touched = new Set(equations.flatMap(({ terms }) => terms.map(({ key }) => key)));
  return pools.map((pool) => {
    const rule = rules[pool.statistic.statistic];
    if (rule === undefined) return null;
    const forms = rule.needs.map((need) => [need, cellForms(pool, need)] as const);
    if (!forms.some(([, cells]) => cells?.some(({ terms }) => terms.some(({ key }) => touched.has(key))))) return null;
    return cellsFrom(pool.statistic, (cell) => {
      const named = Object.fromEntries(forms.map(([need, cells]) => [need, adjust(cells?.[cell] ?? none)]));
      return rule.read({ ...nothing, ...named }, pool.statistic, failureProbability);
    }).map(({ value, interval }) => ({ value, interval }));
  });
}

/** Differences that are zero without noise: a cell less the cells that make it up, for every sum that two rows share. */
function equationsOf(pools: readonly Pool[], diagrams: Diagrams): readonly Form[] {
  const equations: Form[] = [];
  for (const [i, coarse] of pools.entries())
    for (const [j, fine] of pools.entries()) {
      if (i === j) continue;
      for (const view of ["rows", "sum"] as const) equations.push(...between(coarse, fine, view, diagrams, i < j));
    }
  return equations;
}

function between(coarse: Pool, fine: Pool, view: ViewName, diagrams: Diagrams, first: boolean): readonly Form[] {
  const [wanted, source] = [coarse.statistic, fine.statistic];
  const [total, parts] = [cellForms(coarse, view), cellForms(fine, view)];
  if (total === null || parts === null || total.length > parts.length) return [];
  if (total.length === parts.length && !first) return [];
  if (
    view === "sum" &&
    (wanted.column !== source.column || wanted.lower !== source.lower || wanted.upper !== source.upper)
  )
    return [];
  try {
    const cover = coverOf(cellRows(wanted, diagrams), cellRows(source, diagrams), diagrams);
    if (cover === null) return [];
    const whole = total.length === 1 && cover[0]?.length === parts.length && view === "rows";
    const keeping = keepingOf(wanted, source);
    if (keeping === "fewer" || (keeping === "others" && !whole)) return [];
    return total.map((form, cell) =>
      sumOf([[1, form], ...(cover[cell] ?? []).map((part) => [-1, parts[part] ?? none] as const)]),
    );
  } catch (error) {
    if (error instanceof TooLarge) return [];
    throw error;
  }
}

/** F ↦ F − FVCᵀ(CVCᵀ)⁻¹C: the part of a form that the equations leave free. */
function projection(equations: readonly Form[]): ((form: Form) => Form) | null {
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
  // Gram–Schmidt: an equation that follows from those before it is left out.
  for (const equation of equations) {
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
  return (form) => {
    const along = independent.map((equation) => inner(form, equation));
    const factors = independent.map((_, j) => along.reduce((sum, a, i) => sum + a * (inverse[i]?.[j] ?? 0), 0));
    const adjusted = sumOf([[1, form], ...independent.map((equation, j) => [-(factors[j] ?? 0), equation] as const)]);
    return Number.isFinite(numberOf(adjusted)) ? adjusted : form;
  };
}
