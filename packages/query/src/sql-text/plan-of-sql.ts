import { invalid, PrivacyError } from "@dosimeter/core";
import type { Declaration } from "../declaration/declaration.ts";
import { type Predicate, predicateText } from "../declaration/predicate.ts";
import { withDerived } from "../expression/derive.ts";
import { formulaText } from "../expression/formula.ts";
import type { DecimalInput } from "../plan/bounded.ts";
import type { Plan, StatisticRequest } from "../statistics/request.ts";
import { unpriced, withTotal } from "./price.ts";
import type { SqlQuery } from "./query.ts";
import { refuseAt, refusedAt } from "./refusal.ts";
import { type Row, rowsOf } from "./rows.ts";
import { checkedFilter, type Derived, noDerived, scopeOf } from "./scope.ts";
import { type Options, optionsOf } from "./settings.ts";
import type { SqlTable } from "./table.ts";

/** What SQL asks for: a plan, the tables that its answers make, and where each of its rows was written. */
export interface SqlPlan {
  readonly plan: Plan;
  readonly tables: readonly SqlTable[];
  readonly notes: readonly string[];
  /** Rows without a price: no total was stated. */
  readonly unpriced: number;
  /** Throws a refusal of the plan again, at the place in the text that asked for the row. */
  readonly atItsPlace: (error: unknown) => never;
}

/** What is paid, where the text does not say so. */
export interface SqlTerms {
  readonly epsilon?: DecimalInput | undefined;
  readonly rho?: DecimalInput | undefined;
  readonly delta?: DecimalInput | undefined;
}

/**
 * The plan that SQL asks for over a declared dataset. Reads no data. Throws INVALID_PARAMETER, UNKNOWN_COLUMN or UNSUPPORTED_QUERY
 * with line and column. A price is only ever one that the text or `terms` state.
 */
export function planOfSql(query: SqlQuery, declaration: Declaration, terms: SqlTerms = {}): SqlPlan {
  const derived = noDerived();
  const rows: Row[] = [];
  const notes = new Set<string>();
  const read = query.statements.map((statement) => {
    const scope = scopeOf(query, statement, declaration, derived);
    const options = optionsOf(statement.options, query.source, declaration);
    const made = rowsOf(scope, options, { before: rows.length, delta: terms.delta });
    rows.push(...priced(made.rows, options, query.source));
    for (const note of made.notes) notes.add(note);
    return { options, table: made.table };
  });
  const statistics = withTerms(rows, terms);
  const plan: Plan = {
    ...(derived.formulas.size === 0 ? {} : { let: textsOf(derived) }),
    statistics,
    ...ofAll(
      read.map(({ options }) => options),
      query.source,
    ),
  };
  const filters = rows.flatMap(({ request, filterAt }) =>
    request.where === undefined ? [] : [{ where: request.where as Predicate, at: filterAt }],
  );
  const atItsPlace = (error: unknown): never => placed(error, { query, rows, derived });
  const whole = attempt(() => withDerived(declaration, plan.let), atItsPlace);
  const texts = new Map<Predicate, string>();
  for (const { where, at } of filters)
    if (!texts.has(where)) texts.set(where, predicateText(checkedFilter(where, at, query.source, whole)));
  const written = (row: StatisticRequest): StatisticRequest =>
    row.where === undefined ? row : { ...row, where: texts.get(row.where as Predicate) ?? row.where };
  return {
    plan: { ...plan, statistics: plan.statistics.map(written) },
    tables: read.map(({ table }) => table),
    notes: [...notes],
    unpriced: unpriced(statistics),
    atItsPlace,
  };
}

function attempt<T>(run: () => T, refuse: (error: unknown) => never): T {
  try {
    return run();
  } catch (error) {
    return refuse(error);
  }
}

const textsOf = ({ formulas }: Derived): Readonly<Record<string, string>> =>
  Object.fromEntries([...formulas].map(([name, formula]) => [name, formulaText(formula)]));

function placed(
  error: unknown,
  { query, rows, derived }: { readonly query: SqlQuery; readonly rows: readonly Row[]; readonly derived: Derived },
): never {
  if (!(error instanceof PrivacyError) || typeof error.details.name !== "string") throw error;
  const { name } = error.details;
  const row = /^statistics\[(\d+)\]/.exec(name)?.[1];
  const column = [...derived.places.keys()].find((each) => name === `let.${each}` || name.startsWith(`let.${each}.`));
  const at = row !== undefined ? rows[Number(row)]?.at : column === undefined ? undefined : derived.places.get(column);
  if (at === undefined || error.details.line !== undefined) throw error;
  return refuseAt(query.source, at, error.message.replace(/^statistics\[\d+\]\.?/, ""), error.code);
}

/** Settings of the whole plan, said in one statement or alike in several. */
function ofAll(all: readonly Options[], source: string): Pick<Plan, "sample" | "confidence" | "adjacency"> {
  const found: Record<string, unknown> = {};
  for (const options of all)
    for (const key of ["sample", "confidence", "adjacency"] as const) {
      const value = options[key];
      if (value === undefined) continue;
      if (found[key] !== undefined && JSON.stringify(found[key]) !== JSON.stringify(value))
        return refuseAt(
          source,
          options.at[key] ?? options.at.sample_rate ?? options.at.sample_size ?? 0,
          `${key} is of the whole plan; say it once`,
        );
      found[key] = value;
    }
  return found;
}

function priced(rows: readonly Row[], options: Options, source: string): readonly Row[] {
  let requests = rows.map(({ request }) => request);
  for (const currency of ["epsilon", "rho"] as const) {
    const total = options[currency];
    const at = options.at[currency] ?? 0;
    if (total !== undefined)
      requests = [
        ...refusedAt(source, at, () =>
          withTotal(requests, currency, total, (want) =>
            refuseAt(source, at, `${currency} is ${total}, must be ${want}`),
          ),
        ),
      ];
  }
  return rows.map((row, index) => ({ ...row, request: requests[index] ?? row.request }));
}

function withTerms(rows: readonly Row[], terms: SqlTerms): readonly StatisticRequest[] {
  let requests: readonly StatisticRequest[] = rows.map(({ request }) => request);
  for (const currency of ["epsilon", "rho"] as const) {
    const total = terms[currency];
    if (total !== undefined)
      requests = withTotal(requests, currency, total, (want) =>
        invalid(currency, total, `${want}, which the query itself states`),
      );
  }
  return requests;
}
