import { statusOf } from "@dosimeter/client";
import { type ErrorCode, errorCodes } from "@dosimeter/core";

/** What the person who meets the error does next. */
const whatToDo = {
  INVALID_PARAMETER:
    "The error names the value, what it was and what it must be. Change it and send the request again. Nothing was charged.",
  UNSUPPORTED_EVENT:
    "Choose noise that the ledger's rule can price. [The accountant](../accounting.md) lists what each rule takes.",
  UNSUPPORTED_QUERY:
    "The error names the part of the plan. [Statistics](../statistics.md) lists what can be asked, [SQL](../sql.md) what is read from a query. Nothing was charged.",
  UNKNOWN_COLUMN:
    "Look at the columns with `dosimeter dataset show`, or on the dataset's page. A derived column is defined in the plan itself: see [Derived columns](../derived-columns.md).",
  EMPTY_PLAN: "Add at least one statistic to the plan.",
  BUDGET_EXHAUSTED:
    "The lifetime of the data has no room. Use the largest ε that still fits, which the error states, or read [earlier answers](../reuse.md), which cost nothing. [When the budget is spent](../do/budget-spent.md) lists every way on.",
  QUOTA_EXHAUSTED:
    "Your budget, or one above it, has no room. Use the largest ε that still fits, which the error states, or ask the person who gave it to you for more. [When the budget is spent](../do/budget-spent.md) lists every way on.",
  PRICE_TOO_SMALL: "Ask with a larger ε. Very many very small releases would slow the ledger down and say nothing.",
  QUOTA_UNAVAILABLE:
    "Move less, or take back from another budget first. [Give a team a budget](../do/give-a-budget.md) shows both.",
  ACCOUNT_CLOSED:
    "Use another budget, or ask the person who gives it out. A frozen one can be opened again; a closed one cannot. See [Budgets and amendments](../budgets.md#the-tree-of-budgets).",
  ADJACENCY_MISMATCH:
    "Plan again from the dataset as it is now: the plan assumes another neighbour relation than the ledger promises.",
  DATA_UNREADABLE:
    "An admin of the dataset compares the declaration with the file or the table: names, types and separator. See [Declare a table](../declaration.md).",
  NOT_FOUND:
    "Check the name or the id. The same answer is given for what does not exist and for what you may not see; an admin can give you access.",
  METHOD_NOT_ALLOWED: "Use a method that the header `Allow` names. [The HTTP interface](../api.md) lists all routes.",
  UNAUTHENTICATED:
    "Sign in again, or make a new token. [Who is the first admin?](../start/first-admin.md) says how to get in at all.",
  SECOND_FACTOR:
    "Give the code of your authenticator app, or one of your recovery codes. Who has lost both asks an admin of the platform. See [A second factor](../operations.md#a-second-factor).",
  FORBIDDEN:
    "Ask an admin for the role. [The HTTP interface](../api.md) says who may call each route. A token may also lack a scope.",
  CONFLICT: "Load the page or read the object again, and decide on what it says now.",
  IDEMPOTENCY_CONFLICT:
    "A key stands for one request for ever. To read the first answer, send the first request again; for another question, choose another key.",
  PAYLOAD_TOO_LARGE: "Send less in one request. Tables are uploaded as files, not as JSON.",
  RATE_LIMITED: "Wait for as long as the header `Retry-After` says. See [Rate limits](../operations.md#rate-limits).",
  NOT_READY:
    "Try again shortly, with the same idempotency key: a charge is never made twice. Where it stays, the operator reads the server's log.",
  ENGINE_FAILED:
    "Send the same request again with the same key: it is charged once. Where it stays, the operator reads the server's log.",
  CONFIRMATION_NEEDED:
    "Nothing was charged. Of an agent, the person for whom it acts confirms or refuses it on their page *Settings*; of a charge for a program outside, an admin of the dataset approves the same one. Then send the same request with the same key again.",
  ANSWER_LOST: "The charge stands. Ask again under a new key, which is a new charge.",
  EXACT_VALUE_LEAK: "Nothing left the server. It is a defect of Dosimeter: report it, with the plan.",
  ALREADY_RUNNING:
    "One process works on a data folder at a time. The error names the server that has it: use that one, or stop it first.",
  TOO_MUCH_WORK:
    "Ask less at once: group equal events in one `repeated`, ask for fewer points of a curve, or total the list by another method than `pld`. Nothing was charged, and other questions are answered all the same. See [The accountant](../accounting.md#how-long-a-question-may-take).",
  INTERNAL:
    "It is a defect of Dosimeter: report it, with the id in `request`, under which the server's log has the details; the answer has none on purpose.",
} as const satisfies Record<ErrorCode, string>;

const codes = Object.keys(errorCodes) as ErrorCode[];

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const explained = (
  code: ErrorCode,
): string => `**What it means.** ${sentence(errorCodes[code])} Over HTTP the status is ${statusOf[code]}.

**What to do.** ${whatToDo[code]}
`;

/** Every code on one page: what `docs/errors.md` has a place for. */
export const errorList = (): string =>
  codes.map((code) => `## ${code}\n\n${explained(code).replaceAll("](../", "](")}`).join("\n");

export const errorPages = (): readonly (readonly [id: string, text: string])[] =>
  codes.map((code) => [`errors/${code}`, `# ${code}\n\n${explained(code)}\n[All errors](../errors.md)\n`]);
