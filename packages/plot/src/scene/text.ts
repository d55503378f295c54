/** The system's own face; any of these has tabular figures or digits of one width. */
export const FONT_FAMILY =
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', Arial, sans-serif";

/** Widths in em of the widest common system faces, so that what is measured here never clips there. */
function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x1100 && !(code >= 0x2000 && code < 0x2e80)) return 1.05;
  if (/[ilj.,:;'|!]/.test(character)) return 0.34;
  if (/[ftr()[\]{}/\\\-" ]/.test(character)) return 0.42;
  if (/[mwMW@%—…]/.test(character)) return 0.98;
  if (/[A-Z]/.test(character)) return 0.74;
  if (/[0-9]/.test(character)) return 0.62;
  return 0.62;
}

/** An upper bound in pixels for a line of text at `size` pixels. */
export function textWidth(text: string, size: number): number {
  let em = 0;
  for (const character of text) em += characterWidth(character);
  return em * size;
}

/** `text` cut to fit `width`, ending in "…" where it was cut. */
export function fitText(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  const characters = [...text];
  while (characters.length > 1 && textWidth(`${characters.join("")}…`, size) > width) characters.pop();
  return `${characters.join("").trimEnd()}…`;
}

/** `text` in lines of at most `width`, broken at its spaces, and inside a word that is wider: nothing is cut. */
export function wrapText(text: string, size: number, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (textWidth(longer, size) <= width) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    line = "";
    for (const character of word) {
      if (line !== "" && textWidth(line + character, size) > width) {
        lines.push(line);
        line = "";
      }
      line += character;
    }
  }
  return line === "" ? lines : [...lines, line];
}

/** The beginning of a sentence. A Greek letter is a symbol and stays: Ε is no ε. */
export const capital = (text: string): string => text.replace(/^\P{Script=Greek}/u, (first) => first.toUpperCase());
