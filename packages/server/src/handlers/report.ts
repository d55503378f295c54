import type { Report } from "@dosimeter/client";
import { deltaAmount, formatDelta, formatEpsilon, invalid } from "@dosimeter/core";
import type { Account, Ledger } from "@dosimeter/ledger";
import type { Deps } from "../http/deps.ts";
import { directory } from "../view/directory.ts";
import { fittedSentence, outsideView } from "../view/ledger.ts";
import { reportView } from "../view/report.ts";

/** Points on a line over time. */
const STOPS = 24;

interface ReportRequest {
  readonly delta?: string | number | undefined;
  readonly threshold?: number | undefined;
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
}

/** The report of a ledger or account, at the requested δ and threshold or its own. */
export async function reportOn(
  ledger: Ledger,
  account: Account | null,
  { delta: asked, threshold: wanted, signal }: ReportRequest,
  { database, reporter }: Pick<Deps, "database" | "reporter">,
): Promise<Report> {
  const own = (account ?? ledger).quota.delta;
  const amount = asked === undefined ? own : deltaAmount(asked, "down", "query.delta");
  const delta = formatDelta(amount);
  if (Number(delta) >= 1) invalid("query.delta", delta, "below 1");
  const stored = wanted === undefined ? await database.ledgers.reportThreshold(ledger.id) : null;
  const threshold = wanted ?? (stored === null ? 1 : Number(formatEpsilon(stored)));
  const history = await database.reports.history({ node: (account ?? ledger).id, points: STOPS });
  const report = await reporter.report({ history, delta: Number(delta), threshold }, signal);
  const { privacyUnit } = await database.catalog.population(ledger.population);
  const fitted = await fittedSentence(ledger, database);
  const spent = await database.reports.outside({ ledger: ledger.id, account: account?.id });
  const outside = outsideView(spent, await directory(database));
  const { uncounted } = spent;
  return reportView({ outside, uncounted, history, report, delta, ledger, account, privacyUnit, fitted });
}
