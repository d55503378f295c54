import { formatNumber } from "@dosimeter/plot";
import { COST_SENTENCE, GENERIC_DOMINATION_THRESHOLD, RISK_NAME, RISK_SENTENCE } from "@dosimeter/risk";
import type { ReactNode } from "react";
import { Notice } from "../../parts/Notice.tsx";
import { Card, Facts } from "../../parts/Page.tsx";

/** The sentence at the top of every panel; it stays visible where there is room. */
export function Sentence({ isMoney = false, isSticky = true }: { isMoney?: boolean; isSticky?: boolean }) {
  return (
    <aside className="risk-sentence" data-sticky={isSticky ? true : undefined} aria-label="What privacy at risk is not">
      <strong>{RISK_NAME}.</strong> {RISK_SENTENCE}
      {isMoney ? ` ${COST_SENTENCE}` : ""}
    </aside>
  );
}

/** Above 0.88 the published risk is no valid δ for every mechanism; above ln 3 not even for continuous Laplace noise. */
export function RedNote({ epsilon0, threshold }: { epsilon0: number; threshold: number }) {
  if (epsilon0 <= GENERIC_DOMINATION_THRESHOLD) return null;
  const isFalse = epsilon0 > threshold;
  return (
    <Notice
      tone="danger"
      title={`ε₀ = ${formatNumber(epsilon0)} is above ${formatNumber(isFalse ? threshold : GENERIC_DOMINATION_THRESHOLD, 3)}`}
    >
      <p>
        {isFalse
          ? "Read as the δ of an (ε, δ) promise, the published risk is false near ε₀: it is smaller than the exact δ(ε)."
          : "Read as the δ of an (ε, δ) promise, the published risk is false near ε₀ for discrete noise on counts and for other mechanisms; it holds for continuous Laplace noise only."}
      </p>
    </Notice>
  );
}

/** The sources of a panel's numbers. */
export function Assumptions({ of }: { of: Readonly<Record<string, ReactNode>> }) {
  return (
    <Card title="What this assumes">
      <Facts of={of} className="assumptions" />
    </Card>
  );
}
