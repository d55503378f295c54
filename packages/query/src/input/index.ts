export { entries, type Fields, list, oneOf, own, record, text } from "./check.ts";
export { nameTwice } from "./name-twice.ts";
export { readNumberSpelling } from "./number-spelling.ts";
