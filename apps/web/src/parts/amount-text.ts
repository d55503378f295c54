import { isMore } from "../charts.ts";

const isDecimal = (text: string): boolean => /^\d*\.?\d+(e[-+]?\d+)?$/i.test(text.trim());

const MAX_SHOWN = 24;

/** The error of a text that is no amount: *name is got, must be want*. */
export const amountFault = (text: string): string => {
  const typed = text.trim();
  if (typed === "") return "It is empty, must be a number above 0.";
  return `This is “${typed.length > MAX_SHOWN ? `${typed.slice(0, MAX_SHOWN)}…` : typed}”, must be a number above 0.`;
};

/** Whether a text is an exact decimal above 0, as an amount of ε must be. */
export const isAmount = (text: string): boolean => isDecimal(text) && isMore(text.trim(), "0");

/** Whether a text is a δ: from 0 to below 1. */
export const isDelta = (text: string): boolean => isDecimal(text) && Number(text) < 1;

export const DELTA_FAULT = "Must be 0, or a number above 0 and below 1.";
