import type { Cost } from "@dosimeter/client";
import { Amount } from "../parts/Amount.tsx";

/** What a program takes, by each sum that has it. */
export const CostText = ({ of: { epsilon, delta, mu2 } }: { of: Cost }) => (
  <span>
    <Amount of={epsilon} unit="ε" />, <Amount of={delta} unit="δ" />
    {mu2 === null ? null : (
      <>
        , <Amount of={mu2} unit="μ²" />
      </>
    )}
  </span>
);
