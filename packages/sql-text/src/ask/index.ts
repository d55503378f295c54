export { askText, roughText, sameRow } from "./ask-text.ts";
export { type Chip, type Choices, chipsOf, choicesOf, withChip } from "./chips.ts";
export { type Completion, complete } from "./complete.ts";
export type { Missed } from "./condition.ts";
export { mayAsk, type RowPart } from "./plainest.ts";
export { looksAsked, replaced, type Understood, understand } from "./understand.ts";
