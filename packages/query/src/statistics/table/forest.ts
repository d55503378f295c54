/** Columns joined by pairs, without a circle. */
export class Forest {
  readonly #root: number[];
  size = 0;

  constructor(columns: number) {
    this.#root = Array.from({ length: columns }, (_, at) => at);
  }

  isApart([a, b]: readonly [number, number]): boolean {
    return this.#root[a] !== this.#root[b];
  }

  /** Joins the columns of a pair; false where they were joined already. */
  join(pair: readonly [number, number]): boolean {
    if (!this.isApart(pair)) return false;
    const [a, b] = pair;
    const [from, to] = [this.#root[b], this.#root[a] ?? 0];
    this.#root.forEach((root, at) => {
      if (root === from) this.#root[at] = to;
    });
    this.size += 1;
    return true;
  }
}
