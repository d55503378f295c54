/** What stands under one heading of the documentation. */
export interface Passage {
  /** `do/survey.html#keep-some-for-later`, below `docs/`. */
  readonly place: string;
  readonly title: string;
  /** Its first sentence. */
  readonly says: string;
}

/** What `apps/docs` writes next to the book. */
export interface PassageIndex {
  readonly passages: readonly Passage[];
  /** Of each word where it stands: the number of a passage and its weight there, in turn. */
  readonly words: Readonly<Record<string, readonly number[]>>;
}

const SMALL =
  /^(?:a|an|and|are|at|be|by|can|do|does|for|from|how|i|in|is|it|its|me|my|of|on|or|our|that|the|this|to|use|with|your)$/;

/** Without endings: *releases* and *released* are one word, and so are *plan* and *planning*. */
const stemOf = (word: string): string =>
  word
    .replace(/(?<=...)(?:ings?|ed|ly|e?s|e)$/, "")
    .replace(/(.)\1$/, "$1")
    .replace(/(?<=..)y$/, "i");

export const wordsIn = (text: string): readonly string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !SMALL.test(word)).map(stemOf);

const MAX_FOUND = 5;
/** Of the best score, what others need at least. */
const NEAR = 0.5;
/** Letters from which on the beginning of a word stands for it, and what that weighs. */
const MIN_BEGUN = 3;
const BEGUN = 0.7;

/** The passages that answer a question, the best first; of its last word the beginning counts too. */
export function findPassages({ passages, words }: PassageIndex, text: string): readonly Passage[] {
  const asked = [...new Set(wordsIn(text))];
  const scores = passages.map(() => 0);
  const matched = passages.map(() => 0);
  for (const [at, word] of asked.entries()) {
    const isBegun = at === asked.length - 1 && word.length >= MIN_BEGUN;
    const best = new Map<number, number>();
    for (const [each, there] of Object.entries(words))
      if (each === word || (isBegun && each.startsWith(word)))
        for (let next = 0; next < there.length; next += 2) {
          const [passage = 0, weight = 0] = there.slice(next, next + 2);
          best.set(passage, Math.max(best.get(passage) ?? 0, each === word ? weight : BEGUN * weight));
        }
    for (const [passage, weight] of best) {
      scores[passage] = (scores[passage] ?? 0) + weight;
      matched[passage] = (matched[passage] ?? 0) + 1;
    }
  }
  return passages
    .map((passage, at) => ({
      passage,
      score: ((scores[at] ?? 0) * (matched[at] ?? 0)) / asked.length,
      all: matched[at],
    }))
    .filter(({ score, all = 0 }) => score > 0 && 2 * all >= asked.length)
    .toSorted((one, other) => other.score - one.score)
    .filter(({ score }, _, [best]) => score >= NEAR * (best?.score ?? 0))
    .slice(0, MAX_FOUND)
    .map(({ passage }) => passage);
}
