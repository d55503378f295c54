/** λ = order − 1 of the grid: dense at the orders that suit a few large spends, sparse beyond [M36]. */
export const orderGrid: readonly number[] = [
  ...Array.from({ length: 60 }, (_, i) => 0.02 * 1.12 ** i),
  ...Array.from({ length: 60 }, (_, i) => 18 * 1.1 ** i),
  ...Array.from({ length: 40 }, (_, i) => 5000 * 1.6 ** i),
];

/** The orders 1 + λ of the odometer and their equal weights, fixed before any answer [M51]. */
export const odometerGrid: readonly number[] = Array.from({ length: 28 }, (_, i) => 0.05 * 1.45 ** i);
