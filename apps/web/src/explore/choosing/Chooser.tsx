import { formatNumber } from "@dosimeter/plot";
import { inNoun, type UnitNoun } from "@dosimeter/query/declaration";
import { deltaWarning } from "@dosimeter/query/quote";
import { type ReactNode, useMemo } from "react";
import { Notice } from "../../parts/Notice.tsx";
import { Card, Page } from "../../parts/Page.tsx";
import { Epsilon } from "../epsilon/Epsilon.tsx";
import { ChoiceInput, NumberInput, useFields } from "../risk/fields.tsx";
import { type ChooserState, choose, chooserFields } from "./chooser-state.ts";
import { Money, RangeOutcome } from "./RangeOutcome.tsx";
import type { Chosen } from "./range.ts";
import "../risk/risk.css";

/** Explore → Choosing ε: what an ε does, then the questions that narrow a range of it. */
export function ChoosingEpsilon() {
  const state = useFields(chooserFields);
  return (
    <Page
      title="Choosing ε"
      lead="A larger ε gives smaller errors and tells more about each person. Four steps and five factors narrow a range; no formula makes the choice."
      crumbs="Explore"
    >
      <div className="stack">
        <Chooser state={state} first={<Epsilon />} />
      </div>
    </Page>
  );
}

interface ChooserProps {
  state: ChooserState;
  first?: ReactNode;
  noun?: UnitNoun | undefined;
}

/**
 * Four steps and five factors as questions. Each one moves a range of ε and gives the reason; none gives a single
 * number. Any form with an ε can embed it: the state comes from `useChooser`, or from the page's address.
 */
export function Chooser({ state, first, noun }: ChooserProps) {
  const { values } = state;
  const chosen = useMemo(() => (values === undefined ? undefined : choose(values)), [values]);
  const reason = (label: string) => {
    const step = chosen?.steps.find((one) => one.label === label);
    return step === undefined ? undefined : { ...step, reason: inNoun(step.reason, noun) };
  };
  return (
    <>
      {first}
      <Card title="2 · The data and how it is used">
        <Question step={reason("Data sensitivity")} end="most">
          <ChoiceInput
            of={state}
            name="sensitivity"
            label="How sensitive is the data?"
            choices={{
              open: "Known to many anyway",
              ordinary: "Ordinary",
              sensitive: "Sensitive: health, money, beliefs",
              dangerous: inNoun("Could endanger a person", noun),
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
            <NumberInput
              of={state}
              name="people"
              label={inNoun("People, as declared (n)", noun)}
              hint="Never read from the data"
            />
            <NumberInput of={state} name="error" label="Error of a count, in % of n" hint="95 times in 100" />
          </div>
        </Question>
        <Question step={reason("Access frequency")} end="least">
          <NumberInput of={state} name="answers" label="How many answers over its lifetime?" />
        </Question>
        <Question step={reason("Caching and reuse")} end="least">
          <ChoiceInput
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
      {values === undefined || chosen === undefined ? null : <RangeOutcome chosen={chosen} of={values} />}
      <Money chosen={chosen} of={values} state={state} noun={noun} />
    </>
  );
}

interface QuestionProps {
  step?: Chosen["steps"][number] | undefined;
  end?: "least" | "most";
  children: ReactNode;
}

function Question({ step, end, children }: QuestionProps) {
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
