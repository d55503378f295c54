import type { PublicGuarantee } from "@dosimeter/client";
import { protectedUnit } from "@dosimeter/core";
import { formatCost } from "../parts/Amount.tsx";
import { acrossWords } from "../parts/words.ts";

type Promise = Pick<PublicGuarantee, "privacyUnit" | "blocks" | "epsilon" | "delta"> & {
  /** How many programs outside it relies on. */
  readonly programs: number;
};

/** The guarantee in one sentence that needs no mathematics; with blocks, what it comes to over several. */
export const PlainPromise = ({ privacyUnit, blocks, epsilon, delta, programs }: Promise) => (
  <blockquote>
    Whatever anyone asks, no one learns much more about {protectedUnit("one", privacyUnit, blocks)} than{" "}
    <span className="nowrap" title={`ε = ${epsilon}`}>
      ε = {formatCost(epsilon)}
    </span>{" "}
    allows
    {programs === 0
      ? ""
      : `, provided that ${programs === 1 ? "one program outside did what it" : `${programs} programs outside did what they`} declared`}
    .{blocks === undefined ? null : ` ${acrossWords(privacyUnit, blocks, { epsilon, delta })}`}
  </blockquote>
);
