import { formatNumber } from "@dosimeter/plot";
import { answerChart, capital, type ReportedAnswer } from "@dosimeter/plot/report";
import { type Declaration, type Plan, type Practice as Practised, withKind } from "@dosimeter/query";
import { Button, Loader } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { DataTable } from "../parts/DataTable.tsx";
import { Figure } from "../parts/Figure.tsx";
import { Card } from "../parts/Page.tsx";
import { openWorker } from "../worker/open-worker.ts";
import type { PracticeJob } from "../worker/tasks.ts";

const RUNS = 200;

/** Runs the plan on practice data, which is free and reads no rows. */
export function Practice({
  plan,
  declaration,
  people,
}: {
  plan: Plan | null;
  declaration: Declaration;
  people: number | null;
}) {
  const { mutate, data: practice, error, isPending } = useMutation({ mutationFn: practise });
  const run = (): void => {
    if (plan !== null)
      mutate({ plan, declaration, people, runs: RUNS, seed: (practice?.runs ?? 0) + Math.floor(performance.now()) });
  };
  return (
    <Card title="Practice">
      <p className="soft small" style={{ marginTop: 0 }}>
        Runs this plan {RUNS} times on practice data, made from the declared columns alone. It reads nothing and costs
        nothing.
      </p>
      <div className="page-actions">
        <Button variant="default" onClick={run} disabled={plan === null || isPending}>
          {practice === undefined ? "Practise" : "Practise again"}
        </Button>
        {isPending ? <Loader size="sm" aria-label="Practising" /> : null}
      </div>
      <div role="status">
        {error === null ? null : <p className="fault">{error.message}</p>}
        {practice === undefined ? null : <Outcome practice={practice} />}
      </div>
    </Card>
  );
}

function practise(job: PracticeJob): Promise<Practised> {
  const worker = openWorker();
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
