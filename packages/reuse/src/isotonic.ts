/**
 * The non-decreasing sequence nearest to `values` in squares: neighbours in falling order are averaged (Ayer
 * et al. 1955).
 */
export function rising(values: readonly number[]): readonly number[] {
  const blocks: { value: number; size: number }[] = [];
  for (const value of values) {
    let block = { value, size: 1 };
    for (let last = blocks.at(-1); last !== undefined && last.value > block.value; last = blocks.at(-1)) {
      blocks.pop();
      const size = last.size + block.size;
      block = { value: (last.value * last.size + block.value * block.size) / size, size };
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ value, size }) => new Array<number>(size).fill(value));
}
