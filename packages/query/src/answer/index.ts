export { addNoise, noiseSteps, rereadCells } from "./add-noise.ts";
export type { Answer } from "./answer.ts";
export { spareDraws } from "./draw.ts";
export { missingShares } from "./missing-share.ts";
export { notesOf, statedNotes, undeclaredNotes } from "./notes.ts";
export { quantileOfCdf } from "./quantile-of-cdf.ts";
export {
  type AnswerWords,
  answerCalendar,
  answerRange,
  answersToShow,
  answerUnit,
  errorUnit,
  planColumns,
  planTable,
  planTitle,
  planWords,
} from "./title.ts";
export { typedValues } from "./typed-values.ts";
