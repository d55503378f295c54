export { entries, type Fields, list, nameTwice, oneOf, own, record, text } from "./check.ts";
export { readNumberSpelling } from "./number-spelling.ts";
