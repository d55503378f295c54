import type { ReleaseSummary, Release as ReleaseView } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import type { Charge, Release } from "@dosimeter/ledger";
import { problemOf } from "../http/problem.ts";
import type { Progress } from "../release/queue.ts";
import { requestOf } from "../release/request.ts";
import type { Directory } from "./directory.ts";

/** A charge with its release, if there is one: on the wire both are one release under the id of the charge. */
export interface Shown {
  readonly charge: Charge;
  readonly release: Release | null;
  readonly progress: Progress;
}

export function releaseSummary(
  { charge, release, progress }: Omit<Shown, "release"> & { readonly release: Pick<Release, "at"> | null },
  { nameOf }: Pick<Directory, "nameOf">,
): ReleaseSummary {
  const { plan } = requestOf(charge);
  return {
    id: charge.id,
    dataset: charge.dataset,
    datasetName: nameOf(charge.dataset),
    ledger: charge.ledger,
    account: charge.account,
    by: charge.principal,
    byName: nameOf(charge.principal),
    state: charge.status,
    stage: progress.stage,
    statistics: plan.statistics.map(({ statistic }) => statistic),
    entry: charge.entry,
    tries: charge.tries,
    chargedAt: charge.at,
    releasedAt: release?.at ?? null,
  };
}

export function releaseView(shown: Shown, names: Pick<Directory, "nameOf">): ReleaseView {
  const { charge, release, progress } = shown;
  return {
    ...releaseSummary(shown, names),
    version: requestOf(charge).version ?? 1,
    plan: requestOf(charge).plan as unknown as ReleaseView["plan"],
    answers: release === null ? null : (release.answers as ReleaseView["answers"]),
    failure: progress.failed
      ? { ...problemOf(new PrivacyError(charge.isLost ? "ANSWER_LOST" : "ENGINE_FAILED")) }
      : null,
    receipt: release === null ? null : receiptOf(release),
  };
}

function receiptOf({ receipt, sentence }: Release): NonNullable<ReleaseView["receipt"]> {
  const { release, entry, entryHash, answersHash, epsilon, delta, guaranteeVersion, at } = receipt;
  return { release, entry, entryHash, answersHash, epsilon, delta, guarantee: sentence, guaranteeVersion, at };
}
