export { boundPlan, boundSteps } from "./bound-plan.ts";
export { REQUEST_KEYS } from "./bound-row.ts";
export { foundBytesOf, foundCellsOf, plannedIntegers, releasedIntegers, workOf } from "./limits.ts";
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
