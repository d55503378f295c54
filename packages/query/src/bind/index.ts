export { boundPlan, boundSteps } from "./bound-plan.ts";
export { REQUEST_KEYS } from "./bound-row.ts";
export { type Coefficients, type CostFacts, costOf, heldOf, type Part, partsOf } from "./cost.ts";
export { boundedBytesOf, foundBytesOf, plannedIntegers, releasedIntegers } from "./limits.ts";
export { shortWindow, typedWindow } from "./typed-window.ts";
export {
  blockCalendar,
  blockFrom,
  closeThrough,
  lastDatedBlock,
  lastToClose,
  planOver,
  planOverAll,
  refuseEarlyClosing,
  timesOfBlock,
  withBlock,
} from "./window.ts";
