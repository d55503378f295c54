import type { Say } from "./charge.ts";

/** An accountant of distributions, which who checks brings along: this package has none. Null where it takes too much work. */
export interface PlanAccountant {
  /** Whether the distribution of events pays for a step of remaining μ². [M55] */
  isPaid(
    events: readonly unknown[],
    adjacency: string,
    step: { readonly before: string; readonly after: string; readonly slack: string },
  ): boolean | null;
  /** Whether what is declared loses no more than the one (ε, δ) that was charged. [M389] */
  isCertified(
    declared: { readonly events: readonly unknown[]; readonly relation: unknown; readonly times: 1 | 2 },
    adjacency: string,
    charged: unknown,
  ): boolean | null;
}

export type Question = (accountant: PlanAccountant) => boolean | null;

/** Puts to the accountant, if there is one, what a charge has of prices for a whole plan, and counts charges. */
export function deriveBy(accountant: PlanAccountant | null) {
  const charges = { derived: 0, takenOver: 0 };
  return {
    charges,
    charge(questions: readonly Question[], say: Say): void {
      if (questions.length === 0) return;
      const answers = questions.map((ask) => accountant && ask(accountant));
      if (answers.includes(false)) say("has a lower price for its plan than its events lose");
      charges[answers.includes(null) ? "takenOver" : "derived"] += 1;
    },
  };
}
