import { readFileSync } from "node:fs";
import { expect } from "vitest";

/** Reference values of the R package `fdp` and of mpmath; provenance is inside each file. */
export function golden<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../../test/golden/${name}`, import.meta.url), "utf8")) as T;
}

export const real = (value: number | string): number => Number(value);

/** Relative agreement; tails beyond 1e-12 of an end get ten times the room. */
export function expectClose(got: number, exact: number, tolerance = 1e-13): void {
  const isTail = Math.min(Math.abs(exact), Math.abs(1 - exact)) < 1e-12;
  const room = (isTail ? Math.max(tolerance, 1e-12) : tolerance) * Math.abs(exact) + 1e-320;
  expect(Math.abs(got - exact), `${got} is not ${exact}`).toBeLessThanOrEqual(room);
}
