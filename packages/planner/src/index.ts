export { accountantChoices, accountantNames, accountants } from "./budget.ts";
export { type AccountantOutcome, compareAccountants } from "./compare.ts";
export { comparePlans, type RowChange } from "./diff.ts";
export {
  type Allocation,
  type Edit,
  emptyDraft,
  type PlanDraft,
  type PlanRow,
  planOf,
  type RowMode,
  requestWith,
} from "./draft.ts";
export { editPlan } from "./edit.ts";
export { firstDelta } from "./first-delta.ts";
export { usefulFrom } from "./first-price.ts";
export { leftBelow } from "./follow.ts";
export { type Fitness, gradeOf, referenceOf, yardstickOf } from "./grade.ts";
export { type Headroom, headroomOf } from "./headroom.ts";
export { helpsFor } from "./helps.ts";
export { committed, type History, openHistory, redone, undone } from "./history.ts";
export { type LeastTotal, leastTotal } from "./least.ts";
export { limitOf } from "./limits.ts";
export { type GivenRow, openRows } from "./open.ts";
export { clippingCurve, clippingOf, type Guess, noiseSpread } from "./practice/clipping.ts";
export { type Practice, practise } from "./practice/practice.ts";
export { practiceRandom } from "./practice/practice-data.ts";
export {
  blocksOfDraft,
  boundedRow,
  errorAt,
  peopleOf,
  readableUnits,
  tableErrorsOf,
  unitsFor,
  wholeDeclaration,
} from "./price.ts";
export { pricedPlan } from "./priced-plan.ts";
export { profileDraft, profileOf } from "./profile.ts";
export { psiShares } from "./psi.ts";
export { needsReason } from "./sample.ts";
export { openPlan, savedPlan } from "./saved-plan.ts";
export { requestOfTexts, type Setting, type SettingTexts, settings, settingsFor, textsOfRequest } from "./settings.ts";
export { openTyped, typedPlan } from "./typed-plan.ts";
export { availableFor, type WayOut, waysOut } from "./ways-out.ts";
