import { Card } from "../../parts/Page.tsx";
import { fields, formWords, shapes } from "./compensation-fields.ts";
import { ChoiceInput, NumberInput, useFields } from "./fields.tsx";
import { Priced } from "./Priced.tsx";
import { Sentence } from "./Sentence.tsx";

/** Panel (c): section 5; its first state is the illustration of 5.3. */
export function Compensation() {
  const state = useFields(fields);
  const { values } = state;
  return (
    <>
      <Sentence isMoney />
      <Card>
        <p className="risk-story">
          A health centre says in January that 34 of 99 members of a faculty are obese, and in July that 35 of 100 are.
          One person joined between. It will add Laplace noise to the counts, accepts an error of 2 on average, and asks
          what to set aside.
        </p>
      </Card>
      <Card title="Settings">
        <div className="field-grid">
          <NumberInput of={state} name="people" label="People" />
          <NumberInput of={state} name="compensation" label="Compensation E" hint="Of one person, at full loss" />
          <NumberInput of={state} name="error" label="Error limit 𝒯" hint="Mean absolute error" />
          <NumberInput of={state} name="k" label="Dimension k" />
          <ChoiceInput
            of={state}
            name="shape"
            label="Cost function D"
            choices={Object.fromEntries(Object.entries(shapes).map(([name, { words }]) => [name, words]))}
          />
          <NumberInput of={state} name="rate" label="Rate c" />
          <NumberInput of={state} name="bias" label="Bias b" hint="Due for every ε" />
          <ChoiceInput of={state} name="form" label="Equation (8) with a bias" choices={formWords} />
          <NumberInput of={state} name="budget" label="Budget B, if fixed" />
          <NumberInput of={state} name="least" label="Smallest E" />
          <NumberInput of={state} name="most" label="Largest E" />
          <NumberInput of={state} name="rateLeast" label="Smallest c" />
          <NumberInput of={state} name="rateMost" label="Largest c" />
        </div>
      </Card>
      {values === undefined ? null : <Priced of={values} />}
    </>
  );
}
