import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const file = join(resolve(import.meta.dirname, "../.."), "docs/math.md");
const CLAIM = /^### ((M\d+) · .+)\n/gm;

interface Chapter {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

const [front = "", ...parts] = readFileSync(file, "utf8").split(/^## /m);

/** `docs/math.md` is one file to search and to review, and a page for each of its chapters in the book. */
export const mathChapters: readonly Chapter[] = parts.map((part) => {
  const [title = ""] = part.split("\n", 1);
  return { id: `math/${title.toLowerCase().replaceAll(/\W+/g, "-")}`, title, text: part.slice(title.length) };
});

const placed = new Map(
  mathChapters.flatMap(({ id, text }) =>
    claimsOf(text).map(({ claim }) => [claim, `${id}.html#${claim.toLowerCase()}`] as const),
  ),
);

/** Where in the book the claim stands whose number the words begin with. */
export const placeOf = (words: string): string | undefined => placed.get(/^m\d+/i.exec(words)?.[0].toUpperCase() ?? "");

/** The front of the chapters, which lists every claim, and the chapters: each page's id and text. */
export function mathPages(): readonly (readonly [id: string, text: string])[] {
  const lists = mathChapters.map(({ title, text }) => {
    const claims = claimsOf(text).map(({ heading }) => `* ${heading}`);
    return `## ${title}\n\n${claims.join("\n")}\n`;
  });
  const pages = mathChapters.map(({ id, title, text }) => {
    const marked = text
      .replaceAll(CLAIM, (_, heading, claim) => `<div id="${claim.toLowerCase()}"></div>\n\n## ${heading}\n`)
      // Each part of a claim is a paragraph: what is assumed, the proof, the code.
      .replaceAll(/\n(?=\*\*)/g, "\n\n");
    // A word of a claim is rarely what is asked for: search names other pages first.
    const weighed = `<div data-pagefind-weight="0.3">\n${marked}\n</div>\n`;
    return [id, `# ${title}: claims\n\n[Notation, and all claims](../math.md)\n\n${weighed}`] as const;
  });
  return [["math", `${front}${lists.join("\n")}`], ...pages];
}

function claimsOf(text: string): readonly { readonly claim: string; readonly heading: string }[] {
  return [...text.matchAll(CLAIM)].map(([, heading = "", claim = ""]) => ({ claim, heading }));
}
