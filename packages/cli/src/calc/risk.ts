import type { CalcFunction } from "./function.ts";

/** `risk.*`: privacy at risk and compensation. */
export const riskFunctions: readonly CalcFunction[] = [];
