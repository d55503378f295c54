import type { PublicGuarantee } from "@dosimeter/client";
import { acrossBlocks, protectedUnit } from "@dosimeter/core";
import { formatCost } from "../parts/Amount.tsx";

type Promise = Pick<PublicGuarantee, "privacyUnit" | "blocks" | "epsilon" | "delta">;

/** The guarantee in one sentence that needs no mathematics; with blocks, what it comes to over several. */
export const PlainPromise = ({ privacyUnit, blocks, epsilon, delta }: Promise) => (
  <blockquote>
    Whatever anyone asks, no one learns much more about {protectedUnit("one", privacyUnit, blocks)} than{" "}
    <span className="nowrap" title={`ε = ${epsilon}`}>
      ε = {formatCost(epsilon)}
    </span>{" "}
    allows.
    {blocks === undefined
      ? null
      : ` ${acrossBlocks(privacyUnit, blocks, { epsilon: formatCost(epsilon), delta: formatCost(delta) })}`}
  </blockquote>
);
