import type { Request } from "@dosimeter/client";
import { Amount } from "../parts/Amount.tsx";

/** ε with its δ. */
export function Pair({ of }: { of: Request["asked"] }) {
  return (
    <>
      <Amount unit="ε" of={of.epsilon} /> <span className="soft small">with</span> <Amount unit="δ" of={of.delta} />
    </>
  );
}
