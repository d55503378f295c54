import type { CalcFunction } from "./function.ts";

/** `tradeoff.*`: trade-off functions and their readings. */
export const tradeoffFunctions: readonly CalcFunction[] = [];
