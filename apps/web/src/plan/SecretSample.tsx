import type { limitOf, PlanDraft } from "@dosimeter/planner";
import { formatNumber } from "@dosimeter/plot";
import { inNoun, type UnitNoun } from "@dosimeter/query/declaration";
import { Checkbox } from "@mantine/core";
import { useState } from "react";
import { CommitNumber } from "../parts/fields.tsx";
import { WHOLE } from "../parts/number-text.ts";
import { Card } from "../parts/Page.tsx";
import { HelpCard } from "./HelpCard.tsx";

const statements = [
  ["It was drawn at random, without replacement.", "A hand-picked sample protects no one."],
  ["It has a fixed number of people out of a fixed number.", "The arithmetic is for exactly that draw."],
  [
    "Which people are in it stays secret, also from analysts and in other releases.",
    "A person who is known to be in it gains nothing.",
  ],
  ["The number of people it was drawn from is not overstated.", "A larger number would promise more than is true."],
] as const;

/** Secrecy of the sample: four statements first, then the number that turns ε into the functioning ε. */
export function SecretSample({
  noun,
  size,
  sample,
  epsilon,
  functioning,
  onSample,
}: {
  noun: UnitNoun | undefined;
  size: number;
  sample: PlanDraft["sample"];
  epsilon: string;
  functioning: ReturnType<typeof limitOf>;
  onSample: (sample: PlanDraft["sample"]) => string | undefined;
}) {
  const [affirmed, setAffirmed] = useState<readonly boolean[]>(statements.map(() => sample !== null));
  const isOpen = affirmed.every(Boolean);
  const functioningEpsilon = Number(functioning.epsilon) / 1e12;
  return (
    <details className="card">
      <summary>Advanced: is this table a secret sample of a larger population?</summary>
      <Card title="Secrecy of the sample" aside={<HelpCard term="sample" />}>
        <div className="stack gap-12">
          {statements.map(([statement, why], index) => (
            <Checkbox
              key={statement}
              label={inNoun(statement, noun)}
              description={inNoun(why, noun)}
              checked={affirmed[index] ?? false}
              onChange={(event) => {
                const { checked } = event.currentTarget;
                setAffirmed(affirmed.map((each, at) => (at === index ? checked : each)));
                if (!checked) onSample(null);
              }}
            />
          ))}
          <CommitNumber
            label="Secret sample of how many?"
            wish={WHOLE}
            isOptional
            disabled={!isOpen}
            placeholder={isOpen ? "not a secret sample" : "confirm all four first"}
            value={sample === null ? "" : String(sample.population)}
            onCommit={(typed) => onSample(typed === null ? null : { size, population: typed.value })}
          />
          {sample === null ? null : (
            <p className="small flush">
              Functioning ε {formatNumber(functioningEpsilon, 3)}, δ {formatNumber(Number(functioning.delta) / 1e18, 3)}
              ; one in {formatNumber(sample.population / size, 4)} is in the sample. This multiplies the budget by{" "}
              {formatNumber(functioningEpsilon / Number(epsilon), 3)}; if any statement is false the real guarantee is ε{" "}
              {formatNumber(functioningEpsilon, 3)}, not {epsilon}.
            </p>
          )}
        </div>
      </Card>
    </details>
  );
}
