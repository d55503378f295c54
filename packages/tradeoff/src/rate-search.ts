import { normalCdf } from "@dosimeter/core/internal";

/**
 * The least rate in [0, 1] at which a condition holds, for a condition that then holds at all larger rates; 1 where it
 * never holds. Bisection on the normal scale, which also finds rates near 1e-300.
 */
export function invertingRates(holds: (rate: number) => boolean): number {
  if (holds(0)) return 0;
  if (!holds(1)) return 1;
  let [low, high] = [-38, 8.3];
  if (holds(rateAt(low))) return rateAt(low);
  for (let i = 0; i < 70; i++) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (holds(rateAt(middle))) high = middle;
    else low = middle;
  }
  return rateAt(high);
}

const rateAt = (z: number): number => (z >= 8.3 ? 1 : normalCdf(z));
