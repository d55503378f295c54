import type { Release, ReleasedStatistic } from "@dosimeter/ledger";
import type { Answer } from "@dosimeter/query/answer";
import type { Plan, StatisticRequest } from "@dosimeter/query/statistics";

/** The answers that the ledger keeps as JSON: a release wrote them. */
export const answersIn = ({ answers }: Pick<Release, "answers">): readonly Answer[] =>
  answers as unknown as readonly Answer[];

/** What a released question has of the plan that it came from. */
type PlanPart = Pick<Plan, "let" | "join" | "window" | "horizon">;

/** The question that the ledger keeps as JSON, with that. */
export const questionIn = ({ request }: Pick<ReleasedStatistic, "request">): StatisticRequest & PlanPart =>
  request as unknown as StatisticRequest & PlanPart;
