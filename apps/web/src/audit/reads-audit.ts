import type { Me } from "@dosimeter/client";

export const readsAudit = (me: Me | undefined): boolean =>
  (me?.roles ?? []).some(
    ({ role, object }) => role === "platformAdmin" || (role === "auditor" && object.kind === "platform"),
  );
