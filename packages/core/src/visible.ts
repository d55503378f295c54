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
