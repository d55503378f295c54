import { createHash } from "node:crypto";
import { present, unlessRefused } from "@dosimeter/core/internal";
import type { ChargeId, LedgerDatabase, Readers, ReleasedStatistic } from "@dosimeter/ledger";
import { boundPlan, releasedIntegers } from "@dosimeter/query/bind";
import type { Declaration } from "@dosimeter/query/declaration";
import type { BoundedPlan, BoundedStatistic } from "@dosimeter/query/plan";
import { cutsRows, type Known, usesTails } from "@dosimeter/query/quote";
import { declaredRows, definitionOf, type Plan } from "@dosimeter/query/statistics";
import {
  type Append,
  canonicalOf,
  type Diagrams,
  diagramsOf,
  type Earlier,
  earlierOf,
  knownOf,
  type Origin,
  poolOf,
  type StatisticSpec,
  unseen,
  type Way,
  waysTo,
  whyNoRows,
  whyNoTopUp,
  whyNotAtThis,
} from "@dosimeter/reuse";
import { asLive } from "./live.ts";
import { answersIn, questionIn } from "./stored.ts";

export interface Version {
  readonly dataset: string;
  readonly version: number;
  readonly declaration: Declaration;
  readonly appends?: readonly Append[];
}

/** A row of a plan with the keys of its question and the offers for its answer. */
export interface Found {
  readonly asked: StatisticSpec;
  /** SHA-256 of the question, and of the rows it is about. */
  readonly key: string;
  readonly scope: string;
  readonly ways: readonly Way[];
  readonly earlier: readonly Earlier[];
  /** What answers tell that the reader's caps have counted; of a row that the reader quotes. */
  readonly known: Known;
  /** Why earlier answers that come near give no more than `ways`. */
  readonly note: string | null;
}

/** The most earlier answers to consider for one row, the newest of each key. */
const MAX_EACH = 8;
const MAX_ALL = 32;
const MAX_KEPT = 512;
const MAX_CELLS_KEPT = 2000;
/** Cells of the earlier answers that are considered for one row: what one step of a search, which nothing interrupts, may take. */
const MAX_CELLS_EACH = 8000;
/** Cells of one plan for which earlier answers are searched; the rows after these, only of the same question. */
const MAX_CELLS_SEARCHED = 20_000;

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The most answers in memory; the least recently used are dropped first. Released answers never change. */
export interface ReleasedAnswers {
  readonly find: (
    bounded: BoundedPlan,
    about: Version,
    options: {
      readonly readers: Readers;
      readonly people: number | null;
      readonly search: boolean;
      /** Stops searching when there is an earlier answer to the same question that is accurate enough. */
      readonly isSameEnough?: boolean;
    },
  ) => Promise<readonly Found[]>;
  readonly open: (statistic: ReleasedStatistic, about: Version) => Promise<Earlier | null>;
}

export function openReleasedAnswers(database: LedgerDatabase): ReleasedAnswers {
  const open = openedAnswers(database);

  async function openAll(released: readonly ReleasedStatistic[], about: Version): Promise<readonly Earlier[]> {
    const opened: Earlier[] = [];
    for (const one of released) {
      const earlier = await open(one, about);
      if (earlier !== null) opened.push(earlier);
    }
    return opened;
  }

  return {
    open,
    async find(bounded, about, { readers, people, search, isSameEnough = false }) {
      const diagrams = diagramsOf(about.declaration);
      const rows = people ?? declaredRows(bounded.declaration);
      const offered = (earlier: readonly Earlier[], asked: StatisticSpec, counts: readonly Earlier[] = []) =>
        offersOf(earlier, asked, { database, diagrams, readers, declaration: about.declaration, counts });

      async function rowOf(statistic: BoundedStatistic, cells: number): Promise<Found> {
        const { key, scope, wider } = canonicalOf(statistic, about);
        const asked = { statistic, key, confidence: bounded.confidence, rows };
        const names = { key: hashOf(key), scope: hashOf(scope) };
        if (!search) return { asked, ...names, ways: [], earlier: [], known: {}, note: null };
        const isTooMuch = cells > MAX_CELLS_SEARCHED;
        if (isSameEnough || isTooMuch) {
          const of = { keys: [names.key], scopes: [], readers, limit: MAX_EACH };
          const same = await openAll(await database.reuse.find(of), about);
          const { ways, known } = await offered(same, asked);
          if (isTooMuch) {
            const note = ways.length > 0 ? null : (whyNotAtThis(asked, same) ?? TOO_MANY_CELLS);
            return { asked, ...names, ways, earlier: same, known, note };
          }
          if (ways.some(({ fresh, asAccurate }) => fresh === null && asAccurate))
            return { asked, ...names, ways, earlier: same, known, note: null };
        }
        const scopes = [names.scope, ...wider.map(hashOf), ...clippingScope(statistic, about)];
        const released = await candidates(database, about, { asked, keyHash: names.key, scopes, readers });
        const earlier = withinCells((await openAll(released, about)).filter((one) => isComparable(asked, one)));
        const isOfGroups = definitionOf(statistic).needsRows(statistic.task); // counts tell how large they are [M386]
        const { ways, known } = await offered(earlier, asked, isOfGroups ? await countsOf(statistic) : []);
        const note = ways.length > 0 ? null : await whyNot(statistic, earlier);
        return {
          asked,
          ...names,
          ways,
          earlier,
          known,
          note: whyNotAtThis(asked, earlier) ?? whyNoTopUp(asked, earlier) ?? note,
        };
      }

      /** The counts of the rows that the statistic would have if it did not leave out those without a value. */
      async function countsOf(statistic: BoundedStatistic): Promise<readonly Earlier[]> {
        if (statistic.column === null || statistic.sampling !== undefined) return [];
        const { scope } = canonicalOf({ ...statistic, column: null }, about);
        const of = { keys: [], scopes: [hashOf(scope)], readers, limit: MAX_EACH };
        return (await openAll(await database.reuse.find(of), about)).filter((one) => isPlain(one.statistic));
      }

      async function whyNot(statistic: BoundedStatistic, earlier: readonly Earlier[]): Promise<string | null> {
        if (statistic.column === null || statistic.sampling !== undefined) return null;
        const counts = await countsOf(statistic);
        return whyNoRows(statistic, { sums: earlier.map(poolOf), counts: counts.map(poolOf) }, diagrams);
      }

      const found: Found[] = [];
      let cells = 0;
      for (const statistic of bounded.statistics) {
        cells += releasedIntegers(statistic);
        found.push(await rowOf(statistic, cells));
        await new Promise((resume) => setImmediate(resume));
      }
      return found;
    },
  };
}

const TOO_MANY_CELLS = "This plan asks for too many answers at once to look for earlier ones here: ask for fewer.";

/** The first answers that together have no more cells than one step may read; always the first one. */
function withinCells(earlier: readonly Earlier[]): readonly Earlier[] {
  let cells = 0;
  return earlier.filter(({ noisy }, index) => {
    cells += noisy.length;
    return index === 0 || cells <= MAX_CELLS_EACH;
  });
}

/** Reads released answers and keeps the recently used ones in memory. */
function openedAnswers(database: LedgerDatabase): ReleasedAnswers["open"] {
  const kept = new Map<string, Earlier>();
  return async (released, about) => {
    const name = `${released.charge}/${released.row}`;
    const found = kept.get(name);
    if (found !== undefined) {
      kept.delete(name);
      kept.set(name, found);
      return found;
    }
    const release = await database.releases.releaseOf(released.charge);
    const answer = release === null ? undefined : answersIn(release).find(({ id }) => id === released.row);
    const statistic = answer === undefined ? null : boundAgain(released, about);
    if (answer === undefined || statistic === null) return null;
    const { key } = canonicalOf(statistic, about);
    // Another version of the program may have bounded it differently; then it answers another question.
    if (hashOf(key) !== released.key) return null;
    const earlier = earlierOf({ release: released.charge, row: released.row }, statistic, key, answer);
    if (earlier.noisy.length <= MAX_CELLS_KEPT) kept.set(name, earlier);
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(oldest);
    }
    return earlier;
  };
}

/** The offers of earlier answers as a reader may see them, and what those state that the reader's caps have counted. */
async function offersOf(
  earlier: readonly Earlier[],
  asked: StatisticSpec,
  {
    database,
    diagrams,
    readers,
    declaration,
    counts,
  }: {
    readonly database: LedgerDatabase;
    readonly diagrams: Diagrams;
    readonly readers: Readers;
    readonly declaration: Declaration;
    readonly counts: readonly Earlier[];
  },
): Promise<Pick<Found, "ways" | "known">> {
  const told = [...earlier, ...counts];
  if (told.length === 0) return { ways: [], known: {} };
  const all = asLive(waysTo(asked, earlier, diagrams), declaration);
  const origins = [...all.flatMap(({ from }) => from), ...told.map(({ origin }) => origin)];
  const unread = await unreadOf(database, origins, readers);
  const ways = all.filter(({ from }) => from.every(({ release }) => !unread.has(release)));
  const counted = told.filter(({ origin }) => !unread.has(origin.release));
  return { ways: readableWays(all, asked, unread), known: knownOf(asked, ways, counted, diagrams) };
}

/** The releases that the reader's caps have not counted. */
async function unreadOf(
  database: LedgerDatabase,
  origins: readonly Pick<Origin, "release">[],
  { principal: reader }: Readers,
): Promise<ReadonlySet<string>> {
  const charges = [...new Set(origins.map(({ release }) => release as ChargeId))];
  return new Set(await database.ledgers.unreadUnderCaps({ charges, reader }));
}

/** The offers as this reader may see them: the holder of a cap sees nothing of answers that the cap has not paid for. */
function readableWays(ways: readonly Way[], asked: StatisticSpec, unread: ReadonlySet<string>): readonly Way[] {
  if (unread.size === 0) return ways;
  return ways.flatMap((one) =>
    one.from.some(({ release }) => unread.has(release)) ? (unseen(one, asked) ?? []) : [one],
  );
}

/** The released question, bounded by this program; null where it no longer supports it. */
function boundAgain(released: ReleasedStatistic, { declaration }: Version): BoundedStatistic | null {
  const { let: formulas, join, window, horizon, ...asked } = questionIn(released);
  const plan: Plan = {
    statistics: [{ ...asked, id: released.row }],
    ...present({ join, let: formulas, window, horizon }),
  };
  return unlessRefused(() => boundPlan(plan, declaration).statistics[0] ?? null, null);
}

/** Where values outside the bounds are counted, rows without a value are left in. */
const clippingScope = (statistic: BoundedStatistic, about: Version): readonly string[] =>
  usesTails(statistic) || cutsRows(statistic) ? [hashOf(canonicalOf({ ...statistic, column: null }, about).scope)] : [];

const isPlain = ({ derived, join, sampling }: BoundedStatistic): boolean =>
  derived === undefined && join === undefined && sampling === undefined;

/** Answers on derived or joined columns are used only for the same question: what is behind a name may differ. Over other blocks none is. */
const isComparable = ({ statistic, key }: StatisticSpec, earlier: Earlier): boolean =>
  earlier.key === key ||
  [statistic, earlier.statistic].every(
    ({ derived, join, window }) => derived === undefined && join === undefined && window === undefined,
  );

/** Answers to the same question, about the same or more rows, and the newest that use the same sums. */
async function candidates(
  { reuse }: LedgerDatabase,
  { dataset, version }: Version,
  {
    asked: { statistic },
    keyHash,
    scopes,
    readers,
  }: { asked: StatisticSpec; keyHash: string; scopes: readonly string[]; readers: Readers },
): Promise<readonly ReleasedStatistic[]> {
  const named = await reuse.find({ keys: [keyHash], scopes, readers, limit: MAX_EACH });
  const nearby = definitionOf(statistic).reuse.near;
  const others =
    nearby === null
      ? []
      : await reuse.newest({
          dataset: dataset as ReleasedStatistic["dataset"],
          version,
          names: nearby.from,
          column: nearby.sameColumn ? statistic.column : null,
          readers,
          limit: MAX_EACH,
        });
  const all = new Map([...named, ...others].map((one) => [`${one.charge}/${one.row}`, one]));
  const same = [...all.values()].filter(({ key }) => key === keyHash);
  const different = [...all.values()].filter(({ key }) => key !== keyHash);
  return [...same, ...different].slice(0, MAX_ALL);
}
