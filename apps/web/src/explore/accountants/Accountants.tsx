import { ruleRow } from "@dosimeter/core";
import { byLine } from "@dosimeter/core/accounting";
import { accountantsChart, agentReportChart, formatNumber, lossHistoryChart } from "@dosimeter/plot";
import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import { Loss } from "../../parts/Amount.tsx";
import { DataTable } from "../../parts/DataTable.tsx";
import { Figure } from "../../parts/Figure.tsx";
import { LongText, NumberField } from "../../parts/fields.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { isTypedOrEmpty, numberOf, type Wish } from "../../parts/number-text.ts";
import { Card, Facts, Page, Tag } from "../../parts/Page.tsx";
import { openWorker, type TaskWorker } from "../../worker/open-worker.ts";
import type { Question, Study, StudyRow } from "../../worker/study.ts";

interface StudyState {
  readonly study: Study | null;
  readonly problem: string | null;
  readonly isBusy: boolean;
}

/** The pause in typing after which a list is studied. */
const REST_MS = 350;

/** The study of a list, computed in the worker; a new one ends the one before. */
function useStudy(question: Question): StudyState {
  const [state, setState] = useState<StudyState>({ study: null, problem: null, isBusy: true });
  const { list, delta, epsilon, threshold } = question;
  useEffect(() => {
    let worker: TaskWorker | undefined;
    setState((before) => ({ ...before, isBusy: true }));
    const timer = setTimeout(() => {
      worker = openWorker();
      worker
        .run("study", { list, delta, epsilon, threshold })
        .then(
          (study) => setState({ study, problem: null, isBusy: false }),
          (error: Error) => setState({ study: null, problem: error.message, isBusy: false }),
        )
        .finally(worker.close);
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      worker?.close();
    };
  }, [list, delta, epsilon, threshold]);
  return state;
}

const EXAMPLES: readonly (readonly [string, string])[] = [
  ["200 small answers", "epsilon,delta,count\n0.05,0,200\n"],
  ["Mixed noise", "kind,noiseMultiplier,epsilon,count\ngaussian,4,,3\nlaplace,10,,40\npure,,0.2,5\n"],
  [
    "A training run",
    JSON.stringify(
      [
        {
          kind: "repeated",
          count: 1000,
          event: { kind: "poissonSampled", rate: 0.01, event: { kind: "gaussian", noiseMultiplier: 1 } },
        },
      ],
      null,
      1,
    ),
  ],
  ["δ nearly used up", "epsilon,delta,count\n0.01,1e-8,99\n"],
];

const STUDY_DELTA = { min: 0, max: 0.999999 } as const;
const BUDGET = { min: 0, max: 1_000_000 } as const;

/** Explore → Accountants: a list of spends, every accountant's total of it, and what a ledger would have admitted. */
export function Accountants() {
  const [list, setList] = useState(EXAMPLES[0]?.[1] ?? "");
  const [delta, setDelta] = useState("0.00001");
  const [epsilon, setEpsilon] = useState("3");
  const [threshold, setThreshold] = useState("1");
  const { study, problem, isBusy } = useStudy({
    list,
    delta: numberOr(delta, STUDY_DELTA, 1e-6),
    epsilon: numberOr(epsilon, BUDGET, 1),
    threshold: numberOr(threshold, BUDGET, 1),
  });
  const isFaulty = !(
    isTypedOrEmpty(delta, STUDY_DELTA) && [epsilon, threshold].every((text) => isTypedOrEmpty(text, BUDGET))
  );
  return (
    <Page
      title="Accountants"
      lead="A list of answers loses privacy in total. Each accountant gives an upper bound on that total and says what it assumes; the smallest valid one counts. None of them admits anything: a ledger's filter does."
      crumbs="Explore"
    >
      <div className="stack">
        <Card title="Spends">
          <LongText
            label="CSV with a heading (epsilon, delta, count, kind, noiseMultiplier, rho, mu, time), or JSON events"
            value={list}
            onChange={setList}
            minRows={5}
            maxRows={12}
            spellCheck={false}
            styles={{ input: { fontFamily: "monospace" } }}
          />
          <div className="row gap-8 below-12 above-12">
            {EXAMPLES.map(([name, text]) => (
              <Button key={name} variant="default" size="sm" onClick={() => setList(text)}>
                {name}
              </Button>
            ))}
          </div>
          <div
            style={{
              display: "grid",
              gap: 12,
              alignItems: "end",
              gridTemplateColumns: "repeat(auto-fit, minmax(160px, 1fr))",
            }}
          >
            <NumberField label="δ" wish={STUDY_DELTA} value={delta} onChange={setDelta} />
            <NumberField label="Budget ε" wish={BUDGET} value={epsilon} onChange={setEpsilon} />
            <NumberField
              label="AGENT’s report adds up when one query has more ε than"
              description="A ledger has its own, among its settings."
              wish={BUDGET}
              value={threshold}
              onChange={setThreshold}
            />
          </div>
        </Card>
        {problem === null ? null : (
          <Notice tone="danger" title="This list cannot be read" isAlert>
            <p>{byLine(problem)}</p>
          </Notice>
        )}
        <p className="small soft flush" role="status">
          {isFaulty
            ? "Correct the marked fields to see the totals."
            : isBusy
              ? "computing …"
              : study === null
                ? ""
                : `${formatNumber(study.spends)} ${study.spends === 1 ? "spend" : "spends"} in ${formatNumber(study.lines)} ${study.lines === 1 ? "line" : "lines"}`}
        </p>
        {isFaulty || study === null || study.lines === 0 ? null : (
          <Results study={study} delta={numberOr(delta, STUDY_DELTA, 1e-6)} budget={numberOr(epsilon, BUDGET, 1)} />
        )}
      </div>
    </Page>
  );
}

function Results({ study, delta, budget }: { study: Study; delta: number; budget: number }) {
  const { agent } = study;
  return (
    <>
      <Card title="Every accountant">
        <div className="stack">
          <DataTable
            caption={`Total at δ = ${formatNumber(delta)}, as if the list had been fixed in advance, and room left in ε = ${formatNumber(budget)}`}
            isStacking
            columns={[
              {
                name: "Accountant",
                isHead: true,
                cell: (row: StudyRow) => (
                  <>
                    {row.label} {row.isBest ? <Tag tone="good">least</Tag> : null}
                  </>
                ),
              },
              {
                name: "ε",
                isNumber: true,
                cell: ({ report }: StudyRow) => ("unavailable" in report ? "–" : <Loss of={report.epsilon} />),
              },
              {
                name: "At least",
                isNumber: true,
                cell: ({ report }: StudyRow) =>
                  "unavailable" in report || report.lower === undefined ? "" : <Loss of={report.lower} isLower />,
              },
              {
                name: "more like the last",
                isNumber: true,
                cell: ({ more }: StudyRow) => (more === null ? "" : more < 0 ? "over" : formatNumber(more)),
              },
              {
                name: "Assumes",
                cell: ({ report }: StudyRow) => ("unavailable" in report ? byLine(report.unavailable) : report.assumes),
              },
            ]}
            rows={study.rows}
            keyOf={({ method }) => method}
          />
          <Facts
            of={{
              "holds even if questions depend on earlier answers": (
                <>
                  ε = <Loss of={study.adaptive} />
                </>
              ),
            }}
          />
        </div>
      </Card>
      <Card>
        <Figure level={2} chart={(size) => accountantsChart({ curves: study.curves, delta }, size)} />
      </Card>
      <Card>
        <Figure level={2} chart={(size) => lossHistoryChart({ delta, histories: study.histories, budget }, size)} />
      </Card>
      <Card title="Filter against report">
        <p>
          A ledger with this budget decides before each answer, and stays right when questions depend on earlier
          answers. That costs a little: what a report has room for, a filter may refuse.
        </p>
        <DataTable
          caption="What a ledger opened with this ε and δ admits of the same list, each line offered as one charge"
          columns={[
            { name: "rule", isHead: true, cell: ({ rule }) => ruleRow(rule).label },
            { name: "lines admitted", isNumber: true, cell: ({ admitted }) => `${admitted} of ${study.lines}` },
            {
              name: "more like the last",
              isNumber: true,
              cell: ({ more }) => (more >= 2000 ? "2,000 or more" : formatNumber(more)),
            },
          ]}
          rows={study.filters}
          keyOf={({ rule }) => rule}
        />
      </Card>
      {study.agentOmission === null ? null : (
        <Notice tone="plain" title="AGENT has no report of this list">
          <p>{study.agentOmission}</p>
        </Notice>
      )}
      {agent === null ? null : (
        <Card title="As AGENT reports it" aside={<Tag tone="warn">report only</Tag>}>
          <Facts
            of={{
              "reported ε": <Loss of={agent.epsilon} />,
              "reported δ": <Loss of={agent.delta} />,
              composition: agent.method,
              "δ′, from what is left": formatNumber(agent.slack),
              "true of this list": (
                <>
                  ε = <Loss of={agent.tightest} />
                </>
              ),
            }}
          />
          <ul>
            {agent.remarks.map((remark) => (
              <li key={remark}>{remark}</li>
            ))}
          </ul>
          {agent.curve.length === 0 ? null : (
            <Figure
              chart={(size) => agentReportChart(agent, size)}
              caption="The slack δ′ is what is left of δ. While much is left the reported ε is low; as δ is used up it climbs, and when none is left a floor of 10⁻¹² is added, so the reported δ exceeds the budget."
            />
          )}
        </Card>
      )}
    </>
  );
}

/** An empty field stands for the usual value. */
function numberOr(text: string, wish: Wish, otherwise: number): number {
  const value = numberOf(text, wish);
  return Number.isNaN(value) ? otherwise : value;
}
