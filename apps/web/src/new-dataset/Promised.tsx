import type { Dataset, Output } from "@dosimeter/client";
import { FITTED, protectedUnit } from "@dosimeter/core";
import { Amount, formatCost } from "../parts/Amount.tsx";
import { Facts } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";
import { acrossWords } from "../parts/words.ts";
import { declaredNoun } from "./size.ts";

const isPositive = (amount: string): boolean => /[1-9]/.test(amount);

/** The guarantee before it is made: in plain words first, exactly on request. */
export function Promised({
  dataset,
  epsilon,
  delta,
  preview,
  error,
  isFaulty,
}: {
  dataset: Dataset;
  /** What the guarantee promises: the ceiling, where there is one. */
  epsilon: string;
  delta: string;
  /** Undefined while the terms are not complete. */
  preview: Output<"previewLedger"> | undefined;
  error: Error | null;
  isFaulty: boolean;
}) {
  const noun = declaredNoun(dataset).one;
  return (
    <section className="card guarantee" aria-label="The sentence" aria-live="polite">
      <div className="card-head">
        <h2>What will be promised</h2>
      </div>
      <Fault error={error} />
      {preview === undefined ? (
        <p className="soft flush">
          {isFaulty ? "Correct the marked fields to see the guarantee." : "Enter ε and δ to see the guarantee."}
        </p>
      ) : (
        <div className="stack">
          <blockquote>
            Whatever anyone asks, no one learns much more about {protectedUnit("one", noun, preview.blocks)} than ε ={" "}
            {formatCost(epsilon)} allows
            {isPositive(delta) ? `, and δ = ${formatCost(delta)} more` : ""}.
            {preview.blocks === undefined ? null : ` ${acrossWords(noun, preview.blocks, { epsilon, delta })}`}
          </blockquote>
          {dataset.isFitted ? <p className="flush">{FITTED}</p> : null}
          <details>
            <summary>Exact statement</summary>
            <div className="stack below-12">
              <p className="flush">{preview.sentence}</p>
              <Facts
                of={{
                  "δ for composition": <Amount of={preview.deltaFilter} />,
                  "δ for selections": <Amount of={preview.deltaSelection} />,
                  "μ² at opening": <Amount of={preview.muSquared} />,
                }}
              />
            </div>
          </details>
        </div>
      )}
    </section>
  );
}
