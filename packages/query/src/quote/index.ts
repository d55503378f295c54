export { errorText } from "@dosimeter/core/internal";
export { type BestBounds, bestBounds, boundsText } from "./best-bounds.ts";
export {
  type Bias,
  biasMost,
  biasOf,
  biasText,
  cutsRows,
  isBiased,
  type Known,
  type Tails,
  usesTails,
} from "./bias.ts";
export { accuracy, type CalculusRequest, epsilonFor } from "./calculus.ts";
export { deltaWarning } from "./delta-warning.ts";
export { type Computation, compute, getAccuracy, getParameter } from "./psi-calculus.ts";
export {
  eventsOf,
  leastUnits,
  lostText,
  type QuotedStatistic,
  quotePlan,
  quoteStatistic,
  type Remedy,
  rowsFor,
} from "./quote.ts";
export { type Scale, scaleOf } from "./usefulness.ts";
