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

/** Access while there is no account yet. */
const kindOf = ({ account, granted }: Request): string => (account === null && granted === null ? "access" : "budget");

/** "budget for Ana Silva on adults" */
export const purposeText = (request: Request): string =>
  `${kindOf(request)} for ${request.holder.name} on ${request.dataset.name}`;

/** "Ana Silva asks for budget on adults", or for whom where it is not for herself. */
export const askedText = (request: Request): string =>
  request.holder.id === request.requester.id
    ? `${request.requester.name} asks for ${kindOf(request)} on ${request.dataset.name}`
    : `${request.requester.name} asks for ${purposeText(request)}`;

/** What one can say on a request without deciding it. */
export const verbs = {
  ask: {
    button: "Ask a question",
    title: "Ask before deciding",
    label: "Question",
    action: "Send the question",
    about: "The request waits for an answer; nothing is decided.",
  },
  answer: {
    button: "Answer",
    title: "Answer what was asked",
    label: "Answer",
    action: "Send the answer",
    about: "The request goes back to the person who decides.",
  },
  escalate: {
    button: "Pass on",
    title: "Ask the next level for budget",
    label: "Note (optional)",
    action: "Pass it on",
    about:
      "The budget that would pay has too little: a linked request, with the same plan, goes to the one that funds it. When that one is decided, this one waits for you again.",
  },
} as const;
export type Verb = keyof typeof verbs;
