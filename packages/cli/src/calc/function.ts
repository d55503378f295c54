import { invalid, type Work } from "@dosimeter/core";

/** Parses one JSON value into an argument, or throws `INVALID_PARAMETER` with its path. */
export interface Reader<T> {
  /** As `--list` prints it: `number in [0, 1]`. */
  readonly type: string;
  /** `work` is the budget of the line, for what is computed of the argument later. */
  readonly read: (value: unknown, path: string, work?: Work) => T;
}

interface Argument<T> extends Reader<T> {
  readonly docs: string;
  readonly optional: boolean;
}

type Arguments = Readonly<Record<string, Argument<unknown>>>;
type Read<A extends Arguments> = { readonly [K in keyof A]: ReturnType<A[K]["read"]> };

/** One row of the table of `dosimeter calc`. */
export interface CalcFunction {
  readonly name: string;
  readonly summary: string;
  readonly arguments: Arguments;
  /** `args` has exactly the declared arguments, read; what it returns is written as JSON. */
  readonly call: (args: Readonly<Record<string, unknown>>, work: Work) => unknown;
}

/** A row whose `call` gets its arguments with their types. */
export function calcFunction<A extends Arguments>(
  name: string,
  summary: string,
  args: A,
  call: (args: Read<A>, work: Work) => unknown,
): CalcFunction {
  return { name, summary, arguments: args, call: (values, work) => call(values as Read<A>, work) };
}

export function required<T>(reader: Reader<T>, docs: string): Argument<T> {
  return { ...reader, docs, optional: false };
}

export function optional<T>(reader: Reader<T>, docs: string): Argument<T | undefined> {
  return { ...reader, docs, optional: true };
}

/** Reads the arguments of one call; refuses names that the function does not have. */
export function readArguments(
  fn: CalcFunction,
  given: Readonly<Record<string, unknown>>,
  work: Work,
): Record<string, unknown> {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(fn.arguments, name)) {
      const want = `one of the arguments of ${fn.name}: ${Object.keys(fn.arguments).join(", ")}`;
      invalid("argument", name, want);
    }
  }
  const args: Record<string, unknown> = {};
  for (const [name, argument] of Object.entries(fn.arguments)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value !== undefined) args[name] = argument.read(value, name, work);
    else if (!argument.optional) invalid(name, undefined, argument.type);
  }
  return args;
}
