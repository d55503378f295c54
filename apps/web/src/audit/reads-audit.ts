import type { Me } from "@dosimeter/client";

/** Whether this person reads the audit of the whole platform. */
export const readsAudit = (me: Me | undefined): boolean =>
  (me?.roles ?? []).some(
    ({ role, object }) => role === "platformAdmin" || (role === "auditor" && object.kind === "platform"),
  );
