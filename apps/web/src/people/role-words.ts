import type { Role } from "@dosimeter/client";

export const roleWords = {
  platformAdmin: "platform admin",
  auditor: "auditor",
  datasetAdmin: "dataset admin",
  teamAdmin: "team admin",
} as const satisfies Record<Role["role"], string>;
