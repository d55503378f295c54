import { invalid } from "../error.ts";
import type { DpEvent } from "../event.ts";
import { admit, openingRule } from "../filter/filter.ts";
import type { FilterState } from "../filter/filter-state.ts";
import type { FullQuota } from "../filter/headroom.ts";
import { spentShare } from "../filter/rules.ts";
import { ledgerCaps, openState, shareCaps, type Terms } from "../filter/terms.ts";
import { checkBlockTerms } from "./block-filter.ts";
import { admitBlocks, type BlockStates } from "./block-states.ts";
import { MAX_BLOCKS } from "./blocks.ts";
import { MAX_HORIZON, stepEvents } from "./continual.ts";

/** A report that comes again and again. */
export interface RepeatedReport {
  readonly team: string;
  /** What it costs: each block of its window pays for all of them. */
  readonly events: readonly DpEvent[];
  /** Over how many of the latest blocks it goes. */
  readonly latest: number;
  /** It is due whenever this many blocks have ended, once there are enough of them for its window. */
  readonly every: number;
  /**
   * Of a running total that goes on: for how many blocks, from the first one on. Its events are what the first block pays; each pays once, for
   * its own column [M209]. Where there is one lifetime, each report is a new question at the whole price.
   */
  readonly horizon?: number;
}

/** What is to be spent, and of what. */
export interface Simulation {
  /** How many blocks there are: they begin one after another. */
  readonly blocks: number;
  /** Of each block, and for the comparison of one lifetime over all of them. */
  readonly terms: Terms;
  /** Each team's quota of each block, or of the lifetime. Where they are more than the budget, the first report that asks gets it. */
  readonly teams: readonly { readonly name: string; readonly quota: FullQuota }[];
  /** Those that are due at the same time are charged in this order. */
  readonly reports: readonly RepeatedReport[];
}

export interface TeamCourse {
  readonly team: string;
  readonly due: number;
  readonly paid: number;
  /** The first report of the team that is refused: the block at whose end it was due, from 1 on, and its place in the list. null: none is. */
  readonly firstRefusal: { readonly block: number; readonly report: number } | null;
}

export interface BudgetCourse {
  readonly teams: readonly TeamCourse[];
  /**
   * From 0 to 1, in what the rule counts: of one lifetime what is spent at the end of each block; of blocks what each of them has
   * spent in the end.
   */
  readonly used: readonly number[];
}

export interface Course {
  readonly lifetime: BudgetCourse;
  readonly blocks: BudgetCourse;
}

/** Reports in all, refused ones too: a second or two of work. */
export const MAX_DUE = 20_000;

/** When a report is due, by its place in the list: at the end of which block, counted from 1. */
interface Due {
  readonly block: number;
  readonly report: number;
}

/**
 * How far a budget goes under repeated reports: as one lifetime over all blocks, and as a budget for each. Every report is decided by
 * the filters that decide charges (`admit`, `admitBlocks`) [M161], a plan's events one by one; a refused one changes nothing, and the
 * next is asked all the same. INVALID_PARAMETER for a rule that blocks cannot have, unknown teams, and more than 20,000 reports in all.
 */
export function simulate(simulation: Simulation): Course {
  checkSimulation(simulation);
  const due = dueIn(simulation);
  return { lifetime: overLifetime(simulation, due), blocks: overBlocks(simulation, due) };
}

function checkSimulation({ blocks, terms, teams, reports }: Simulation): void {
  checkBlockTerms(terms);
  const whole = (name: string, value: number, most: number): void => {
    if (!(Number.isSafeInteger(value) && value >= 1 && value <= most))
      invalid(name, value, `a whole number from 1 to ${most}`);
  };
  whole("blocks", blocks, MAX_BLOCKS);
  const names = new Set<string>();
  for (const [index, { name, quota }] of teams.entries()) {
    if (names.has(name)) invalid(`teams[${index}].name`, name, "different from the teams before it");
    names.add(name);
    if (quota.epsilon > terms.epsilon || quota.delta > terms.delta)
      invalid(`teams[${index}].quota`, name, "at most the budget");
  }
  if (reports.length === 0) invalid("reports", [], "at least one report");
  let due = 0;
  for (const [index, { team, events, latest, every, horizon }] of reports.entries()) {
    const at = `reports[${index}]`;
    if (!names.has(team)) invalid(`${at}.team`, team, "one of the teams");
    whole(`${at}.latest`, latest, horizon === undefined ? blocks : 1);
    whole(`${at}.every`, every, horizon === undefined ? blocks : 1);
    due += Math.floor(blocks / every);
    if (horizon === undefined) continue;
    whole(`${at}.horizon`, horizon, MAX_HORIZON);
    if (stepEvents(events, { horizon, step: 1 }) === null)
      invalid(`${at}.horizon`, horizon, "absent: only Gaussian noise goes on");
  }
  if (due > MAX_DUE) invalid("reports", due, `at most ${MAX_DUE} in all`);
}

const dueIn = ({ blocks, reports }: Simulation): readonly Due[] =>
  Array.from({ length: blocks }, (_, index) => index + 1).flatMap((block) =>
    reports.flatMap(({ latest, every, horizon = blocks }, report) =>
      latest <= block && block <= horizon && block % every === 0 ? [{ block, report }] : [],
    ),
  );

function overLifetime({ blocks, terms, teams, reports }: Simulation, due: readonly Due[]): BudgetCourse {
  const { rule, adjacency } = terms;
  const activeRule = openingRule(rule);
  const caps = ledgerCaps(terms);
  let whole: FilterState = openState(caps);
  const filters = new Map(
    teams.map(({ name, quota }) => {
      const share = shareCaps(terms, quota);
      return [name, { caps: share, state: openState(share) }];
    }),
  );
  const used: number[] = [];
  const book = bookOf(teams);
  let next = 0;
  for (let block = 1; block <= blocks; block++) {
    for (let at = due[next]; at?.block === block; at = due[++next]) {
      const { team = "", events = [] } = reports[at.report] ?? {};
      const filter = filters.get(team);
      if (filter === undefined) continue;
      const decided = admit({ rule, activeRule, adjacency }, [{ caps, state: whole }, filter], events);
      book.note(team, at, decided.admitted);
      if (!decided.admitted) continue;
      const [after = whole, own = filter.state] = decided.states;
      whole = after;
      filters.set(team, { ...filter, state: own });
    }
    used.push(spentShare(caps, whole, activeRule));
  }
  return { teams: book.teams(), used };
}

function overBlocks({ blocks, terms, teams, reports }: Simulation, due: readonly Due[]): BudgetCourse {
  const activeRule = openingRule(terms.rule);
  const caps = ledgerCaps(terms);
  let whole: BlockStates = [];
  const filters = new Map(teams.map(({ name, quota }) => [name, { caps: shareCaps(terms, quota), states: whole }]));
  const book = bookOf(teams);
  /** Totals of which a report was refused: no later one goes on without it. */
  const ended = new Set<number>();
  for (const at of due) {
    const { team = "", events: given = [], latest = 1, horizon } = reports[at.report] ?? {};
    const filter = filters.get(team);
    if (filter === undefined) continue;
    const events = horizon === undefined ? given : stepEvents(given, { horizon, step: at.block });
    const window = [{ from: at.block - latest + 1, to: at.block }];
    const decided =
      events === null || ended.has(at.report)
        ? ({ admitted: false } as const)
        : admitBlocks(activeRule, [{ caps, states: whole }, filter], window, { events });
    book.note(team, at, decided.admitted);
    if (!decided.admitted) {
      if (horizon !== undefined) ended.add(at.report);
      continue;
    }
    const [after = whole, own = filter.states] = decided.states;
    whole = after;
    filters.set(team, { ...filter, states: own });
  }
  const used = Array<number>(blocks).fill(0);
  for (const { from, to, value } of whole) used.fill(spentShare(caps, value, activeRule), from - 1, to);
  return { teams: book.teams(), used };
}

/** What became of each team's reports. */
function bookOf(teams: Simulation["teams"]) {
  const courses = new Map<string, TeamCourse>(
    teams.map(({ name: team }) => [team, { team, due: 0, paid: 0, firstRefusal: null }]),
  );
  return {
    note(team: string, refused: Due, isPaid: boolean): void {
      const { due, paid, firstRefusal } = courses.get(team) ?? { due: 0, paid: 0, firstRefusal: null };
      courses.set(team, {
        team,
        due: due + 1,
        paid: paid + (isPaid ? 1 : 0),
        firstRefusal: isPaid ? firstRefusal : (firstRefusal ?? refused),
      });
    },
    teams: (): readonly TeamCourse[] => [...courses.values()],
  };
}
