import { askable, type Comparison, MAX_PHRASE, type Meaning, type Vocabulary } from "./vocabulary.ts";
import type { Word } from "./words.ts";

export type Is = Meaning["is"];
type As<K extends Is> = Extract<Meaning, { readonly is: K }>;

/** The longest phrase that may stand here, and the piece after it. */
export interface Found<K extends Is = Is> {
  readonly meaning: As<K>;
  /** Others of the same words and kind. */
  readonly others: readonly As<K>[];
  readonly to: number;
}

/** The pieces of one sentence. */
export interface Reader {
  readonly text: string;
  readonly words: readonly Word[];
  readonly vocabulary: Vocabulary;
  readonly word: (at: number) => Word | undefined;
  readonly look: <K extends Is>(at: number, kinds: readonly K[], fits?: (meaning: As<K>) => boolean) => Found<K> | null;
  /** Past words that say nothing. */
  readonly skip: (at: number) => number;
}

const SYMBOLS: Readonly<Record<string, Meaning>> = {
  "=": { is: "compare", op: "=" },
  "==": { is: "compare", op: "=" },
  "!=": { is: "compare", op: "!=" },
  "<>": { is: "compare", op: "!=" },
  "≠": { is: "compare", op: "!=" },
  "<": { is: "compare", op: "<" },
  "<=": { is: "compare", op: "<=" },
  "=<": { is: "compare", op: "<=" },
  "≤": { is: "compare", op: "<=" },
  ">": { is: "compare", op: ">" },
  ">=": { is: "compare", op: ">=" },
  "=>": { is: "compare", op: ">=" },
  "≥": { is: "compare", op: ">=" },
  ",": { is: "and" },
  "&": { is: "and" },
  "×": { is: "and" },
  "–": { is: "to" },
  "-": { is: "to" },
  "+": { is: "more" },
};

/** Symbols that say nothing; any other one, as `!` or `~`, is not understood. */
const SILENT = new Set([...".:?()…'’‘”\"`", "(*)"]);

export function readerOf(text: string, words: readonly Word[], vocabulary: Vocabulary): Reader {
  const { exact, parts, declaration } = vocabulary;
  const columns = new Set(askable(declaration).map(([name]) => name));
  const word = (at: number): Word | undefined => words[at];
  const alone = ({ kind, key }: Word): readonly Meaning[] => {
    if (kind === "name") return columns.has(key) ? [{ is: "column", name: key }] : [];
    if (kind === "symbol")
      return Object.hasOwn(SYMBOLS, key) ? [SYMBOLS[key] as Meaning] : SILENT.has(key) ? [{ is: "filler" }] : [];
    return [];
  };
  const look: Reader["look"] = (at, kinds, fits = () => true) => {
    type K = (typeof kinds)[number];
    const among = (meanings: readonly Meaning[], to: number): Found<K> | null => {
      for (const kind of kinds) {
        const [meaning, ...others] = meanings.filter((each): each is As<K> => each.is === kind && fits(each as As<K>));
        if (meaning !== undefined) return { meaning, others, to };
      }
      return null;
    };
    const first = words[at];
    if (first === undefined) return null;
    if (first.kind === "name" || first.kind === "symbol") return among(alone(first), at + 1);
    const keys: string[] = [];
    for (const each of words.slice(at, at + MAX_PHRASE)) {
      if (each.kind === "name" || each.kind === "symbol" || (each.kind === "text" && keys.length > 0)) break;
      keys.push(each.key);
    }
    for (let length = keys.length; length > 0; length--) {
      const key = first.kind === "text" ? exactKey(first.key) : keys.slice(0, length).join(" ");
      const found = among(exact(key), at + length) ?? among(parts(key), at + length);
      if (found !== null) return found;
    }
    return null;
  };
  const skip = (at: number): number => {
    let next = at;
    for (let found = look(next, ["filler"]); found !== null; found = look(next, ["filler"])) next = found.to;
    return next;
  };
  return { text, words, vocabulary, word, look, skip };
}

const exactKey = (quoted: string): string => quoted.toLowerCase();

export const OPPOSITE: Readonly<Record<Exclude<Comparison, "between">, Comparison>> = {
  "=": "!=",
  "!=": "=",
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
};
