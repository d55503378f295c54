// The public operations of this folder. `LedgerDatabase` passes the context, the first argument of each.
export {
  accept,
  answerBack as answer,
  approve,
  askBack as ask,
  counter,
  decline,
  escalate,
  reject,
  withdrawRequest as withdraw,
} from "./decision.ts";
export { expireRequests as expireDue } from "./expire-requests.ts";
export { createPreApproval, endPreApproval, makeRequest as make, preApproval, preApprovals } from "./pre-approval.ts";
export { request, requests } from "./request.ts";
