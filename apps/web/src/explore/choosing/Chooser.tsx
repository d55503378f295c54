import { epsdelta, readings } from "@dosimeter/core/tradeoff";
import { formatNumber } from "@dosimeter/plot";
import { rangeChart } from "@dosimeter/plot/risk";
import { costOptimum } from "@dosimeter/risk";
import { type ReactNode, useMemo, useState } from "react";
import { DataTable } from "../../parts/DataTable.tsx";
import { Figure } from "../../parts/Figure.tsx";
import { Notice } from "../../parts/Notice.tsx";
import { Card } from "../../parts/Page.tsx";
import { choiceField, type FieldState, numberField, readAll, type ValuesOf } from "../risk/field.ts";
import { Choice, NumberInput } from "../risk/fields.tsx";
import { Sentence } from "../risk/Sentence.tsx";
import "../risk/risk.css";
import { type Chosen, deltaWarning, rangeOf } from "./range.ts";

const percentage = { above: 0, below: 100 } as const;

/** The questions, with where they start; shares are typed in per cent. */
export const chooserFields = {
  prior: numberField("10", percentage),
  posterior: numberField("50", percentage),
  sensitivity: choiceField(["open", "ordinary", "sensitive", "dangerous"], "ordinary"),
  people: numberField("10000", { min: 1, max: 1e10, isWhole: true }),
  delta: numberField("0.000001", { min: 0, below: 1 }),
  error: numberField("1", { above: 0, max: 100 }),
  answers: numberField("20", { min: 1, max: 100_000, isWhole: true }),
  parties: numberField("1", { min: 1, max: 1000, isWhole: true }),
  reuse: choiceField(["none", "some", "most"], "none"),
  compensation: numberField("5500", { above: 0, max: 1e12 }),
};
export type ChooserState = FieldState<typeof chooserFields>;

/** The same state kept in the component, for a dialog whose page has an address of its own. */
export function useChooser(start: Partial<Record<keyof typeof chooserFields, string>> = {}): ChooserState {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(start);
  return useMemo(
    () => ({
      ...readAll(chooserFields, texts),
      set: (change) =>
        setTexts((before) => ({
          ...before,
          ...Object.fromEntries(
            Object.entries(change).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
          ),
        })),
    }),
    [texts],
  );
}

/**
 * Four steps and five factors as questions, each moving a range of ε with its reason; never one number. Embeds anywhere that asks
 * for an ε: the state comes from `useChooser`, or from the page's address.
 */
export function Chooser({ state, first }: { state: ChooserState; first?: ReactNode }) {
  const { values } = state;
  const chosen = useMemo(() => (values === undefined ? undefined : choose(values)), [values]);
  const reason = (label: string) => chosen?.steps.find((step) => step.label === label);
  return (
    <>
      {first}
      <Card title="2 · The data and how it is used">
        <Question step={reason("Data sensitivity")} end="most">
          <Choice
            of={state}
            name="sensitivity"
            label="How sensitive is the data?"
            choices={{
              open: "Known to many anyway",
              ordinary: "Ordinary",
              sensitive: "Sensitive: health, money, beliefs",
              dangerous: "Could endanger a person",
            }}
          />
        </Question>
        <Question step={reason("Collaborators")} end="least">
          <NumberInput of={state} name="parties" label="How many parties work with it?" />
        </Question>
      </Card>
      <Card title="3 · The level of privacy you want">
        <Question step={reason("Desired level of privacy")} end="most">
          <div className="field-grid">
            <NumberInput of={state} name="prior" label="A suspicion of, in %" />
            <NumberInput of={state} name="posterior" label="may become at most, in %" />
          </div>
        </Question>
        {values !== undefined && values.posterior <= values.prior ? (
          <Notice tone="danger" title="The suspicion must be allowed to grow">
            <p>With ε = 0 nothing is learnt and nothing can be answered: the second share must be above the first.</p>
          </Notice>
        ) : null}
      </Card>
      <Card title="4 · What the answers are for">
        <Question step={reason("Population size and error")} end="least">
          <div className="field-grid">
            <NumberInput of={state} name="people" label="People, as declared (n)" hint="Never read from the data" />
            <NumberInput of={state} name="error" label="Error of a count, in % of n" hint="95 times in 100" />
          </div>
        </Question>
        <Question step={reason("Access frequency")} end="least">
          <NumberInput of={state} name="answers" label="How many answers over its lifetime?" />
        </Question>
        <Question step={reason("Caching and reuse")} end="least">
          <Choice
            of={state}
            name="reuse"
            label="Do questions repeat?"
            choices={{ none: "Hardly", some: "Half of them", most: "Nine in ten" }}
          />
        </Question>
        <Question>
          <NumberInput of={state} name="delta" label="δ of the lifetime" />
        </Question>
        {values === undefined ? null : <Delta delta={values.delta} people={values.people} />}
      </Card>
      {values === undefined || chosen === undefined ? null : <Outcome chosen={chosen} of={values} state={state} />}
    </>
  );
}

/** The range that the answers leave; undefined while one of them is wrong. */
export const chosenOf = ({ values }: ChooserState): Chosen | undefined =>
  values === undefined ? undefined : choose(values);

function choose(values: ValuesOf<typeof chooserFields>): Chosen | undefined {
  if (values.posterior <= values.prior) return undefined;
  return rangeOf({
    ...values,
    prior: values.prior / 100,
    posterior: values.posterior / 100,
    error: values.error / 100,
  });
}

function Question({
  step,
  end,
  children,
}: {
  step?: Chosen["steps"][number] | undefined;
  end?: "least" | "most";
  children: ReactNode;
}) {
  return (
    <div className="question">
      <div>{children}</div>
      {step === undefined || end === undefined ? null : (
        <p className="shift">
          {end === "most" ? "Upper" : "Lower"} end: <strong>ε {formatNumber(step[end], 3)}</strong>. {step.reason}
        </p>
      )}
    </div>
  );
}

function Delta({ delta, people }: { delta: number; people: number }) {
  const warning = deltaWarning(delta, people);
  if (warning !== undefined) {
    return (
      <Notice tone="warn" title="δ is above 1/n" isAlert>
        <p>{warning}</p>
      </Notice>
    );
  }
  return (
    <p className="soft small">
      δ is at most 1/n = {formatNumber(1 / people, 3)}. The range in use: from {formatNumber(1 / people / people, 3)}{" "}
      (1/n²) to {formatNumber(1 / people, 3)}.
    </p>
  );
}

function Outcome({
  chosen,
  of: values,
  state,
}: {
  chosen: Chosen;
  of: ValuesOf<typeof chooserFields>;
  state: ChooserState;
}) {
  const { least, most, isConflict, steps, perAnswer, paid } = chosen;
  return (
    <>
      <Card>
        <Figure
          level={2}
          chart={(size) => rangeChart({ title: "How each answer moved the range", steps }, size)}
          caption="Protection moves the upper end, use the lower one. Inside the range the choice is yours, and reasons belong beside it."
        />
      </Card>
      {isConflict ? (
        <Notice tone="warn" title="These wishes do not fit together" isAlert>
          <p>
            {paid} answers of the wanted quality need ε {formatNumber(least, 3)}; the level of privacy allows{" "}
            {formatNumber(most, 3)}. Ask for fewer answers, accept a larger error, reuse more, or say openly that a
            suspicion may become more.
          </p>
        </Notice>
      ) : (
        <Notice tone="good" title={`A lifetime ε from ${formatNumber(least, 3)} to ${formatNumber(most, 3)}`}>
          <p>
            Each answer needs about ε {formatNumber(perAnswer, 3)}; {paid} are paid for.
            {values.parties > 1
              ? ` Shared evenly, each of the ${values.parties} parties holds from ${formatNumber(least / values.parties, 3)} to ${formatNumber(most / values.parties, 3)}.`
              : ""}
          </p>
        </Notice>
      )}
      <Ends least={least} most={most} of={values} />
      <Money least={least} most={most} of={values} state={state} />
    </>
  );
}

/** What an attacker can do at both ends of the range, from the trade-off function of (ε, δ). */
function Ends({
  least,
  most,
  of: { delta, prior },
}: {
  least: number;
  most: number;
  of: ValuesOf<typeof chooserFields>;
}) {
  const rows = ends(least, most).map((end) => ({
    ...end,
    ...readings(epsdelta(end.epsilon, delta), { falsePositiveRates: [0.01], prior: prior / 100 }),
  }));
  const inHundred = (value: number) => `${formatNumber(100 * value, 3)} %`;
  return (
    <Card title="What someone who guesses can reach">
      <DataTable
        caption={`Worst case at δ = ${formatNumber(delta)}, against everything ever released under it`}
        columns={[
          { name: "End", isHead: true, cell: (row) => row.name },
          { name: "ε", isNumber: true, cell: (row) => formatNumber(row.epsilon, 3) },
          { name: "Right guesses, even odds", isNumber: true, cell: (row) => inHundred(row.balancedAccuracy) },
          {
            name: "Caught at 1 % false alarms",
            isNumber: true,
            cell: (row) => inHundred(row.rates[0]?.truePositiveRate ?? 0),
          },
          {
            name: `From ${formatNumber(prior, 3)} %, once accused`,
            isNumber: true,
            cell: (row) => inHundred(row.rates[0]?.precision ?? 0),
          },
        ]}
        rows={rows}
        keyOf={({ name }) => name}
      />
    </Card>
  );
}

const ends = (least: number, most: number) => [
  { name: "Lower", epsilon: Math.min(600, least) },
  { name: "Upper", epsilon: Math.min(600, most) },
];

function Money({
  least,
  most,
  of: { people, compensation },
  state,
}: {
  least: number;
  most: number;
  of: ValuesOf<typeof chooserFields>;
  state: ChooserState;
}) {
  const rows = ends(least, most).map(({ name, epsilon }) => {
    const model = { epsilon0: epsilon, people, compensation };
    const [published, simulation] = [costOptimum(model), costOptimum({ ...model, weight: "simulation" })];
    return { name, epsilon, due: published.dpCost, published: published.cost, simulation: simulation.cost };
  });
  const money = (value: number) => formatNumber(Math.round(value), 15);
  return (
    <Card title="In money">
      <div className="field-grid" style={{ marginBottom: 16 }}>
        <NumberInput of={state} name="compensation" label="Compensation of one person at full loss, E" />
      </div>
      <DataTable
        caption="Due to everybody together if the whole ε were one release, cost E·e^(−1/ε)"
        columns={[
          { name: "End", isHead: true, cell: (row) => row.name },
          { name: "ε", isNumber: true, cell: (row) => formatNumber(row.epsilon, 3) },
          { name: "At ε itself", isNumber: true, cell: (row) => money(row.due) },
          { name: "Privacy at risk, as published", isNumber: true, cell: (row) => money(row.published) },
          { name: "With the simulation weight", isNumber: true, cell: (row) => money(row.simulation) },
        ]}
        rows={rows}
        keyOf={({ name }) => name}
      />
      <div style={{ marginTop: 16 }}>
        <Sentence isMoney isSticky={false} />
      </div>
    </Card>
  );
}
