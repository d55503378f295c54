import { type BrokenInvariantListener, onBrokenInvariant } from "./invariants.ts";

const broken: string[] = [];
export const hear: BrokenInvariantListener = (invariant) => broken.push(invariant);

/** Tests also load this module by itself, and the package from its own files. */
onBrokenInvariant(hear);

/** The invariants that broke in this test so far: a test that expects one takes it here, every other one fails of it. */
export const brokenHere = (): readonly string[] => broken.splice(0);
