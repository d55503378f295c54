export { type Append, canonicalOf } from "./canonical.ts";
export { combined, type Picked } from "./combine.ts";
export { consistentSteps, mayAgree } from "./consistent.ts";
export { whyNoRows } from "./derive.ts";
export { type Diagrams, diagramsOf } from "./diagram.ts";
export { type Earlier, earlierOf, type Origin, type Pool, poolOf } from "./earlier.ts";
export { knownOf } from "./known.ts";
export {
  answerOf,
  isAsAccurate,
  type StatisticSpec,
  toppedUp,
  unseen,
  type Way,
  waysTo,
  whyNoTopUp,
  whyNotAtThis,
} from "./offer.ts";
export { questionsFrom } from "./questions.ts";
export { restsOn } from "./rests-on.ts";
export { undeclaredRows } from "./undeclared.ts";
