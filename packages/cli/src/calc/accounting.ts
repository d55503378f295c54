import type { CalcFunction } from "./function.ts";

/** `total.*`, `calibrate`, `sample.functioning`: composition and its inverse. */
export const accountingFunctions: readonly CalcFunction[] = [];
