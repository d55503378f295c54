import { invalid, PrivacyError, QUESTION_WORK, workBudget } from "@dosimeter/core";
import { type Fields, isRecord } from "@dosimeter/core/internal";
import { accountingFunctions } from "./accounting.ts";
import { admissionFunctions } from "./admission.ts";
import { apportionFunctions } from "./apportion.ts";
import { blockFunctions } from "./blocks.ts";
import { type CalcFunction, readArguments } from "./function.ts";
import { planningFunctions } from "./planning.ts";
import { riskFunctions } from "./risk.ts";
import { tradeoffFunctions } from "./tradeoff.ts";

/** Every function of `dosimeter calc`. A new one is one row in the file of its subject. */
export const calcFunctions: readonly CalcFunction[] = [
  ...admissionFunctions,
  ...blockFunctions,
  ...planningFunctions,
  ...apportionFunctions,
  ...accountingFunctions,
  ...tradeoffFunctions,
  ...riskFunctions,
];

const byName = new Map(calcFunctions.map((fn) => [fn.name, fn]));

/** The output line for one input line, without its newline; a line that takes too long is refused. Never throws. */
export function answerLine(line: string): string {
  let id: unknown = null;
  try {
    const { id: given, fn: name, ...args } = parseCall(line);
    if (given !== undefined) id = given;
    return write({ id, value: call(name, args) });
  } catch (error) {
    return write({ id, error: describe(error) });
  }
}

function parseCall(line: string): Fields {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    invalid("line", clip(line), "one JSON object");
  }
  return isRecord(json) ? json : invalid("line", clip(line), "one JSON object");
}

function call(name: unknown, args: Fields): unknown {
  const fn = typeof name === "string" ? byName.get(name) : undefined;
  if (fn === undefined) {
    invalid("fn", name, "one of the names that `dosimeter calc --list` prints");
  }
  const work = workBudget(QUESTION_WORK);
  return fn.call(readArguments(fn, args, work), work);
}

function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof PrivacyError) return { code: error.code, message: error.message };
  if (error instanceof RangeError) return { code: "INVALID_PARAMETER", message: "the input is too large or too deep" };
  return { code: "INTERNAL", message: error instanceof Error ? error.message : String(error) };
}

/** JSON with non-finite numbers and bigints as strings. */
function write(answer: { readonly id: unknown; readonly value?: unknown; readonly error?: unknown }): string {
  return JSON.stringify({ ...answer, ...("value" in answer ? { value: answer.value ?? null } : {}) }, (_key, value) => {
    if (typeof value === "bigint") return value.toString();
    return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
  });
}

function clip(line: string): string {
  return line.length <= 60 ? line : `${line.slice(0, 60)}…`;
}

/** The output of `--list`: one JSON object per line, in the order of the table. */
export function listCalcFunctions(): readonly string[] {
  return calcFunctions.map((fn) =>
    JSON.stringify({
      fn: fn.name,
      summary: fn.summary,
      arguments: Object.entries(fn.arguments).map(([name, { type, docs, optional }]) => ({
        name,
        type,
        optional,
        docs,
      })),
    }),
  );
}

/** The output for the lines of `input`, in order, several lines at a time; blank lines are skipped. */
export async function* answerLines(input: AsyncIterable<string>): AsyncGenerator<string> {
  let unfinished: string[] = [];
  for await (const piece of input) {
    const end = piece.lastIndexOf("\n");
    if (end < 0) {
      unfinished.push(piece);
      continue;
    }
    const answers = answerAll(unfinished.join("") + piece.slice(0, end));
    unfinished = [piece.slice(end + 1)];
    if (answers !== "") yield answers;
  }
  const answers = answerAll(unfinished.join(""));
  if (answers !== "") yield answers;
}

function answerAll(lines: string): string {
  return lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => `${answerLine(line)}\n`)
    .join("");
}
