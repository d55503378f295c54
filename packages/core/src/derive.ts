import { isCertified } from "./accounting/certified.ts";
import { isPaidBy } from "./accounting/plan-quote.ts";
import { deltaFromUnits, mu2FromUnits } from "./amounts/amount.ts";
import { countedFor, type Relation } from "./blocks/stated.ts";
import { PrivacyError } from "./error.ts";
import { type DpEvent, parseEvent } from "./event.ts";
import type { Adjacency } from "./filter/adjacency.ts";
import { QUESTION_WORK, type Work, workBudget } from "./work.ts";

/** Of all questions about one export: some minutes of a processor. */
const EXPORT_WORK = 10 * QUESTION_WORK;
/** What comes after the composition: the search along a profile. */
const SEARCH_WORK = 1e7;

/**
 * What the check of an export derives the prices of whole plans by: true where a price that was charged is certified, null where that takes
 * more work than one question or all of them may. [M55] [M389] [M390]
 */
export function planAccountant(work: Work = workBudget(EXPORT_WORK)) {
  const asked = (question: (work: Work) => boolean): boolean | null => {
    const one = workBudget(QUESTION_WORK);
    const spend = (units: number): void => {
      one.spend(units);
      work.spend(units);
    };
    try {
      spend(SEARCH_WORK);
      return question({ spend });
    } catch (error) {
      if (!(error instanceof PrivacyError)) throw error;
      return error.code === "TOO_MUCH_WORK" ? null : false;
    }
  };
  return {
    /** Whether the distribution of these events pays for a step from one remaining μ² to another and its η, all in units. */
    isPaid: (events: readonly unknown[], adjacency: string, { before, after, slack }: Readonly<Record<Step, string>>) =>
      asked((of) =>
        isPaidBy(
          parsed(events),
          { before: mu2FromUnits(before), after: mu2FromUnits(after), slack: deltaFromUnits(slack) },
          { adjacency: adjacency as Adjacency, margin: "verify", work: of },
        ),
      ),
    /** Whether what a program declares loses no more than it was charged: one (ε, δ). */
    isCertified: (
      {
        events,
        relation,
        times,
      }: { readonly events: readonly unknown[]; readonly relation: unknown; readonly times: 1 | 2 },
      adjacency: string,
      charged: unknown,
    ) =>
      asked((of) => {
        const counted = countedFor(parsed(events), relation as Relation, adjacency as Adjacency, times);
        return isCertified(counted, parseEvent(charged), adjacency as Adjacency, of);
      }),
  };
}

type Step = "before" | "after" | "slack";

const parsed = (events: readonly unknown[]): readonly DpEvent[] => events.map((event) => parseEvent(event));
