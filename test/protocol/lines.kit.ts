/** The ledger of the model, as its lines say it; an amount is a whole number, and each draw costs 1. */
export interface Folded {
  /** The key of each charge. */
  readonly charges: ReadonlyMap<string, string>;
  /** What was stored for a charge: a draw, as `a1` for the first of charge a. */
  readonly released: ReadonlyMap<string, string>;
  /** Charges whose answers may have been given in a state that is gone. */
  readonly lost: ReadonlySet<string>;
  readonly spent: number;
  readonly writtenOff: number;
  readonly isOpen: boolean;
  /** Known to be missing, while it is frozen. */
  readonly missing: number;
  /** How much the first person asked to write off since it was frozen. */
  readonly asks: readonly string[];
  /** Copies of the database that some server has compared. */
  readonly noticed: ReadonlySet<string>;
}

/** A line is a letter and its operands: [C]harge, [U]se of an answer, [R]elease, [F]reeze, [N]oticed copy, [A]sk, [W]rite off. */
export const linesOf = (text: string): readonly string[] => text.split(" ").slice(0, -1);

const known = new Map<string, Folded>();

export function folded(text: string): Folded {
  let found = known.get(text);
  if (found === undefined) {
    found = fold(linesOf(text));
    known.set(text, found);
  }
  return found;
}

function fold(lines: readonly string[]): Folded {
  const [charges, released] = [new Map<string, string>(), new Map<string, string>()];
  const [lost, noticed] = [new Set<string>(), new Set<string>()];
  let [spent, writtenOff, missing, isOpen] = [0, 0, 0, true];
  let asks: string[] = [];
  for (const [kind = "", one = "", ...rest] of lines) {
    const of = rest.join("");
    if (kind === "C" || kind === "U") charges.set(one, of);
    if (kind === "C") spent += 1;
    if (kind === "R") released.set(one, of);
    if (kind === "N") noticed.add(one);
    if (kind === "A") asks.push(one);
    if (kind === "L") lost.add(one);
    if (kind === "F") [isOpen, missing, asks] = [false, isOpen ? Number(one) : Math.max(missing, Number(one)), []];
    if (kind === "W") [spent, writtenOff, missing, isOpen] = [spent + Number(one), writtenOff + Number(one), 0, true];
  }
  return { charges, released, lost, spent, writtenOff, isOpen, missing, asks, noticed };
}

/** Charged, without an answer, and not given up. */
export const pendingIn = ({ charges, released, lost }: Folded): readonly string[] =>
  [...charges.keys()].filter((charge) => !released.has(charge) && !lost.has(charge));
