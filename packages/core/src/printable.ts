/** Control characters, unpaired surrogates, and marks that change the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;
const EVERY_UNPRINTABLE = new RegExp(UNPRINTABLE, "gu");

/** Whether every character of a line of text is shown as it is. */
export const isPrintable = (text: string): boolean => !UNPRINTABLE.test(text);

/** A line of text from outside without what is not shown as it is; a control character becomes a space. */
export const printableText = (text: string): string =>
  text.replace(EVERY_UNPRINTABLE, (character) => (/\p{Cc}/u.test(character) ? " " : ""));
