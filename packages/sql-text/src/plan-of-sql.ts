import { invalid, PrivacyError } from "@dosimeter/core";
import { typedWindow } from "@dosimeter/query/bind";
import { type Declaration, formulaText, type Predicate, predicateText } from "@dosimeter/query/declaration";
import { withDerived } from "@dosimeter/query/expression";
import { atOnce, type DecimalInput } from "@dosimeter/query/plan";
import type { Plan, StatisticRequest } from "@dosimeter/query/statistics";
import { joinOf, sqlJoinSteps } from "./joined.ts";
import { unpriced, withDelta, withTotal } from "./price.ts";
import type { SqlQuery } from "./query.ts";
import { refuseAt, refusedAt } from "./refusal.ts";
import { type Row, rowSteps } from "./rows.ts";
import { checkedFilter, type Derived, noDerived, scopeOf } from "./scope.ts";
import { type Options, optionsOf } from "./settings.ts";
import { type SqlTable, tableOf } from "./table.ts";

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
  /** The blocks that are measured and pay, of a population that has blocks. */
  readonly window?: Plan["window"] | undefined;
}

/** Characters, and conditions, of all filters of a plan, which every row states for itself. */
const MAX_FILTERS = 2 ** 20;
const MAX_CONDITIONS = 2 ** 17;

/**
 * The plan that SQL asks for over a declared dataset. Reads no data. Throws INVALID_PARAMETER, UNKNOWN_COLUMN or UNSUPPORTED_QUERY
 * with line and column. A price is only ever one that the text or `terms` state.
 */
export function planOfSql(query: SqlQuery, declaration: Declaration, terms: SqlTerms = {}): SqlPlan {
  return atOnce(sqlPlanSteps(query, declaration, terms));
}

/** `planOfSql` in steps of a few milliseconds at most. */
export function* sqlPlanSteps(query: SqlQuery, declared: Declaration, terms: SqlTerms = {}): Generator<void, SqlPlan> {
  const { declaration, join, notes, partners } = yield* sqlJoinSteps(query, declared);
  const derived = noDerived();
  const rows: Row[] = [];
  const read = [];
  for (const statement of query.statements) {
    const scope = scopeOf(query, statement, declaration, derived);
    const options = optionsOf(statement.options, query.source, declaration);
    const made = yield* rowSteps(scope, options, {
      before: rows.length,
      isDeltaStated: terms.delta !== undefined,
      partner: partners.get(statement) ?? null,
    });
    rows.push(...priced(made.rows, options, query.source));
    read.push({ options, scope, made });
    yield;
  }
  const atItsPlace = (error: unknown): never => placed(error, { query, rows, derived });
  const plan: Plan = {
    ...(join === null ? {} : { join }),
    ...(derived.formulas.size === 0 ? {} : { let: textsOf(derived) }),
    statistics: withTerms(rows, terms),
    ...windowOver(terms.window, ofAll(read, query.source)),
  };
  const whole = attempt(() => withDerived(declaration, plan.let), atItsPlace);
  yield;
  const statistics = yield* filterSteps(plan.statistics, { query, rows, whole });
  const tables: SqlTable[] = [];
  for (const { scope, made } of read) {
    tables.push(tableOf(scope, made, whole));
    yield;
  }
  return {
    plan: { ...plan, statistics },
    tables,
    notes: [...notes, ...derived.notes],
    unpriced: unpriced(statistics),
    atItsPlace,
  };
}

/** The filters of rows as texts, each checked once. */
function* filterSteps(
  statistics: readonly StatisticRequest[],
  { query, rows, whole }: { readonly query: SqlQuery; readonly rows: readonly Row[]; readonly whole: Declaration },
): Generator<void, readonly StatisticRequest[]> {
  const texts = new Map<Predicate, string>();
  const written: StatisticRequest[] = [];
  let [characters, conditions] = [0, 0];
  for (const [index, row] of statistics.entries()) {
    const where = row.where as Predicate | undefined;
    if (where === undefined) {
      written.push(row);
      continue;
    }
    const at = rows[index]?.filterAt ?? 0;
    const refuse = (): never =>
      refuseAt(query.source, at, `the filters of all aggregates together have at most ${MAX_FILTERS} characters`);
    conditions += texts.has(where) ? 0 : conditionsIn(where);
    if (conditions > MAX_CONDITIONS) return refuse();
    const text = texts.get(where) ?? predicateText(checkedFilter(where, at, query.source, whole));
    texts.set(where, text);
    characters += text.length;
    if (characters > MAX_FILTERS) return refuse();
    written.push({ ...row, where: text });
    yield;
  }
  return written;
}

const conditionsIn = (predicate: Predicate): number =>
  "of" in predicate ? [predicate.of].flat().reduce((sum, part) => sum + conditionsIn(part), 1) : 1;

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
  const joined = joinOf(query);
  if (joined !== undefined && /^join\b/.test(name) && error.details.line === undefined)
    return refuseAt(query.source, joined.at, error.message, error.code);
  const over = query.statements.flatMap(({ options }) => options).find((each) => each.name === "window");
  if (over !== undefined && /^window\b/.test(name) && error.details.line === undefined)
    return refuseAt(query.source, over.at, error.message, error.code);
  const row = /^statistics\[(\d+)\]/.exec(name)?.[1];
  const column = [...derived.places.keys()].find((each) => name === `let.${each}` || name.startsWith(`let.${each}.`));
  const at = row !== undefined ? rows[Number(row)]?.at : column === undefined ? undefined : derived.places.get(column);
  if (at === undefined || error.details.line !== undefined) throw error;
  const message = error.message.replace(/^statistics\[\d+\]\.?/, "");
  return refuseAt(query.source, at, row === undefined ? message.replace(name, "a part of this") : message, error.code);
}

type OfPlan = Pick<Plan, "sample" | "confidence" | "adjacency" | "window">;

/** The window of the argument, or of the text; where both state one, they must be the same. */
function windowOver(window: Plan["window"], stated: OfPlan): OfPlan {
  if (window === undefined) return stated;
  const [own, given] = [stated.window ?? window, window].map(typedWindow);
  return own === given ? { ...stated, window } : invalid("window", given, `${own}, which the query itself states`);
}

/** Settings of the whole plan, said in one statement or alike in several. */
function ofAll(all: readonly { readonly options: Options }[], source: string): OfPlan {
  const found: Record<string, unknown> = {};
  for (const { options } of all)
    for (const key of ["sample", "confidence", "adjacency", "window"] as const) {
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

const CURRENCIES = ["epsilon", "rho"] as const;

function priced(rows: readonly Row[], options: Options, source: string): readonly Row[] {
  let requests: readonly StatisticRequest[] = rows.map(({ request }) => request);
  for (const currency of CURRENCIES) {
    const total = options[currency];
    const at = options.at[currency] ?? 0;
    if (total !== undefined)
      requests = refusedAt(source, at, () =>
        withTotal(requests, currency, total, (want) =>
          refuseAt(source, at, `${currency} is ${total}, must be ${want}`),
        ),
      );
  }
  return rows.map((row, index) => ({ ...row, request: requests[index] ?? row.request }));
}

function withTerms(rows: readonly Row[], { delta, ...totals }: SqlTerms): readonly StatisticRequest[] {
  let requests = withDelta(
    rows.map(({ request }) => request),
    (index) => rows[index]?.finds === true,
    delta,
  );
  for (const currency of CURRENCIES) {
    const total = totals[currency];
    if (total !== undefined)
      requests = withTotal(requests, currency, total, (want) =>
        invalid(currency, total, `${want}, which the query itself states`),
      );
  }
  return requests;
}
