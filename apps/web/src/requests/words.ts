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
} as const satisfies Record<Request["status"], string>;

export const toneOf = (status: Request["status"]): "good" | "warn" | "plain" => {
  if (status === "approved" || status === "partlyApproved") return "good";
  return status === "submitted" || status === "counterOffered" ? "warn" : "plain";
};

/** "more for Ana Silva on adults"; access while there is no account yet. */
export function purposeText({ account, granted, holder, dataset }: Request): string {
  const isAccess = account === null && granted === null;
  return `${isAccess ? "access" : "quota"} for ${holder.name} on ${dataset.name}`;
}
