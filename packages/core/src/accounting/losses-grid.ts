import type { Atom } from "./piece.ts";
import { CompensatedSum } from "./profile.ts";

/** Relative room for the roundings of masses that were made by long recurrences; it is moved upwards, so that it only adds loss. */
const ROOM = 2e-11;

/**
 * Gathers P-masses at any losses in [−most, most] on equally spaced ones by connect-the-dots [M46], which keeps P- and Q-masses. What was
 * not placed goes to `most`, which no loss exceeds.
 */
export function gathered(
  { most, reach, points }: { readonly most: number; readonly reach: number; readonly points: number },
  place: (add: (loss: number, mass: number) => void) => void,
): readonly Atom[] {
  const half = Math.max(1, Math.round(points / 2));
  const step = Math.min(most, reach) / half;
  const whole = Math.expm1(-step);
  const mass = new Float64Array(2 * half + 1);
  const placed = new CompensatedSum();
  let beyond = 0;
  place((loss, weight) => {
    placed.add(weight);
    const j = Math.floor(loss / step);
    if (j >= half) {
      beyond += weight;
      return;
    }
    const at = Math.max(-half, j) + half;
    const share = j < -half ? 0 : Math.min(1, Math.expm1(Math.min(0, j * step - loss)) / whole + 8e-16 / -whole);
    mass[at] = (mass[at] as number) + weight * (1 - share);
    mass[at + 1] = (mass[at + 1] as number) + weight * share;
  });
  const scale = placed.value > 1 ? 1 / placed.value : 1;
  const top = beyond * scale + Math.max(0, 1 - placed.value);
  const all = Array.from(mass, (weight, i) => ({ loss: (i - half) * step, mass: weight * scale }));
  return lifted([...all, { loss: most, mass: top }]);
}

/** Atoms by rising loss, those above 0 by `ROOM` heavier, which is taken from the least: more loss at every ε. */
export function lifted(atoms: readonly Atom[]): readonly Atom[] {
  let owed = ROOM * atoms.reduce((sum, { loss, mass }) => (loss > 0 ? sum + mass : sum), 0);
  return atoms.map(({ loss, mass }) => {
    if (loss > 0) return { loss, mass: mass * (1 + ROOM) };
    const paid = Math.min(owed, mass);
    owed -= paid;
    return { loss, mass: mass - paid };
  });
}

/** Masses by `ROOM` lighter; that and what is missing goes to the least loss: less loss at every ε. */
export function lowered(atoms: readonly Atom[], least: number): readonly Atom[] {
  const sum = new CompensatedSum();
  for (const { mass } of atoms) sum.add(mass);
  const scale = (1 - ROOM) / Math.max(1, sum.value);
  const kept = atoms.map(({ loss, mass }) => ({ loss, mass: mass * scale }));
  return [...kept, { loss: least, mass: Math.max(0, 1 - sum.value * scale) }];
}
