/** The cells of an answer group by group, `size` each. */
export const byGroup = <T>(cells: readonly T[], size: number): readonly (readonly T[])[] =>
  size === 0 ? [] : Array.from({ length: cells.length / size }, (_, at) => cells.slice(at * size, (at + 1) * size));
