import type { Ledger } from "@dosimeter/client";
import { Notice } from "../parts/Notice.tsx";
import { Tag } from "../parts/Page.tsx";
import { momentText } from "../parts/words.ts";

/** In a list: why it accepts no charges; nothing where it does. */
export const FrozenTag = ({ ledger: { status, over } }: { ledger: Pick<Ledger, "status" | "over"> }) =>
  status === "open" ? null : (
    <>
      {" "}
      <Tag tone="warn">frozen</Tag>
      {over === null ? null : <div className="small">{over}</div>}
    </>
  );

/** Says that a ledger is frozen, since when, and to those who may know why. */
export function Frozen({ ledger: { status, over, frozen } }: { ledger: Ledger }) {
  if (status !== "frozen") return null;
  return (
    <Notice tone="warn" title="This ledger is frozen">
      <p>
        It accepts no charges until{" "}
        {over === null ? "an admin unfreezes it" : "its lifetime is raised and what was published is counted"}.
        {frozen === undefined ? null : (
          <>
            {" "}
            Frozen on {momentText(frozen.since)}
            {(over ?? frozen.reason) === null ? "." : `: ${over ?? frozen.reason}.`}
          </>
        )}
      </p>
    </Notice>
  );
}
