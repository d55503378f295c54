import type { Account } from "@dosimeter/client";
import { epsilonAmount, epsilonFromUnits, formatEpsilon } from "@dosimeter/core";
import type { IcicleCell, IcicleNode, IcicleSpec } from "@dosimeter/plot";

/** Two accounts next to each other below the same one, both mine to change: their boundary can be moved. */
export interface Boundary {
  readonly left: Account;
  readonly right: Account;
  /** Where it is drawn, in pixels. */
  readonly x: number;
  readonly y: number;
  readonly height: number;
  /** ε of one pixel. */
  readonly scale: number;
}

/** A boundary moved by some ε, in 10⁻¹² units: above zero the account to the left gets it from the one to the right. */
export interface Shift {
  readonly left: Account;
  readonly right: Account;
  readonly units: bigint;
}

const unitsOf = (decimal: string): bigint => epsilonAmount(decimal, "down");
const decimalOf = (units: bigint): string => formatEpsilon(epsilonFromUnits(units));

export function boundariesOf(cells: readonly IcicleCell[], accounts: readonly Account[]): readonly Boundary[] {
  const known = new Map(accounts.map((account) => [account.id, account]));
  const isMovable = ({ mine, status, kind }: Account) => mine.mayManage && status === "active" && kind === "share";
  return cells.flatMap((cell, index): readonly Boundary[] => {
    const left = known.get(cell.id);
    const next = cells.find(
      (other, at) => at > index && other.depth === cell.depth && known.get(other.id)?.parent === left?.parent,
    );
    const right = known.get(next?.id ?? "");
    if (left === undefined || right === undefined || !isMovable(left) || !isMovable(right)) return [];
    const scale = Number(left.quota.epsilon) / cell.width;
    const x = cell.x + cell.width;
    return Number.isFinite(scale) && scale > 0 ? [{ left, right, x, y: cell.y, height: cell.height, scale }] : [];
  });
}

/** The step of an arrow key: the power of ten of which the two have ten to a hundred. */
export function stepOf({ left, right }: Pick<Shift, "left" | "right">): bigint {
  const sum = unitsOf(left.quota.epsilon) + unitsOf(right.quota.epsilon);
  return 10n ** BigInt(Math.max(0, String(sum).length - 2));
}

/** The nearest shift that both can pay for out of what is free. */
export function shiftBy({ left, right }: Pick<Shift, "left" | "right">, units: bigint): Shift {
  const [least, most] = limitsOf({ left, right });
  return { left, right, units: units < least ? least : units > most ? most : units };
}

export const limitsOf = ({ left, right }: Pick<Shift, "left" | "right">): readonly [least: bigint, most: bigint] => [
  -unitsOf(left.free.epsilon),
  unitsOf(right.free.epsilon),
];

/** ε of both after the shift, exact. */
export const after = ({ left, right, units }: Shift): { readonly left: string; readonly right: string } => ({
  left: decimalOf(unitsOf(left.quota.epsilon) + units),
  right: decimalOf(unitsOf(right.quota.epsilon) - units),
});

/** The transfer that makes the shift true; null where nothing moves. */
export function transferOf({ left, right, units }: Shift): {
  readonly from: Account;
  readonly to: Account;
  readonly epsilon: string;
} | null {
  if (units === 0n) return null;
  return units > 0n
    ? { from: right, to: left, epsilon: decimalOf(units) }
    : { from: left, to: right, epsilon: decimalOf(-units) };
}

/** The picture as it would be. Amounts in μ² follow ε in proportion, which is near enough to draw. */
export function shifted(spec: IcicleSpec, shift: Shift | null): IcicleSpec {
  if (shift === null || shift.units === 0n) return spec;
  const change = (node: IcicleNode): IcicleNode => {
    const isLeft = node.id === shift.left.id;
    if (!isLeft && node.id !== shift.right.id) return { ...node, children: node.children.map(change) };
    const before = Number((isLeft ? shift.left : shift.right).quota.epsilon);
    const moved = (Number(node.total) * (Number(after(shift)[isLeft ? "left" : "right"]) - before)) / before;
    const plus = (amount: string) => Math.max(0, Number(amount) + moved).toFixed(12);
    return { ...node, total: plus(node.total), free: plus(node.free) };
  };
  return { ...spec, root: change(spec.root) };
}
