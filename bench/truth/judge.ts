import type { Answer, Quote, Release } from "@dosimeter/client";

/** One cell whose stated interval does not hold what the table truly holds. */
interface Miss {
  readonly cell: string;
  readonly value: number;
  readonly interval: readonly [number, number];
  readonly exact: number;
  /** It is the interval that agrees with the other answers. */
  readonly isAgreed?: true;
}

export interface Judged {
  readonly question: string;
  /** Cells that say something and can be compared, and those of them whose interval holds. */
  readonly cells: number;
  readonly held: number;
  /** The same of the intervals that agree with the other answers. */
  readonly agreed?: { readonly cells: number; readonly held: number };
  /** Cells marked as saying nothing. */
  readonly marked: number;
  /** `own`: a note about this very answer. `general`: the note of every such answer says what its interval leaves out. */
  readonly said: "own" | "general" | "nothing";
  readonly misses: readonly Miss[];
  readonly notes?: readonly string[];
  readonly absent?: string;
}

type Cell = Answer["cells"][number];
const KEPT_MISSES = 5;

/** By how much doubles of a sum may differ from the same sum in another order. */
const near = (exact: number): number => 1e-9 * Math.max(1, Math.abs(exact));

type Interval = readonly [number, number];

/** What capping changed is taken back: an answer that it lowered by at least 2 and at most 5 stands for one that is 2 to 5 higher. */
function totalOf([from, to]: Interval, quote: Quote["statistics"][number] | undefined): Interval {
  const [least, most] = quote?.accuracy.bias ?? [0, 0];
  return [from - most, to - least];
}
const holds = ([from, to]: Interval, truth: number): boolean =>
  from - near(truth) <= truth && truth <= to + near(truth);

/** Whether each cell's stated total interval holds the exact answer. */
export function judge(
  question: string,
  {
    answer,
    quote,
    words,
    exact,
  }: {
    readonly answer: Answer;
    readonly quote: Quote["statistics"][number] | undefined;
    readonly words: Release["words"] | undefined;
    readonly exact: (cell: Cell) => number | null;
  },
): Judged {
  let marked = 0;
  const misses: Miss[] = [];
  const stated = { cells: 0, held: 0 };
  const agreed = { cells: 0, held: 0 };
  const count = (
    of: typeof stated,
    interval: Interval,
    { cell, truth }: { readonly cell: Cell; readonly truth: number },
  ) => {
    of.cells += 1;
    if (holds(interval, truth)) of.held += 1;
    else if (misses.length < KEPT_MISSES) {
      const name = `${Object.values(cell.group).join(", ")} ${cell.bin?.label ?? ""}`.trim();
      misses.push({
        cell: name,
        value: cell.value,
        interval,
        exact: truth,
        ...(of === agreed ? { isAgreed: true } : {}),
      });
    }
  };
  for (const cell of answer.cells) {
    const truth = exact(cell);
    if (cell.unreliable === true) marked += 1;
    if (truth === null || cell.unreliable === true) continue;
    count(stated, totalOf(cell.interval, quote), { cell, truth });
    if (cell.consistent !== undefined) count(agreed, totalOf(cell.consistent.interval, quote), { cell, truth });
  }
  const notes = [
    ...answer.notes,
    ...Object.entries(words?.missing ?? {}).flatMap(([id, note]) => (id === answer.id ? [note] : [])),
  ];
  return {
    question,
    ...stated,
    agreed,
    marked,
    said: saidIn(notes),
    misses,
    ...(misses.length === 0 ? {} : { notes }),
  };
}

/** What every answer of its kind says, whatever the data are. */
const GENERAL =
  /^(?:Values outside|At most .* counted;|The bins at both ends|Rows without a declared value of .* the filter)/;
/** Not about what was left out. */
const BESIDE = /^(?:Every interval holds|Finer answers were added up|Free:|Each answer)/;

function saidIn(notes: readonly string[]): Judged["said"] {
  if (notes.some((note) => !GENERAL.test(note) && !BESIDE.test(note))) return "own";
  return notes.some((note) => GENERAL.test(note)) ? "general" : "nothing";
}
