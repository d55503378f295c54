import type { Release } from "@dosimeter/client";
import { askedBy } from "@dosimeter/plot/report";
import { answersToShow } from "@dosimeter/query/answer";
import { Button, Loader } from "@mantine/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useRelease, useRetryRelease } from "../api/releases.ts";
import { useMe } from "../api/session.ts";
import { AddToDashboard } from "../parts/AddToDashboard.tsx";
import { Amount } from "../parts/Amount.tsx";
import { ErrorCode, Notice } from "../parts/Notice.tsx";
import { Facts, Page } from "../parts/Page.tsx";
import { Fault, PendingPage } from "../parts/Pending.tsx";
import { momentText } from "../parts/words.ts";
import { AnswerPart } from "./Answer.tsx";
import { Compare } from "./Compare.tsx";
import { administers, EditLabel, keepsRelease } from "./Label.tsx";
import { Publish } from "./Publish.tsx";
import { ReleaseTools } from "./ReleaseTools.tsx";
import "./release.css";

const route = getRouteApi("/releases/$release");

/** The answers of a plan, what they mean, what they cost, and the receipt. Reading them is free, for ever. */
export function ReleasePage() {
  const { release: id } = route.useParams();
  const release = useRelease(id);
  return (
    <PendingPage of={release} name="Release">
      {(data) => <Shown release={data} />}
    </PendingPage>
  );
}

function Shown({ release }: { release: Release }) {
  const answers = answersToShow(release);
  const me = useMe().data;
  const keeps = keepsRelease(me, release);
  return (
    <Page
      title={release.title}
      crumbs={
        <>
          <Link to="/releases">Releases</Link> ›{" "}
          <Link to="/datasets/$dataset" params={{ dataset: release.dataset }}>
            {release.datasetName}
          </Link>
          {release.joined === null ? null : (
            <>
              {" "}
              joined with{" "}
              <Link to="/datasets/$dataset" params={{ dataset: release.joined.dataset }}>
                {release.joined.name}
              </Link>
            </>
          )}
        </>
      }
      lead={`Asked by ${askedBy(release)}, ${momentText(release.chargedAt)}.`}
      actions={
        <>
          {keeps ? <EditLabel release={release} /> : null}
          {answers === null ? null : <ReleaseTools release={release} answers={answers} />}
          <AddToDashboard item={{ kind: "release", id: release.id }} />
          {answers !== null && administers(me, release) ? <Publish release={release} /> : null}
        </>
      }
    >
      <div className="card release">
        {release.note === null ? null : <p className="release-note">{release.note}</p>}
        {answers === null ? (
          <Underway release={release} mayRetry={keeps} />
        ) : (
          answers.map((answer) => (
            <AnswerPart
              key={`${release.id} ${answer.id}`}
              answer={answer}
              number={release.numbers?.find(({ row }) => row === answer.id)}
            />
          ))
        )}
        {answers === null ? null : <Compare release={release} answers={answers} />}
        <Receipt release={release} />
      </div>
    </Page>
  );
}

const stageSentence = {
  queued: "Charged. Waiting for the measurement.",
  measuring: "Measuring, then adding noise. No answer is shown before it is stored permanently.",
  done: "Done.",
} as const;

function Underway({ release, mayRetry }: { release: Release; mayRetry: boolean }) {
  const retry = useRetryRelease();
  if (release.failure !== null) {
    const isLost = release.failure.code === "ANSWER_LOST";
    return (
      <Notice tone="danger" title="The measurement did not finish" isAlert>
        <p>
          {release.failure.detail}
          {isLost ? "" : " The charge stands; measuring again costs nothing more. Nothing was shown."}
          {isLost || mayRetry ? "" : ` ${release.byName} or an admin of the dataset can measure it again.`}
        </p>
        {isLost || !mayRetry ? null : (
          <Button size="xs" variant="default" loading={retry.isPending} onClick={() => retry.mutate(release.id)}>
            Measure again
          </Button>
        )}
        <Fault error={retry.error} />
        <ErrorCode code={release.failure.code} />
      </Notice>
    );
  }
  return (
    <div className="row gap-16 at-middle" role="status">
      <Loader size="sm" aria-hidden="true" />
      <p>{stageSentence[release.stage]}</p>
    </div>
  );
}

/** What vouches for the answers, behind one line: the receipt with its hashes, and the exact statement. */
export function Receipt({ release }: { release: Release }) {
  const { receipt } = release;
  if (receipt === null)
    return (
      <p className="soft">
        Charged as line {release.entry} of the ledger. The receipt is complete when the answers are.
      </p>
    );
  return (
    <details className="receipt">
      <summary>
        <h2>Receipt and exact statement</h2>
        <span className="soft small">
          {receipt.epsilon === null ? null : <Amount unit="ε" of={receipt.epsilon} />} on line {receipt.entry} of the
          ledger
        </span>
      </summary>
      <div className="stack gap-12">
        <Facts
          of={{
            "ε spent": <Amount of={receipt.epsilon} />,
            "δ spent": <Amount of={receipt.delta} />,
            "Ledger line": receipt.entry,
            Released: momentText(receipt.at),
          }}
        />
        <p className="small">
          The guarantee in force (version {receipt.guaranteeVersion}): {receipt.guarantee}
        </p>
        <dl className="small soft">
          <dt>Hash of the ledger line</dt>
          <dd className="code anywhere">{receipt.entryHash}</dd>
          <dt>Hash of the answers</dt>
          <dd className="code anywhere">{receipt.answersHash}</dd>
        </dl>
      </div>
    </details>
  );
}
