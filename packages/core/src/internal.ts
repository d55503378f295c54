/** Numerical tools and samplers that the packages of this repository share. They may change in any release: users import the root. */
export { binomialDelta } from "./accounting/optimal.ts";
export { decimalAtLeast } from "./accounting/rounding.ts";
export { NO_DELTA, NO_EPSILON, NO_MU2 } from "./amounts/amount.ts";
export { atLeastZero, least, minus, plus } from "./amounts/arithmetic.ts";
export { divide, floorDivide, multiply } from "./amounts/rational.ts";
export { type NumberWish, plainNumber, type TypedNumber, typedNumber, wishText } from "./amounts/typed-number.ts";
export { countText } from "./count-words.ts";
export { csvField } from "./csv-field.ts";
export { canonicalJson, type Fields, isRecord, type Present, present } from "./json.ts";
export { gaussianPmf, gaussianSampler } from "./noise/gaussian.ts";
export { laplacePmf, laplaceSampler } from "./noise/laplace.ts";
export { below } from "./noise/random.ts";
export { permuteAndFlip, type Run } from "./noise/select.ts";
export { fourierPlan, inverse, transform } from "./numeric/fft.ts";
export { integrateInPanels } from "./numeric/quadrature.ts";
export { bisect, fallingRoot, halved, largestWhole, leastIndex, leastWhole } from "./numeric/root.ts";
export {
  logNormalCdf,
  normalCdf,
  normalQuantile,
  normalQuantileUpper,
} from "./numeric/special.ts";
export { isPrintable, printableText } from "./printable.ts";
export { columnsIn, readTable, recordsOf, SeparatedMachine, Step, separatorOf, type TextRecord } from "./separated.ts";
export { isThisMachine } from "./this-machine.ts";
export { visible } from "./visible.ts";
