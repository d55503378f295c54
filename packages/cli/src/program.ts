import { PassThrough, Readable } from "node:stream";
import { VERSION } from "@dosimeter/core";
import { Command, CommanderError } from "commander";
import { commands, defineCommand } from "./commands.ts";
import type { Context, RunOptions } from "./context.ts";
import { exitCodes, exitMeanings, failureOf } from "./exit.ts";
import { MIN_WRAP, wrapped } from "./terminal/output.ts";
import { paint, printable, type Terminal, widthOf } from "./terminal/terminal.ts";

/** Runs one command line (without the program's name) and returns its exit code. */
export async function run(args: readonly string[], terminal: Terminal, options: RunOptions = {}): Promise<number> {
  const program = new Command("dosimeter");
  let exit: number = exitCodes.done;
  const context: Context = {
    ...options,
    terminal,
    globals: () => program.opts(),
    whole: async () => {
      const others = program.commands.filter(({ args }) => args.length === 0); // the one that runs has its options
      await define(others, context);
      return program;
    },
    endWith(code) {
      exit = code;
    },
  };
  configure(program, context);
  try {
    await program.parseAsync(args.length === 0 ? ["--help"] : helpLast(args), { from: "user" });
    return exit;
  } catch (error) {
    return explain(error, args.includes("--json"), terminal);
  }
}

/** The program with every command and all options, to be described: it runs nothing, and says nothing. */
export async function wholeProgram(): Promise<Command> {
  const program = new Command("dosimeter");
  const nowhere = new PassThrough();
  const terminal = { in: Readable.from([]), out: nowhere, err: nowhere, isInteractive: false, env: {}, cwd: "/" };
  const context: Context = { terminal, globals: () => ({}), whole: async () => program, endWith() {} };
  configure(program, context);
  await define(program.commands, context);
  return program;
}

async function define(some: readonly Command[], context: Context): Promise<void> {
  for (const one of some) await defineCommand(one, context);
}

function configure(program: Command, context: Context): void {
  const { terminal } = context;
  program
    .description(
      "A privacy budget for data about people. Plan, price and release statistics; the ledger cannot overspend.",
    )
    .option("--json", "print JSON instead of text")
    .option("--data <folder>", "the data folder (default: $DOSIMETER_DATA, or ./.dosimeter)")
    .option("--url <url>", "talk to this server (default: $DOSIMETER_URL, or the one that runs on the data folder)")
    .option("--token <token>", "who asks (default: $DOSIMETER_TOKEN, or the data folder's operator)")
    .version(VERSION)
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: MIN_WRAP })
    .configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
      outputError: () => {},
      getOutHelpWidth: () => widthOf(terminal),
      getErrHelpWidth: () => widthOf(terminal),
      getOutHasColors: () => terminal.isInteractive,
      getErrHasColors: () => terminal.isInteractive,
    })
    .exitOverride()
    .hook("preSubcommand", (_program, subcommand) => defineCommand(subcommand, context));
  for (const [name, { summary }] of Object.entries(commands)) program.command(name).description(summary);
  program.addHelpText("after", exitHelp());
}

function exitHelp(): string {
  const lines = Object.entries(exitCodes).map(
    ([name, code]) => `  ${code}  ${exitMeanings[name as keyof typeof exitCodes]}`,
  );
  return `\nExit codes:\n${lines.join("\n")}`;
}

/** `help dataset` is `dataset --help`. */
function helpLast(args: readonly string[]): string[] {
  return args[0] === "help" ? [...args.slice(1), "--help"] : [...args];
}

/** Prints an error as one line on `err` and returns its exit code. */
function explain(error: unknown, asJson: boolean, terminal: Terminal): number {
  if (error instanceof CommanderError && (error.exitCode === 0 || error.code === "commander.help")) {
    return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUse;
  }
  const failure =
    error instanceof CommanderError
      ? { code: "INVALID_PARAMETER", message: usage(error.message), exit: exitCodes.wrongUse }
      : failureOf(error);
  const { code, message } = failure;
  const whole = (line: string) => (terminal.isInteractive ? wrapped(line, widthOf(terminal)) : line);
  const text = asJson
    ? JSON.stringify({ error: { code, message } })
    : whole(`${paint(terminal, "red", "dosimeter:")} ${printable(message)} [${code}]`);
  terminal.err.write(`${text}\n`);
  return failure.exit;
}

function usage(message: string): string {
  return message.replace(/^error: /, "").replaceAll("\n", " ");
}
