import type { PublicGuarantee } from "@dosimeter/client";
import { protectedUnit } from "@dosimeter/core";
import { formatCost } from "../parts/Amount.tsx";
import { acrossWords } from "../parts/words.ts";

type Promise = Pick<PublicGuarantee, "privacyUnit" | "blocks" | "epsilon" | "delta">;

/** The guarantee in one sentence that needs no mathematics; with blocks, what it comes to over several. */
export const PlainPromise = ({ privacyUnit, blocks, epsilon, delta }: Promise) => (
  <blockquote>
    Whatever anyone asks, no one learns much more about {protectedUnit("one", privacyUnit, blocks)} than{" "}
    <span className="nowrap" title={`ε = ${epsilon}`}>
      ε = {formatCost(epsilon)}
    </span>{" "}
    allows.
    {blocks === undefined ? null : ` ${acrossWords(privacyUnit, blocks, { epsilon, delta })}`}
  </blockquote>
);
