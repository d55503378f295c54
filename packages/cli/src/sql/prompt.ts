import { createInterface } from "node:readline";
import type { Client, Dataset, DatasetSummary } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { meantText } from "@dosimeter/core/internal";
import { sqlName } from "@dosimeter/sql-text";
import type { Context } from "../context.ts";
import { findAccount, findDataset, findLedger, listOf } from "../find.ts";
import { leftText } from "../show/columns.ts";
import { say, sayTable } from "../terminal/output.ts";
import { paint, printable, type Terminal } from "../terminal/terminal.ts";
import { runSql, type SqlFlags } from "./run.ts";

interface Named {
  readonly name: string;
  readonly columns: readonly string[];
}

const COMMANDS = ["\\d", "\\budget", "\\cost", "\\epsilon", "\\q", "\\?"];
const WORDS =
  "SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT AS AND OR NOT IN BETWEEN IS NULL COUNT( SUM( AVG( MEDIAN( MIN( MAX( STDDEV_SAMP( CORR( DP_INTERVAL_LOW( DP_INTERVAL_HIGH(".split(
    " ",
  );

/** What the last word of a line may become: after FROM and after commands a dataset, else columns and words of SQL. */
export function completions(line: string, datasets: readonly Named[]): [string[], string] {
  const [word = ""] = /[^\s(,;]*$/.exec(line) ?? [];
  const before = line.slice(0, line.length - word.length);
  const names = datasets.map(({ name }) => sqlName(name));
  const isDataset = /(?:\bfrom|\\d|\\budget)\s+$/i.test(before);
  const about = datasets.filter(({ name }) => line.includes(name));
  const columns = (about.length > 0 ? about : datasets).flatMap((each) => each.columns.map(sqlName));
  const all = word.startsWith("\\") ? COMMANDS : isDataset ? names : [...new Set(columns), ...WORDS];
  const found = all.filter((each) => each.toLowerCase().startsWith(word.toLowerCase()));
  return [found, word];
}

/** What people type for help; no query begins so. */
const HELPS = /^(?:help|\\h(?:elp)?|\?)[;\s]*$/i;
const HELP = `\\d            datasets          \\d adults   its columns
\\budget adults   what is left       \\cost SELECT …;   what it would cost
\\epsilon 0.1     paid for the next query, once       \\q   leave
A query ends with ; and may have several lines. Nothing is paid unless ε is stated.`;

interface Session {
  readonly client: Client;
  readonly terminal: Terminal;
  readonly flags: SqlFlags;
  /** ε of the next query, and of that one alone. */
  epsilon: string | undefined;
}

/** Reads queries and commands until \q or the end of the input. A mistake is shown, and the prompt goes on. */
export async function prompt(client: Client, { terminal }: Context, flags: SqlFlags): Promise<void> {
  const session: Session = { client, terminal, flags, epsilon: flags.epsilon };
  const datasets = await listOf(client.all("listDatasets"));
  const known = await Promise.all(datasets.slice(0, MAX_KNOWN).map(({ id }) => client.showDataset({ dataset: id })));
  const names = known.map((dataset) => ({ name: dataset.name, columns: Object.keys(columnsOf(dataset)) }));
  const lines = createInterface({
    input: terminal.in,
    output: terminal.out,
    terminal: terminal.isInteractive,
    historySize: 500,
    completer: (line: string) => completions(line, names),
  });
  let isOpen = true;
  lines.once("close", () => {
    isOpen = false;
  });
  const ask = (pending: string): void => {
    if (!isOpen) return; // the input ended, and its last lines are still answered
    lines.setPrompt(pending === "" ? "sql> " : "...> ");
    lines.prompt();
  };
  say(terminal, paint(terminal, "dim", "help shows what can be typed, \\q leaves."));
  let pending = "";
  ask(pending);
  for await (const line of lines) {
    const text = line.trim();
    if (pending === "" && /^\\q\b/.test(text)) break;
    pending = pending === "" && text.startsWith("\\") && !/^\\cost\b/.test(text) ? text : `${pending}${line}\n`;
    const isWhole =
      text.startsWith("\\") || HELPS.test(pending.trim())
        ? !/^\\cost\b/.test(pending) || text.endsWith(";")
        : text.endsWith(";");
    if (isWhole || pending.trim() === "") {
      const asked = pending.trim();
      pending = "";
      if (asked !== "") await shown(session, asked);
    }
    ask(pending);
  }
  lines.close();
}

interface Column {
  readonly type: string;
  readonly lower?: number;
  readonly upper?: number;
  readonly categories?: readonly (string | number)[];
}

const columnsOf = ({ declaration }: Dataset): Readonly<Record<string, Column>> =>
  declaration.columns as Readonly<Record<string, Column>>;

/** Datasets whose columns are completed. */
const MAX_KNOWN = 50;

async function shown(session: Session, text: string): Promise<void> {
  const { terminal } = session;
  try {
    await run(session, text);
  } catch (error) {
    if (!(error instanceof PrivacyError)) throw error;
    say(terminal, `${paint(terminal, "red", "Refused")}  ${printable(error.message)} [${error.code}]`);
  }
}

async function run(session: Session, text: string): Promise<void> {
  const { client, terminal, flags } = session;
  if (HELPS.test(text)) return say(terminal, HELP);
  const [command = "", ...words] = text.startsWith("\\") ? text.split(/\s+/) : [];
  const rest = text.slice(command.length).trim();
  if (command === "\\d")
    return words[0] === undefined ? showDatasets(client, terminal) : showColumns(client, terminal, rest);
  if (command === "\\budget") return showBudget(session, rest);
  if (command === "\\epsilon") {
    session.epsilon = rest === "" ? undefined : rest;
    return say(
      terminal,
      rest === ""
        ? "The next query must state its ε."
        : `The next query pays ε = ${printable(rest)}, if it is answered.`,
    );
  }
  if (command !== "" && command !== "\\cost") {
    if (command !== "\\?") say(terminal, `There is no ${printable(command)}${meantText(command, COMMANDS)}.`);
    return say(terminal, HELP);
  }
  const { epsilon: _, ...others } = flags;
  const paid = session.epsilon === undefined ? others : { ...others, epsilon: session.epsilon };
  const isQuote = command === "\\cost" || flags.quote === true;
  await runSql(client, isQuote && command !== "" ? rest : text, {
    terminal,
    flags: isQuote ? { ...paid, quote: true } : paid,
    isJson: false,
  });
  if (!isQuote && flags.epsilon === undefined) session.epsilon = undefined;
}

const showDatasets = async (client: Client, terminal: Terminal): Promise<void> =>
  sayTable(terminal, await listOf(client.all("listDatasets")), [
    { heading: "dataset", cell: ({ name }: DatasetSummary) => name },
    { heading: "ledger", cell: ({ ledger }: DatasetSummary) => ledger?.over ?? ledger?.status ?? "not open" },
  ]);

async function showColumns(client: Client, terminal: Terminal, name: string): Promise<void> {
  const { id } = await findDataset(client, name.replace(/;$/, ""));
  const dataset = await client.showDataset({ dataset: id });
  await sayTable(terminal, Object.entries(columnsOf(dataset)), [
    { heading: "column", cell: ([column]) => column },
    { heading: "type", cell: ([, { type }]) => type },
    {
      heading: "values",
      cell: ([, { lower, upper, categories }]) =>
        categories === undefined
          ? lower === undefined
            ? ""
            : `${lower} … ${upper}`
          : categories.slice(0, 12).join(", "),
    },
  ]);
}

async function showBudget({ client, terminal, flags }: Session, name: string): Promise<void> {
  const ledger = await findLedger(client, name.replace(/;$/, ""));
  const account = await findAccount(client, ledger.id, flags.account);
  await sayTable(
    terminal,
    [account],
    [
      { heading: "account", cell: ({ path }) => path.join("/") },
      { heading: "left", cell: ({ balance }) => leftText(balance) },
    ],
  );
}
