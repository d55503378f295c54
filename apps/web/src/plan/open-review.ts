import type { PlanRequest } from "@dosimeter/client";
import { isRecord } from "@dosimeter/core/internal";
import { withTab } from "../api/copies.ts";

/** A review that stands open in this tab: kept, so that it is there again after a reload and after the session of its person ended. */
export interface OpenReview {
  readonly person: string;
  /** The dataset's plan, or the question of a card. */
  readonly of: string;
  readonly request: PlanRequest;
  /** What was sent under it and is sent again is paid once. */
  readonly key: string;
}

const KEY = "dosimeter-review";

export function openReview(person: string, of: string): OpenReview | null {
  const json: unknown = withTab((storage) => JSON.parse(storage.getItem(KEY) ?? "null"));
  const isIt = isRecord(json) && json.person === person && json.of === of && isRecord(json.request);
  return isIt ? (json as unknown as OpenReview) : null;
}

export function keepReview(review: OpenReview | null): void {
  withTab((storage) => (review === null ? storage.removeItem(KEY) : storage.setItem(KEY, JSON.stringify(review))));
}

/** The price of each row that a person set, as it was reviewed; undefined of one that was suggested, and is again. */
export function reviewedPrices(review: OpenReview | null): readonly (string | undefined)[] {
  const plan = review?.request.plan;
  const rows = (plan?.rows ?? []) as readonly { readonly id: string; readonly mode: string }[];
  const suggested = rows.filter(({ mode }) => mode === "free").map(({ id }) => id);
  const priceOf = ({ id = "", rho, epsilon }: PlanRequest["plan"]["statistics"][number]) =>
    suggested.includes(id) ? undefined : String(rho ?? epsilon);
  return plan?.statistics.map(priceOf) ?? [];
}

/** The key under which a plan is reviewed that was reviewed before: the same for the same release; null for another plan. */
export function keyAgain({ request, key }: OpenReview, now: PlanRequest, fresh: () => string): string | null {
  const [was, is] = [request, now].map((each) => JSON.stringify({ ...each, reuse: {} }));
  if (was !== is) return null;
  return JSON.stringify(request) === JSON.stringify(now) ? key : fresh();
}
