import { PrivacyError } from "../error.ts";
import type { DpEvent } from "../event.ts";
import type { Method } from "./loss.ts";
import { accountantNamed, lossOf } from "./report.ts";
import { readSpends } from "./spends.ts";

/** The total after some of the spends. */
export interface HistoryPoint {
  /** How many lines of the list are in. */
  readonly lines: number;
  readonly epsilon: number;
}

/**
 * How a total grew: ε at δ after each of about `points` prefixes of the list, each as if it had been fixed in advance.
 * A method that cannot price the list has no points.
 */
export function lossHistory(
  events: readonly DpEvent[],
  { delta, method, points = 24 }: { readonly delta: number; readonly method: Method; readonly points?: number },
): readonly HistoryPoint[] {
  const accountant = accountantNamed(method);
  const count = Math.min(points, events.length);
  const stops = Array.from({ length: count + 1 }, (_, i) =>
    count === 0 ? 0 : Math.round((i * events.length) / count),
  );
  try {
    return stops.map((lines) => ({
      lines,
      epsilon: lossOf(readSpends(events.slice(0, lines)), { delta }, accountant).epsilon,
    }));
  } catch (error) {
    if (error instanceof PrivacyError && error.code === "UNSUPPORTED_EVENT") return [];
    throw error;
  }
}
