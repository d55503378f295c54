import type { Me, Release } from "@dosimeter/client";
import { formatNumber, type Cell as PlotCell } from "@dosimeter/plot";
import {
  type ReportedAnswer as Answer,
  answerChart,
  answerSentence,
  answerTable,
  capital,
  captionOf,
  comparisonSentences,
  noiseWords,
  titleOf,
} from "@dosimeter/plot/report";
import { type Answer as QueryAnswer, withKind } from "@dosimeter/query";
import { Button, Loader } from "@mantine/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useRelease, useRetryRelease } from "../api/releases.ts";
import { useMe } from "../api/session.ts";
import { Amount } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Figure } from "../parts/Figure.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card, Facts, Page } from "../parts/Page.tsx";
import { Fault, PendingPage } from "../parts/Pending.tsx";
import { statisticsText } from "../parts/ReleaseTable.tsx";
import { momentText } from "../parts/time.ts";
import { CurveTable } from "./CurveTable.tsx";
import { Downloads } from "./Downloads.tsx";

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
  const answers = (release.answers?.map(withKind) ?? null) as unknown as readonly Answer[] | null;
  return (
    <Page
      title={statisticsText(release.statistics)}
      crumbs={
        <>
          <Link to="/releases">Releases</Link> ›{" "}
          <Link to="/datasets/$dataset" params={{ dataset: release.dataset }}>
            {release.datasetName}
          </Link>
        </>
      }
      lead={`Asked by ${release.byName}, ${momentText(release.chargedAt)}.`}
      actions={
        answers === null ? null : (
          <>
            <Link
              className="tool"
              to="/datasets/$dataset/plan"
              params={{ dataset: release.dataset }}
              search={{ account: release.account }}
              state={{
                repeat: { plan: release.plan, release: release.id, epsilon: release.receipt?.epsilon ?? null },
              }}
            >
              Plan it again
            </Link>
            <Downloads release={release} />
          </>
        )
      }
    >
      <div className="stack">
        {answers === null ? (
          <Underway release={release} />
        ) : (
          answers.map((answer) => <AnswerCard key={answer.id} answer={answer} />)
        )}
        <Receipt release={release} />
      </div>
    </Page>
  );
}

const whole = (value: number): string => formatNumber(value, 15);

const stageSentence = {
  queued: "Charged. Waiting for the measurement.",
  measuring: "Measuring, then adding noise. No answer is shown before it is stored permanently.",
  done: "Done.",
} as const;

function Underway({ release }: { release: Release }) {
  const retry = useRetryRelease();
  const mayRetry = isRetrier(useMe().data, release);
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
        {retry.error === null ? null : <Fault error={retry.error} />}
        <p>
          <span className="code">{release.failure.code}</span>
        </p>
      </Notice>
    );
  }
  return (
    <div className="card" role="status" style={{ display: "flex", gap: 16, alignItems: "center" }}>
      <Loader size="sm" aria-hidden="true" />
      <p style={{ margin: 0 }}>{stageSentence[release.stage]}</p>
    </div>
  );
}

const isRetrier = (me: Me | undefined, { by, dataset }: Release): boolean =>
  me !== undefined &&
  (me.person.id === by || me.roles.some(({ role, object }) => role === "datasetAdmin" && object.id === dataset));

function AnswerCard({ answer }: { answer: Answer }) {
  const chart = answerChart(answer);
  const [only] = answer.cells;
  return (
    <section className="card stack" style={{ gap: 12 }} aria-label={capital(answer.label)}>
      {chart !== null ? (
        <Figure level={2} chart={chart} caption={captionOf(answer)} />
      ) : answer.cells.length !== 1 || only === undefined || answer.groupBy.length > 0 ? (
        <>
          <div className="card-head">
            <h2>{titleOf(answer)}</h2>
          </div>
          {answer.cells.length === 0 ? (
            <p style={{ margin: 0 }}>No value was shared by enough people to be published.</p>
          ) : (
            <Cells answer={answer} />
          )}
        </>
      ) : (
        <div>
          <div className="card-head">
            <h2>{titleOf(answer)}</h2>
          </div>
          <p style={{ margin: 0 }}>
            <span className="big-number">{only.unreliable ? "–" : formatNumber(only.value, 6)}</span>{" "}
            {only.rank !== undefined ? null : (
              <span className="interval nowrap">
                {formatNumber(only.interval[0], 6)} to {formatNumber(only.interval[1], 6)}
              </span>
            )}
          </p>
          <p style={{ margin: "6px 0 0" }}>{answerSentence(answer, only)}</p>
          {only.rows === undefined ? null : (
            <p className="small soft" style={{ margin: "6px 0 0" }}>
              It came with a number of rows for free: about {whole(Math.round(only.rows.value))} (
              {whole(Math.floor(only.rows.interval[0]))} to {whole(Math.ceil(only.rows.interval[1]))}).
            </p>
          )}
        </div>
      )}
      {chart !== null && answer.cells.length <= 12 ? <Cells answer={answer} /> : null}
      {comparisonSentences(answer).map((sentence) => (
        <p key={sentence} style={{ margin: 0 }}>
          {sentence}
        </p>
      ))}
      {answer.simultaneous === undefined ? null : <CurveTable answer={answer as unknown as QueryAnswer} />}
      <div className="small soft">
        <p style={{ margin: 0 }}>
          Cost{" "}
          {"epsilon" in answer.cost ? (
            <Amount unit="ε" of={answer.cost.epsilon} />
          ) : (
            <>
              ρ <Amount of={answer.cost.rho} />
            </>
          )}
          {answer.cost.delta === undefined ? null : (
            <>
              , δ <Amount of={answer.cost.delta} />
            </>
          )}{" "}
          · {noiseWords(answer)}
        </p>
        {answer.notes.map((note) => (
          <p key={note} style={{ margin: "4px 0 0" }}>
            {note}
          </p>
        ))}
      </div>
    </section>
  );
}

function Cells({ answer }: { answer: Answer }) {
  const { columns, rows } = answerTable(answer);
  return (
    <DataTable
      caption={`${capital(answer.label)}: every answer`}
      isCaptionHidden
      rows={rows}
      keyOf={(_, index) => String(index)}
      columns={columns.map((column, index) => ({
        name: column.name,
        isNumber: column.align === "right",
        isHead: index === 0,
        cell: (row: readonly PlotCell[]) => {
          const cell = row[index];
          return typeof cell === "number" ? formatNumber(cell, 6) : cell;
        },
      }))}
    />
  );
}

function Receipt({ release }: { release: Release }) {
  const { receipt } = release;
  return (
    <Card title="Receipt">
      {receipt === null ? (
        <p className="soft" style={{ margin: 0 }}>
          Charged as line {release.entry} of the ledger. The receipt is complete when the answers are.
        </p>
      ) : (
        <div className="stack">
          <Facts
            of={{
              "ε spent": <Amount of={receipt.epsilon} />,
              "δ spent": <Amount of={receipt.delta} />,
              "Ledger line": receipt.entry,
              Released: momentText(receipt.at),
            }}
          />
          <p style={{ margin: 0 }} className="small">
            The guarantee in force (version {receipt.guaranteeVersion}): {receipt.guarantee}
          </p>
          <dl className="small soft" style={{ margin: 0 }}>
            <dt>Hash of the ledger line</dt>
            <dd className="code" style={{ margin: "0 0 6px" }}>
              {receipt.entryHash}
            </dd>
            <dt>Hash of the answers</dt>
            <dd className="code" style={{ margin: 0 }}>
              {receipt.answersHash}
            </dd>
          </dl>
        </div>
      )}
    </Card>
  );
}
