/** Control characters, unpaired surrogates, and marks that change the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;
const EVERY_UNPRINTABLE = new RegExp(UNPRINTABLE, "gu");

/** Whether every character of a line of text is shown as it is. */
export const isPrintable = (text: string): boolean => !UNPRINTABLE.test(text);

/** A line of text from outside without what is not shown as it is; a control character becomes a space. */
export const printableText = (text: string): string =>
  text.replace(EVERY_UNPRINTABLE, (character) => (/\p{Cc}/u.test(character) ? " " : ""));

/** A text as a field of CSV (RFC 4180). One that a spreadsheet would run as a formula gets a leading apostrophe. */
export function csvField(text: string): string {
  const isFormula = /^[=+@\t\r]/.test(text) || (/^-/.test(text) && Number.isNaN(Number(text)));
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const cases = new Intl.NumberFormat("en", { maximumSignificantDigits: 12 });

/**
 * A confidence as people read it: `in 95 of 100 cases`. The chance of a larger error has three significant digits, rounded up: of 2/3 it
 * is `in 66.6 of 100 cases`.
 */
export function casesText(confidence: number): string {
  const chance = Number((1 - confidence).toFixed(15)); // what a double keeps of it
  const near = Number(chance.toPrecision(3));
  const up = near < chance ? near + 10 ** (Math.floor(Math.log10(chance)) - 2) : near;
  return `in ${cases.format(100 - 100 * up)} of 100 cases`;
}

/** A count with its noun, without grouping of thousands: "1 row", "2000 rows". */
export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Characters that are not seen are written as escapes, so that no text hides another from the person who reads it. */
export const visible = (text: string): string =>
  text.replace(UNSEEN, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );

/** Characters without a glyph of their own, among them fillers and the empty Braille pattern. */
const UNSEEN = /[\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u007f-\u009f]/gu;

/** What a promise says where an owner saw how rows fit before they declared them [M340]. */
export const FITTED =
  "Fitted to the data by its owner: who declared these data was shown which values did not fit. The promise is about answers, given what is declared; what the declaration itself says, such as a category of one person, is not covered.";
