import { formatCost } from "../parts/Amount.tsx";

/** The guarantee in one sentence that needs no mathematics. */
export const PlainPromise = ({ privacyUnit, epsilon }: { privacyUnit: string; epsilon: string }) => (
  <blockquote>
    Whatever anyone asks, no one learns much more about one {privacyUnit} than{" "}
    <span className="nowrap" title={`ε = ${epsilon}`}>
      ε = {formatCost(epsilon)}
    </span>{" "}
    allows.
  </blockquote>
);
