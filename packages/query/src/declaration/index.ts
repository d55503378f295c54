export { isByCohort, reachingTo } from "./blocks.ts";
export { checkDeclaration, MAX_COLUMNS } from "./check-declaration.ts";
export { MAX_LETTERS } from "./code.ts";
export { boundNumber, declarationJson, isTimestamp, unitOfDates } from "./dates.ts";
export { codeFrom, factorOf, isScaled, MAX_DIGITS, scaleOfStep, textOfCode } from "./decimals.ts";
export type { Column, ColumnType, Declaration, Joinable, Joined, Provenance, UnitNoun } from "./declaration.ts";
export { ATOM, type Formula, formulaText, INFIX, OPERATIONS, type Operation } from "./formula.ts";
export { holds } from "./holds.ts";
export { breaches } from "./impossible.ts";
export type { Join, JoinedColumn, JoinRequest, TakeName, Taken } from "./join-type.ts";
export type { Key } from "./key.ts";
export { type Layout, MONTHS } from "./layout.ts";
export { markersOfNumbers, missingWords } from "./missing.ts";
export { MAX_KEY_LENGTH, mostRowsOf } from "./most.ts";
export { noOneText } from "./no-one.ts";
export {
  checkPredicate,
  inCodes,
  inPeriods,
  isOrdered,
  type Predicate,
  predicateColumns,
  predicateText,
} from "./predicate.ts";
export { parsePredicate, readPredicate } from "./predicate-text.ts";
export { readBooleanSpelling } from "./spelling.ts";
export { readTokens, type Token, type TokenReader, tokenPattern } from "./token.ts";
export { inNoun, spokenColumn, unitNounOf } from "./words.ts";
