import { PrivacyError } from "@dosimeter/core";
import { rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { PrincipalId } from "../values/id.ts";

/** Of a change that was computed from what was read before. */
export interface Computed<Read> {
  /** Whether what is kept now is still what was read: CONFLICT with `why: "CHANGED"` otherwise. */
  readonly isStill?: ((now: Read) => boolean) | undefined;
}

export function refuseStale<Read>({ isStill }: Computed<Read>, now: Read): void {
  if (isStill?.(now) === false)
    throw new PrivacyError("CONFLICT", { why: "CHANGED" }, "another change came first: read it again");
}

/** The row of a person whom a provider keeps here; undefined of one whom it deleted or never named. */
export const keptRow = (
  db: Tx["db"],
  { provider, principal }: { readonly provider: string; readonly principal: PrincipalId },
) => rowWith(db, "provisioned_user", { provider, principal_id: principal, is_deleted: 0n });
