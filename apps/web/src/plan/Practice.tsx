import { formatNumber } from "@dosimeter/plot";
import { answerChart, capital, type ReportedAnswer } from "@dosimeter/plot/report";
import type { Declaration, Plan, Practice as Practised } from "@dosimeter/query";
import { Button, Loader } from "@mantine/core";
import { useEffect, useState } from "react";
import { DataTable } from "../parts/DataTable.tsx";
import { Figure } from "../parts/Figure.tsx";
import { Card } from "../parts/Page.tsx";
import type { PracticeJob } from "./practice.worker.ts";

const RUNS = 200;

/** Runs the plan on invented people, as often as one likes: free, and about nobody. */
export function Practice({
  plan,
  declaration,
  people,
}: {
  plan: Plan | null;
  declaration: Declaration;
  people: number | null;
}) {
  const [job, setJob] = useState<PracticeJob | null>(null);
  const [practice, setPractice] = useState<Practised | null>(null);
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    if (job === null) return undefined;
    const worker = new Worker(new URL("./practice.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<{ practice?: Practised; fault?: string }>) => {
      setPractice(data.practice ?? null);
      setFault(data.fault);
      setJob(null);
    };
    worker.onerror = () => {
      setFault("This browser could not practise.");
      setJob(null);
    };
    worker.postMessage(job);
    return () => worker.terminate();
  }, [job]);
  const run = (): void => {
    if (plan !== null)
      setJob({ plan, declaration, people, runs: RUNS, seed: (practice?.runs ?? 0) + Math.floor(performance.now()) });
  };
  return (
    <Card title="Practice">
      <p className="soft small" style={{ marginTop: 0 }}>
        Runs this plan {RUNS} times on invented people, made from the declared columns alone. It reads nothing and costs
        nothing.
      </p>
      <div className="page-actions">
        <Button variant="default" onClick={run} disabled={plan === null || job !== null}>
          {practice === null ? "Practise" : "Practise again"}
        </Button>
        {job === null ? null : <Loader size="sm" aria-label="Practising" />}
      </div>
      <div role="status">
        {fault === undefined ? null : <p className="fault">{fault}</p>}
        {practice === null ? null : <Outcome practice={practice} />}
      </div>
    </Card>
  );
}

function Outcome({ practice }: { practice: Practised }) {
  const charted = practice.answers.find((answer) => answerChart(answer as ReportedAnswer) !== null);
  const assuming = practice.statistics.filter(({ assumes }) => assumes !== null);
  const chart = charted === undefined ? null : answerChart(charted as ReportedAnswer);
  return (
    <div className="synthetic" data-mark={practice.watermark}>
      <p className="small">
        <strong>Synthetic.</strong> {formatNumber(practice.rows)} invented people; {practice.runs} runs.
      </p>
      <DataTable
        caption="What 95 of 100 answers stayed within, beside what is stated"
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
          {capital(label)}: the stated error holds {assumes}; invented people are not like that.
        </p>
      ))}
    </div>
  );
}
