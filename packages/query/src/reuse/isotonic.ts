/**
 * The non-decreasing sequence nearest to `values` in weighted squares: neighbours in falling order are averaged (Ayer
 * et al. 1955).
 */
export function rising(values: readonly number[], weights?: readonly number[]): readonly number[] {
  const blocks: { value: number; weight: number; size: number }[] = [];
  values.forEach((value, index) => {
    let block = { value, weight: weights?.[index] ?? 1, size: 1 };
    for (let last = blocks.at(-1); last !== undefined && last.value > block.value; last = blocks.at(-1)) {
      blocks.pop();
      const weight = last.weight + block.weight;
      block = {
        value: (last.value * last.weight + block.value * block.weight) / weight,
        weight,
        size: last.size + block.size,
      };
    }
    blocks.push(block);
  });
  return blocks.flatMap(({ value, size }) => new Array<number>(size).fill(value));
}
