import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import type { AstroIntegration } from "astro";
import { type PassageIndex, wordsIn } from "../web/src/help/passages.ts";

/** The words in which the front page asks what a page answers, or what stands under one of its headings. */
export const questionsOf = (front: string) =>
  [...front.matchAll(/\[([^\]]+)\]\(([^)#\s]+)\.md(?:#([^)]+))?\)/g)].map(([, words = "", page = "", anchor]) => ({
    words,
    page,
    anchor,
  }));

const folder = resolve(import.meta.dirname, "../../docs");

/** The anchor that the book and code hosts give a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

const plain = (markdown: string): string =>
  markdown
    .replaceAll(/<!--[^>]*-->|^[|>].*$/gm, " ")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[*`]|^[-\d.]+ /gm, "")
    .replaceAll(/\s+/g, " ")
    .trim();

const MAX_SAYS = 160;

const searchWords = (markdown: string): string =>
  [...markdown.matchAll(/^<!-- search: (.+) -->$/gm)].map(([, words]) => words).join(" ");

/** The parts of a page: what stands under its title, and under each heading. `questions` lead to them. */
function partsOf(id: string, text: string, questions: ReturnType<typeof questionsOf>) {
  const [first = "", ...rest] = text.replaceAll(/^```[\s\S]*?^```$/gm, "").split(/^(?=#{2,3} )/m);
  const page = /^# (.+)$/m.exec(first)?.[1] ?? id;
  return [first, ...rest].map((part, at) => {
    const title = plain(/^#+ (.+)$/m.exec(part)?.[1] ?? "");
    const anchor = at === 0 ? undefined : anchorOf(title);
    const asked = questions.filter((one) => one.page === id && one.anchor === anchor).map(({ words }) => words);
    const body = part.replace(/^#+ .+$/m, "");
    const [says = ""] = /^.{40,}?[.!?](?= |$)/.exec(plain(body)) ?? [plain(body)];
    return {
      passage: {
        place: `${id}.html${anchor === undefined ? "" : `#${anchor}`}`,
        title,
        says: says.length > MAX_SAYS ? says.slice(0, MAX_SAYS).replace(/\S*$/, "…") : says,
      },
      counts: countsOf(body.replaceAll(/<!--[^>]*-->|\]\([^)]*\)/g, " "), [
        [title, SHORT_TITLE / (2 + wordsIn(title).length)],
        [[searchWords(body), ...asked].join(" "), 6],
        [at === 0 ? "" : `${page} ${searchWords(first)}`, 2],
      ]),
    };
  });
}

/** What counts as often as words of the body that stand there this number of times: the fewer words a title has, the more each says. */
const SHORT_TITLE = 30;
/** Words of a body from which on each counts less, and the count at which a word weighs half of what it can. */
const LONG = 80;
const HALF = 3;

/** How often words stand in a part: in its body, and in texts that count more. */
function countsOf(body: string, texts: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (words: Iterable<string>, count: number): void => {
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + count);
  };
  const words = wordsIn(body);
  add(words, Math.min(1, LONG / words.length));
  for (const [text, count] of texts) add(new Set(wordsIn(text)), count);
  return counts;
}

/** What Ctrl K finds in the documents: BM25 over the parts of every page, worked out before anyone asks. */
export function passageIndex(): PassageIndex {
  const textOf = (id: string): string => readFileSync(join(folder, `${id}.md`), "utf8");
  const ids = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => file.slice(0, -".md".length).split(sep).join("/"))
    .toSorted();
  const questions = questionsOf(textOf("index"));
  const parts = ids.filter((id) => id !== "index").flatMap((id) => partsOf(id, textOf(id), questions));
  const words: Record<string, number[]> = Object.create(null);
  for (const word of new Set(parts.flatMap(({ counts }) => [...counts.keys()]))) {
    const there = parts.flatMap(({ counts }, at) => (counts.has(word) ? [[at, counts.get(word) ?? 0] as const] : []));
    const rarity = Math.log(1 + parts.length / there.length);
    words[word] = there.flatMap(([at, count]) => [at, Math.round((100 * rarity * count) / (count + HALF))]);
  }
  return { passages: parts.map(({ passage }) => passage), words };
}

export const passages: AstroIntegration = {
  name: "passages",
  hooks: {
    "astro:build:done": ({ dir }) => writeFileSync(new URL("passages.json", dir), JSON.stringify(passageIndex())),
  },
};
