import type { Command } from "commander";
import type { Context } from "./context.ts";

interface CommandModule {
  /** Adds options, arguments, subcommands and the action. */
  readonly define: (command: Command, context: Context) => void;
}

interface CommandRow {
  readonly summary: string;
  /** Absent where all its commands are routes. */
  readonly load?: () => Promise<CommandModule>;
  /** Whether routes are commands below it. */
  readonly isNoun?: true;
}

/** Adds what a command takes, by hand and from the routes. */
export async function defineCommand(command: Command, context: Context): Promise<void> {
  const { load, isNoun } = commands[command.name()] ?? {};
  (await load?.())?.define(command, context);
  if (isNoun) (await import("./derived/define.ts")).derive(command, context);
}

/** Each command is loaded when it is called: `calc` starts without the server, `--help` without any of them. */
export const commands: Readonly<Record<string, CommandRow>> = {
  serve: {
    summary: "the HTTP interface and the pages over a data folder",
    load: () => import("./commands/serve.ts"),
  },
  doctor: {
    summary: "try everything that a server needs, and name every fault with its mend",
    load: () => import("./commands/doctor.ts"),
  },
  witness: {
    summary: "keep the newest checkpoint of other servers, so that a restored one is noticed",
    load: () => import("./commands/witness.ts"),
  },
  demo: { summary: "the whole story, in a folder that is thrown away", load: () => import("./commands/demo.ts") },
  dataset: { summary: "declare tables, and see them", isNoun: true, load: () => import("./commands/dataset.ts") },
  "code-book": {
    summary: "the columns of a declaration, as a code book says them",
    load: () => import("./commands/code-book.ts"),
  },
  connection: { summary: "databases whose tables can be declared", isNoun: true },
  ledger: {
    summary: "open a ledger, see it, switch its rule",
    isNoun: true,
    load: () => import("./commands/ledger.ts"),
  },
  account: { summary: "budgets: who may spend how much", isNoun: true, load: () => import("./commands/account.ts") },
  apply: {
    summary: "people, teams, datasets, ledgers and budgets as a file says; what is there stays",
    load: () => import("./commands/apply.ts"),
  },
  team: { summary: "teams and their members", isNoun: true },
  person: { summary: "people, their roles and sign-in links", isNoun: true },
  agent: { summary: "AI agents: what they may spend by themselves", isNoun: true },
  token: { summary: "bearer tokens for programs", isNoun: true, load: () => import("./commands/token.ts") },
  plan: { summary: "what a plan would cost, before it is paid", load: () => import("./commands/plan.ts") },
  draft: { summary: "plans that are kept, shared and talked about", isNoun: true },
  profile: {
    summary: "describe every column of a dataset with one release",
    load: () => import("./commands/profile.ts"),
  },
  synthesize: {
    summary: "a table of made-up rows that keeps the answers, and more such rows for free",
    load: () => import("./commands/synthesize.ts"),
  },
  release: { summary: "pay for a plan and get its answers", isNoun: true, load: () => import("./commands/release.ts") },
  dashboard: { summary: "pages of released answers, shared with colleagues", isNoun: true },
  charge: {
    summary: "pay for a program outside, and run it",
    isNoun: true,
    load: () => import("./commands/charge.ts"),
  },
  sql: { summary: "ask in SQL: quote it, or pay and get its answers", load: () => import("./commands/sql.ts") },
  mcp: {
    summary: "the tools for AI agents, on standard input and output (Model Context Protocol)",
    load: () => import("./commands/mcp.ts"),
  },
  compute: {
    summary: "statistics of one's own file, with noise but without a ledger: nothing is charged",
    load: () => import("./commands/compute.ts"),
  },
  audit: {
    summary: "check this installation: sensitivities by fuzzing, noise by replaying it",
    load: () => import("./commands/audit.ts"),
  },
  report: {
    summary: "a release as a document, and reports that are made whenever a month is over",
    isNoun: true,
    load: () => import("./commands/report.ts"),
  },
  request: { summary: "ask for access or more budget, and answer those who ask", isNoun: true },
  reuse: { summary: "what was paid for before and is free now", isNoun: true },
  backup: {
    summary: "one verified, encrypted archive of a data folder, also while its server runs",
    load: () => import("./commands/backup.ts"),
  },
  restore: { summary: "prove such an archive, and put it in place", load: () => import("./commands/restore.ts") },
  check: { summary: "whether mail, sign-in providers and connections work", isNoun: true },
  rotate: { summary: "replace a secret of this server", isNoun: true, load: () => import("./commands/rotate.ts") },
  move: {
    summary: "move the ledger database of a data folder to PostgreSQL",
    load: () => import("./commands/move.ts"),
  },
  verify: { summary: "recompute every ledger from its first line", load: () => import("./commands/verify.ts") },
  risk: {
    summary: "privacy at risk and compensation, as published and as true",
    load: () => import("./commands/risk/risk.ts"),
  },
  tradeoff: {
    summary: "trade-off functions: values, estimates, readings and pictures",
    load: () => import("./commands/tradeoff.ts"),
  },
  total: {
    summary: "the total of a list of spends, by every accountant",
    load: () => import("./commands/total.ts"),
  },
  simulate: {
    summary: "when a budget runs out under repeated reports: one lifetime against blocks",
    load: () => import("./commands/simulate.ts"),
  },
  calc: {
    summary: "the mathematics as a filter: JSON Lines in, JSON Lines out",
    load: () => import("./commands/calc.ts"),
  },
  completion: {
    summary: "a script with which bash, zsh or fish completes commands, options and values",
    load: () => import("./commands/completion.ts"),
  },
};
