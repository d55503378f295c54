import type { Ledger } from "@dosimeter/client";
import { Notice } from "../parts/Notice.tsx";
import { momentText } from "../parts/words.ts";

/** Says that a ledger is frozen, since when, and to those who may know why. */
export function Frozen({ ledger: { status, frozen } }: { ledger: Ledger }) {
  if (status !== "frozen") return null;
  return (
    <Notice tone="warn" title="This ledger is frozen">
      <p>
        It accepts no charges until an admin unfreezes it.
        {frozen === undefined ? null : (
          <>
            {" "}
            Frozen on {momentText(frozen.since)}
            {frozen.reason === null ? "." : `: ${frozen.reason}.`}
          </>
        )}
      </p>
    </Notice>
  );
}
