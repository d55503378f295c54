import { formatNumber } from "@dosimeter/plot";
import { answerChart, capital, type ReportedAnswer } from "@dosimeter/plot/report";
import { type Practice as Practised, withKind } from "@dosimeter/query";
import { Loader } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { DataTable } from "../parts/DataTable.tsx";
import { Figure } from "../parts/Figure.tsx";
import { Card } from "../parts/Page.tsx";
import { openWorker } from "../worker/open-worker.ts";
import type { PracticeJob } from "../worker/tasks.ts";

const RUNS = 200;

/** What the answers of the plan may look like: it runs on practice data, again after every change. Reads no rows, costs nothing. */
export function Practice({ plan, declaration, people }: Pick<PracticeJob, "plan" | "declaration" | "people">) {
  const [seed, setSeed] = useState(1);
  const job = { plan, declaration, people, runs: RUNS, seed };
  const {
    data: practice,
    error,
    isFetching,
  } = useQuery({
    queryKey: ["practice", job],
    queryFn: ({ signal }) => practise(job, signal),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return (
    <Card title="Practice" aside={isFetching ? <Loader size="xs" aria-label="Practising" /> : null}>
      <p className="soft small" style={{ marginTop: 0 }}>
        What the answers might look like: {RUNS} runs of this plan on practice data, made from the declared columns
        alone. It reads nothing and costs nothing.{" "}
        <button type="button" className="tool" onClick={() => setSeed(seed + 1)}>
          Practise again
        </button>
      </p>
      <div role="status">
        {error === null ? null : <p className="fault">{error.message}</p>}
        {practice === undefined ? null : <Outcome practice={practice} />}
      </div>
    </Card>
  );
}

function practise(job: PracticeJob, signal: AbortSignal): Promise<Practised> {
  const worker = openWorker();
  signal.addEventListener("abort", worker.close);
  return worker.run("practise", job).finally(worker.close);
}

function Outcome({ practice }: { practice: Practised }) {
  const answers = practice.answers.map((answer) => withKind(answer) as ReportedAnswer);
  const charted = answers.find((answer) => answerChart(answer) !== null);
  const assuming = practice.statistics.filter(({ assumes }) => assumes !== null);
  const chart = charted === undefined ? null : answerChart(charted);
  return (
    <div className="synthetic" data-mark={practice.watermark}>
      <p className="small">
        <strong>Synthetic.</strong> {formatNumber(practice.rows)} rows of practice data; {practice.runs} runs.
      </p>
      <DataTable
        caption="What 95 of 100 answers stayed within, compared with the stated error"
        isCaptionHidden
        rows={practice.statistics}
        keyOf={({ id }) => id}
        columns={[
          { name: "Statistic", isHead: true, cell: ({ label }) => capital(label) },
          { name: "Stated ±", isNumber: true, cell: ({ stated }) => (stated === null ? "–" : formatNumber(stated, 3)) },
          { name: "Observed ±", isNumber: true, cell: ({ observed }) => formatNumber(observed, 3) },
          {
            name: "Within",
            isNumber: true,
            cell: ({ within }) => (within === null ? "–" : `${formatNumber(100 * within, 3)} %`),
          },
        ]}
      />
      {chart === null ? null : (
        <Figure
          isBare
          chart={chart}
          caption={`${charted === undefined ? "" : capital(charted.label)}: the first run’s answers. Synthetic.`}
        />
      )}
      {assuming.map(({ id, label, assumes }) => (
        <p key={id} className="soft small">
          {capital(label)}: the stated error holds {assumes}; practice data is not like that.
        </p>
      ))}
    </div>
  );
}
