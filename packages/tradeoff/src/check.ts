import { invalid } from "@dosimeter/core";

export function checkRate(value: number, name: string): number {
  return typeof value === "number" && value >= 0 && value <= 1 ? value : invalid(name, value, "a number in [0, 1]");
}

export function checkNumber(value: number, name: string): number {
  return typeof value === "number" && !Number.isNaN(value) ? value : invalid(name, value, "a number");
}

/** A parameter in [0, ∞]. */
export function checkNonNegative(value: number, name: string): number {
  return typeof value === "number" && value >= 0 ? value : invalid(name, value, "a number >= 0");
}

/** A parameter in [0, ∞). */
export function checkFinite(value: number, name: string): number {
  return typeof value === "number" && value >= 0 && Number.isFinite(value)
    ? value
    : invalid(name, value, "a finite number >= 0");
}

export function checkCount(value: number, name: string): number {
  return Number.isSafeInteger(value) && value >= 1 ? value : invalid(name, value, "an integer >= 1");
}
