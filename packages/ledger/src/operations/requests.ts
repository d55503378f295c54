// The public operations. `LedgerDatabase` passes the context, the first argument of each.
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
} from "../requests/decision.ts";
export { expireRequests as expireDue } from "../requests/expire-requests.ts";
export {
  createPreApproval,
  endPreApproval,
  makeRequest as make,
  preApproval,
  preApprovals,
} from "../requests/pre-approval.ts";
export { request, requests } from "../requests/request.ts";
