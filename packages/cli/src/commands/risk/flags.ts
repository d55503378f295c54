import { invalid } from "@dosimeter/core";
import { plainNumber, typedNumber } from "@dosimeter/core/internal";
import { formatNumber } from "@dosimeter/plot";
import { COST_SENTENCE, RISK_NAME, RISK_SENTENCE } from "@dosimeter/risk";
import { type NumberRange, number } from "../../calc/readers.ts";
import type { Context } from "../../context.ts";
import { say, sayJson } from "../../terminal/output.ts";
import { paint, type Terminal } from "../../terminal/terminal.ts";

/** A number typed on the command line; INVALID_PARAMETER names the option. */
export function numberFlag(text: string, option: string, range: NumberRange = {}): number {
  const plain = plainNumber(text);
  return number(range).read(plain === null ? text : typedNumber(plain, {}, option).value, option);
}

export function optionalFlag(text: string | undefined, option: string, range: NumberRange = {}): number | undefined {
  return text === undefined ? undefined : numberFlag(text, option, range);
}

/** `1,2,3` */
export const listFlag = (text: string, option: string, range: NumberRange = {}): readonly number[] =>
  text.split(",").map((part) => numberFlag(part, option, range));

/** `low..high` */
export function rangeFlag(text: string, option: string, range: NumberRange = {}): readonly [number, number] {
  const [low, high, more] = text.split("..");
  if (low === undefined || high === undefined || more !== undefined) invalid(option, text, "least..most");
  return [numberFlag(low, option, range), numberFlag(high, option, range)];
}

export const epsilon0Range: NumberRange = { above: 0, max: 600 };
export const dimensionRange: NumberRange = { min: 1, max: 1_000_000, integer: true };

export const shown = (value: number): string => formatNumber(value, 6);
export const money = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 2 });
export const percentage = (share: number): string => `${formatNumber(100 * share, 3)} %`;

/** Every answer of `risk` as JSON carries the sentence that must go with it. */
export function sayRiskJson(terminal: Terminal, value: object): void {
  sayJson(terminal, { model: RISK_NAME, sentence: RISK_SENTENCE, ...value });
}

/** The sentence in full, under every table. */
export function saySentence({ terminal }: Context, withMoney = false): void {
  say(terminal, `\n${paint(terminal, "bold", RISK_NAME)}. ${RISK_SENTENCE}`);
  if (withMoney) say(terminal, COST_SENTENCE);
}
