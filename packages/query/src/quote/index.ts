export { accuracy, type CalculusRequest, epsilonFor } from "./calculus.ts";
export { deltaWarning } from "./delta-warning.ts";
export { type Computation, compute, getAccuracy, getParameter } from "./psi-calculus.ts";
export { eventsOf, leastUnits, type QuotedStatistic, quotePlan, quoteStatistic, type Remedy } from "./quote.ts";
export { uselessFrom } from "./usefulness.ts";
export { errorText } from "./words.ts";
