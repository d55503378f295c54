import { VERSION } from "@dosimeter/core";
import { Command, CommanderError } from "commander";
import { exitCodes, exitMeanings, failureOf } from "./exit.ts";
import { paint, printable, type Terminal } from "./terminal.ts";

/** What every command gets. */
export interface Context extends RunOptions {
  readonly terminal: Terminal;
  readonly globals: () => Globals;
  /** Ends with this code although nothing was thrown: an answer that is a refusal. */
  readonly endWith: (code: number) => void;
}

export interface RunOptions {
  /** Folder of the built web app that `serve` shows; the one of the checkout when absent. */
  readonly webRoot?: string;
}

/** The options that every command has. */
export interface Globals {
  readonly json?: true;
  readonly data?: string;
  readonly url?: string;
  readonly token?: string;
}

interface CommandModule {
  /** Adds options, arguments, subcommands and the action. */
  readonly define: (command: Command, context: Context) => void;
}

interface CommandRow {
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** Each command is loaded when it is called: `calc` starts without the server, `--help` without any of them. */
const commands: Readonly<Record<string, CommandRow>> = {
  serve: {
    summary: "the HTTP interface and the pages over a data folder",
    load: () => import("./commands/serve.ts"),
  },
  demo: { summary: "the whole story, in a folder that is thrown away", load: () => import("./commands/demo.ts") },
  dataset: { summary: "declare tables, and see them", load: () => import("./commands/dataset.ts") },
  ledger: { summary: "open a ledger, see it, switch its rule", load: () => import("./commands/ledger.ts") },
  account: { summary: "quotas: who may spend how much", load: () => import("./commands/account.ts") },
  team: { summary: "teams and their members", load: () => import("./commands/team.ts") },
  person: { summary: "people, their roles and sign-in links", load: () => import("./commands/person.ts") },
  token: { summary: "bearer tokens for programs", load: () => import("./commands/token.ts") },
  plan: { summary: "what a plan would cost, before it is paid", load: () => import("./commands/plan.ts") },
  release: { summary: "pay for a plan and get its answers", load: () => import("./commands/release.ts") },
  compute: {
    summary: "statistics of one's own file, with noise but without a ledger: nobody counts",
    load: () => import("./commands/compute.ts"),
  },
  audit: {
    summary: "check this installation: sensitivities by fuzzing, noise by replaying it",
    load: () => import("./commands/audit.ts"),
  },
  report: {
    summary: "a release as a document: HTML, PDF, CSV, JSON, or the plan that made it",
    load: () => import("./commands/report.ts"),
  },
  request: {
    summary: "ask for access or more quota, and answer those who ask",
    load: () => import("./commands/request.ts"),
  },
  reuse: { summary: "what was paid for before and is free now", load: () => import("./commands/reuse.ts") },
  move: { summary: "move the books of a data folder to PostgreSQL", load: () => import("./commands/move.ts") },
  verify: { summary: "recompute every ledger from its first line", load: () => import("./commands/verify.ts") },
  risk: {
    summary: "privacy at risk and compensation, as published and as true",
    load: () => import("./commands/risk.ts"),
  },
  tradeoff: {
    summary: "trade-off functions: values, estimates, readings and pictures",
    load: () => import("./commands/tradeoff.ts"),
  },
  total: {
    summary: "the total of a list of spends, by every accountant",
    load: () => import("./commands/total.ts"),
  },
  calc: {
    summary: "the mathematics as a filter: JSON Lines in, JSON Lines out",
    load: () => import("./commands/calc.ts"),
  },
};

/** Runs one command line (without the program's name) and says with which exit code it ends. */
export async function run(args: readonly string[], terminal: Terminal, options: RunOptions = {}): Promise<number> {
  const program = new Command("dosimeter");
  let exit: number = exitCodes.done;
  const context: Context = {
    ...options,
    terminal,
    globals: () => program.opts(),
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
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
      outputError: () => {},
      getOutHasColors: () => terminal.isInteractive,
      getErrHasColors: () => terminal.isInteractive,
    })
    .exitOverride()
    .hook("preSubcommand", async (_program, subcommand) => {
      const module = await commands[subcommand.name()]?.load();
      module?.define(subcommand, context);
    });
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

/** One line on `err` for whatever ended the command, and its exit code. */
function explain(error: unknown, asJson: boolean, terminal: Terminal): number {
  if (error instanceof CommanderError && (error.exitCode === 0 || error.code === "commander.help")) {
    return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUse;
  }
  const failure =
    error instanceof CommanderError
      ? { code: "INVALID_PARAMETER", message: usage(error.message), exit: exitCodes.wrongUse }
      : failureOf(error);
  const { code, message } = failure;
  const text = asJson
    ? JSON.stringify({ error: { code, message } })
    : `${paint(terminal, "red", "dosimeter:")} ${printable(message)} [${code}]`;
  terminal.err.write(`${text}\n`);
  return failure.exit;
}

function usage(message: string): string {
  return message.replace(/^error: /, "").replaceAll("\n", " ");
}
