import type { Request } from "@dosimeter/client";

export const statusWords = {
  submitted: "waiting",
  counterOffered: "offer made",
  approved: "approved",
  partlyApproved: "approved in part",
  rejected: "rejected",
  withdrawn: "withdrawn",
  expired: "expired",
  superseded: "replaced",
  infoRequested: "question asked",
  escalated: "passed on",
} as const satisfies Record<Request["status"], string>;

/** Whether the request still needs an action. */
export const isOpen = (status: Request["status"]): boolean =>
  status === "submitted" || status === "counterOffered" || status === "infoRequested" || status === "escalated";

export const toneOf = (status: Request["status"]): "good" | "warn" | "plain" => {
  if (status === "approved" || status === "partlyApproved") return "good";
  return isOpen(status) ? "warn" : "plain";
};

/** "more for Ana Silva on adults"; access while there is no account yet. */
export function purposeText({ account, granted, holder, dataset }: Request): string {
  const isAccess = account === null && granted === null;
  return `${isAccess ? "access" : "quota"} for ${holder.name} on ${dataset.name}`;
}
