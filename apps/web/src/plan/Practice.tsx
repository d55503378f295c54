import type { Practice as Practised } from "@dosimeter/planner";
import { formatNumber, measureText } from "@dosimeter/plot";
import { answerChart, capital, measureOf, type ReportedAnswer, titleOf } from "@dosimeter/plot/report";
import { type AnswerWords, answersToShow, planTable, planWords } from "@dosimeter/query/answer";
import type { Declaration } from "@dosimeter/query/declaration";
import type { Plan } from "@dosimeter/query/statistics";
import { Button, Loader } from "@mantine/core";
import { useState } from "react";
import { DataTable } from "../parts/DataTable.tsx";
import { Figure } from "../parts/Figure.tsx";
import { Card } from "../parts/Page.tsx";
import { formatError } from "./grid/cells.ts";
import { usePractised } from "./use-practised.ts";

const RUNS = 200;

/** What the answers of the plan might look like, on practice data: free, reads no rows, and follows every edit. */
export function Practice({
  plan,
  declaration,
  people,
}: {
  plan: Plan;
  declaration: Declaration;
  people: number | null;
}) {
  const [seed, setSeed] = useState(1);
  const { data, error, isFetching } = usePractised({ plan, declaration, people, runs: RUNS, seed });
  return (
    <Card
      title="What the answers might look like"
      aside={isFetching ? <Loader size="xs" aria-label="Practising" /> : null}
    >
      <div className="plan-practice-head">
        <p className="soft small">
          This plan, run {RUNS} times on practice data made from the declared columns alone. It reads nothing, costs
          nothing, and follows what you change.
        </p>
        <Button size="xs" variant="default" onClick={() => setSeed((before) => before + 1)}>
          Practise again
        </Button>
      </div>
      <div role="status">
        {error === null ? null : <p className="fault">{error.message}</p>}
        {data === undefined ? (
          <div className="plan-practice-space" />
        ) : (
          <Outcome practice={data} words={planWords(plan, planTable(plan, declaration))} />
        )}
      </div>
    </Card>
  );
}

function Outcome({ practice, words }: { practice: Practised; words: AnswerWords }) {
  const answers = answersToShow({ answers: practice.answers, words }) ?? [];
  const charts = answers.flatMap((answer) => {
    const chart = answerChart(answer);
    return chart === null ? [] : [{ answer, chart }];
  });
  const assuming = practice.statistics.filter(({ assumes }) => assumes !== null);
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
          { name: "For example", isNumber: true, cell: ({ id }) => exampleOf(answers, id) },
          { name: "Stated ±", isNumber: true, cell: ({ stated }) => (stated === null ? "–" : formatError(stated)) },
          { name: "Observed ±", isNumber: true, cell: ({ observed }) => formatNumber(observed, 3) },
          {
            name: "Within",
            isNumber: true,
            cell: ({ within }) => (within === null ? "–" : `${formatNumber(100 * within, 3)} %`),
          },
        ]}
      />
      <div className="plan-practice-charts">
        {charts.map(({ answer, chart }) => (
          <Figure key={answer.id} isBare chart={chart} caption={`${titleOf(answer)}, synthetic.`} />
        ))}
      </div>
      {assuming.map(({ id, label, assumes }) => (
        <p key={id} className="soft small">
          {capital(label)}: the stated error holds {assumes}; practice data is not like that.
        </p>
      ))}
    </div>
  );
}

/** The first run's answer, where it is one number. */
function exampleOf(answers: readonly ReportedAnswer[], id: string): string {
  const answer = answers.find((each) => each.id === id);
  const value = answer?.cells.length === 1 ? answer.cells[0]?.value : undefined;
  return answer !== undefined && typeof value === "number" ? measureText(value, measureOf(answer), 4) : "see chart";
}
