/**
 * Letters that must change to make one text of the other, neighbours that change places counted once; above `most` it is `most` + 1. The work
 * grows with the length times `most`: places further apart than that are not looked at.
 */
export function distance(a: string, b: string, most: number): number {
  const over = most + 1;
  if (Math.abs(a.length - b.length) > most) return over;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  let row: number[] = [];
  for (let i = 1; i <= a.length; i++) {
    const [from, to] = [Math.max(1, i - most), Math.min(b.length, i + most)];
    row[from - 1] = from === 1 ? i : over;
    let least = row[from - 1] ?? over;
    for (let j = from; j <= to; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const changed = (last[j - 1] ?? 0) + (isSame ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : changed;
      const here = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed, swapped);
      row[j] = here;
      if (here < least) least = here;
    }
    if (to < b.length) row[to + 1] = over;
    if (least > most) return over;
    [before, last, row] = [last, row, before];
  }
  return Math.min(last[b.length] ?? 0, over);
}

/** How many letters of a word of that length may be wrong. */
export const mostWrong = (letters: number): number => (letters < 4 ? 1 : letters < 8 ? 2 : 3);

/** Names of a list that are compared, and the letters of the longest word that is. */
const MAX_NAMES = 5000;
const MAX_LETTERS = 100;

/** The one of `names` that a word was probably meant to be, null where none is near. `said` has other words for some. */
export function meantBy(
  got: unknown,
  names: readonly string[],
  said: Readonly<Record<string, readonly string[]>> = {},
): string | null {
  const key = typeof got === "string" ? got.trim().toLowerCase() : "";
  if (key === "" || key.length > MAX_LETTERS) return null;
  const most = Math.min(mostWrong(key.length), key.length - 1);
  const ways = names.slice(0, MAX_NAMES).flatMap((name) => [name, ...(said[name] ?? [])].map((way) => ({ name, way })));
  let best: { readonly name: string; readonly away: number } | null = null;
  for (const { name, way } of ways) {
    const lower = way.toLowerCase();
    const isBegun = key.length > 2 && lower.startsWith(key);
    const away = lower === key ? 0 : isBegun ? 0.5 : distance(key, lower, most);
    if (away <= most && away < (best?.away ?? Infinity)) best = { name, away };
  }
  return best?.name ?? null;
}

type Names = Parameters<typeof meantBy>;

/** ` (did you mean income?)` behind a refusal, or nothing. */
export function meantText(...of: Names): string {
  const meant = meantBy(...of);
  return meant === null ? "" : ` (did you mean ${meant}?)`;
}

const MAX_LISTED = 50;

/** What a name must be: one of these, of which the first 50 are listed, and the one that was probably meant. */
export const choiceOf = (...of: Names): string => `one of ${of[1].slice(0, MAX_LISTED).join(", ")}${meantText(...of)}`;
