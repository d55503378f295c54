import { isMore } from "../charts.ts";

/** Whether a text is an exact decimal above 0, as an amount of ε must be. */
export const isAmount = (text: string): boolean =>
  /^\d*\.?\d+(e[-+]?\d+)?$/i.test(text.trim()) && isMore(text.trim(), "0");
