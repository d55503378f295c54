import type { ReleaseSummary, Release as ReleaseView } from "@dosimeter/client";
import { columnShare, FITTED, PrivacyError } from "@dosimeter/core";
import type { Charge, Release, ReleaseLabel } from "@dosimeter/ledger";
import { formatAmount, formatNumber } from "@dosimeter/plot";
import {
  type Answer,
  answerCalendar,
  answerRange,
  answerUnit,
  missingShares,
  planTitle,
  planWords,
} from "@dosimeter/query/answer";
import { shortWindow } from "@dosimeter/query/bind";
import type { Declaration } from "@dosimeter/query/declaration";
import { withKind } from "@dosimeter/query/statistics";
import type { Progress } from "../release/queue.ts";
import type { StoredRequest } from "../release/request.ts";
import { answersIn } from "../reuse/stored.ts";
import type { Directory } from "./directory.ts";
import { ofOneTime } from "./of-one-time.ts";
import { planView } from "./plan.ts";
import { problemOf } from "./problem.ts";

/** A charge with its release, if there is one: on the wire both are one release under the id of the charge. */
export interface Shown {
  readonly charge: Charge;
  readonly release: Release | null;
  readonly progress: Progress;
  readonly about: About;
}

/** What people call the release, and what it asked of which table: its declaration with the columns that its plan joins and derives. */
export interface About {
  readonly label: ReleaseLabel | undefined;
  /** What was asked, and how it was decided. */
  readonly request: StoredRequest;
  readonly datasetName: string;
  readonly declaration: Pick<Declaration, "columns" | "privacyUnit" | "size" | "unitNoun" | "joinable" | "blocks"> &
    Partial<Pick<Declaration, "contribution" | "source">>;
  /** Whether the declaration of one of its tables, at that version, was fitted to the data by its owner. */
  readonly isFitted: boolean;
  /** The dataset that its plan joins, at the version that was asked. */
  readonly joined: { readonly dataset: string; readonly name: string; readonly version: number } | null;
}

type Names = Pick<Directory, "nameOf" | "kindOf">;

/** What it asks and costs, in a line: "Mean of income by education, ε 0.1". Every page, list, report and command shows this one. */
export function madeTitle(charge: Charge, { request, declaration }: About): string {
  const { plan, continues = [] } = request;
  const { epsilon } = charge.price;
  const share = plan.horizon === undefined ? 1 : columnShare({ horizon: plan.horizon, step: continues.length + 1 });
  const rho = share * plan.statistics.reduce((sum, row) => sum + Number(row.rho ?? 0), 0);
  const price =
    epsilon === null
      ? rho > 0 && Number.isFinite(rho)
        ? `ρ ${formatNumber(rho, 3)}`
        : "Gaussian noise"
      : epsilon === "0"
        ? "free"
        : `ε ${formatAmount(epsilon, "up")}`;
  const of = declaration.blocks?.protects === "person" ? "of cohorts" : "over";
  const over = plan.window === undefined ? "" : ` ${of} ${shortWindow(plan.window)}`;
  return `${planTitle(plan, declaration)}${over}, ${price}`;
}

/** What people call it, else what it asks and costs. */
export const titleOf = (charge: Charge, about: About): string => about.label?.title ?? madeTitle(charge, about);

interface Summarised extends Omit<Shown, "release"> {
  readonly release: Pick<Release, "at"> | null;
  /** Its answers, where they may be shown in a list. */
  readonly answers: readonly Answer[] | null;
}

export function releaseSummary(
  { charge, release, progress, about, answers }: Summarised,
  { nameOf, kindOf }: Names,
): ReleaseSummary {
  const { plan } = about.request;
  return {
    id: charge.id,
    title: titleOf(charge, about),
    isNamed: about.label?.title != null,
    note: about.label?.note ?? null,
    dataset: charge.dataset,
    datasetName: about.datasetName,
    joined: about.joined,
    ledger: charge.ledger,
    account: charge.account,
    by: charge.principal,
    byName: nameOf(charge.principal),
    byKind: kindOf(charge.principal),
    state: stateOf(charge),
    stage: progress.stage,
    statistics: plan.statistics.map(({ statistic }) => statistic),
    epsilon: charge.price.epsilon,
    delta: charge.price.delta,
    numbers: answers === null ? null : numbersOf(answers, about),
    entry: charge.entry,
    tries: charge.tries,
    chargedAt: charge.at,
    releasedAt: release?.at ?? null,
  };
}

function numbersOf(answers: readonly Answer[], { request: { plan }, declaration }: About) {
  return answers.flatMap((answer, index) => {
    const [only] = answer.cells;
    const row = plan.statistics[index];
    if (answer.cells.length !== 1 || only === undefined || row === undefined || answer.groupBy.length > 0) return [];
    if (withKind(answer).shows.chart !== "number" || only.unreliable) return [];
    const range = answerRange(row, declaration);
    return [
      {
        row: answer.id,
        label: planTitle({ statistics: [row] }, declaration),
        value: only.value,
        // The error of a choice is in rows: its interval is the whole range, which says nothing next to the value.
        interval: only.rank === undefined ? only.interval : null,
        unit: answerUnit(row, declaration),
        calendar: answerCalendar(row, declaration),
        confidence: answer.confidence,
        range,
      },
    ];
  });
}

export function releaseView(shown: Shown, names: Names): ReleaseView {
  const { charge, release, progress } = shown;
  const answers = release === null ? null : answersIn(release);
  const { request, declaration } = shown.about;
  const { plan } = request;
  const isOfOneTime = ofOneTime(charge, declaration);
  const missing = answers === null ? {} : missingShares(plan, declaration, answers, isOfOneTime);
  return {
    ...releaseSummary({ ...shown, answers }, names),
    version: request.version ?? 1,
    words: { ...planWords(plan, declaration), ...missing },
    plan: planView(plan),
    answers: answers as ReleaseView["answers"],
    failure: progress.failed
      ? { ...problemOf(new PrivacyError(charge.isLost ? "ANSWER_LOST" : "ENGINE_FAILED")) }
      : null,
    receipt: release === null ? null : receiptOf(release, shown.about),
  };
}

function receiptOf(
  { receipt, sentence }: Release,
  { isFitted }: Pick<About, "isFitted">,
): NonNullable<ReleaseView["receipt"]> {
  const { release, entry, entryHash, answersHash, epsilon, delta, guaranteeVersion, at } = receipt;
  const guarantee = isFitted ? `${sentence} ${FITTED}` : sentence;
  return { release, entry, entryHash, answersHash, epsilon, delta, guarantee, guaranteeVersion, at };
}

/** A program outside has no release. NOT_FOUND. */
function stateOf({ status }: Charge): ReleaseSummary["state"] {
  if (status === "declared") throw new PrivacyError("NOT_FOUND", { name: "release" });
  return status;
}
