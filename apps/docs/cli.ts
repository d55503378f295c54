import { closedSets } from "../../packages/cli/src/completion/tree.ts";
import { exitCodes, exitMeanings } from "../../packages/cli/src/exit.ts";
import { wholeProgram } from "../../packages/cli/src/program.ts";

type Command = Awaited<ReturnType<typeof wholeProgram>>;
type Argument = Command["registeredArguments"][number];

const introduction = `# The command line

\`npx dosimeter <command>\`. The [guide](guide.md) goes through a whole job, and says how a command [finds its server](guide.md).
\`dosimeter <command> --help\` prints the same as this page.
`;

/** Every command with its arguments and options, from their definitions. */
export async function commandsPage(): Promise<string> {
  const program = await wholeProgram();
  const exits = Object.entries(exitCodes).map(
    ([name, code]) => `| ${code} | ${cell(exitMeanings[name as keyof typeof exitCodes])} |`,
  );
  return [
    introduction,
    // It has a word of nearly every question: search names the page that answers one first.
    '<div data-pagefind-weight="0.1">\n',
    `## Options of every command\n\n${optionTable("", program.options)}`,
    `## Exit codes\n\n| code | meaning |\n|---|---|\n${exits.join("\n")}\n`,
    ...program.commands.flatMap((command) => sections(command, command.name())),
    "</div>\n",
  ].join("\n");
}

function sections(command: Command, line: string): readonly string[] {
  const level = line.includes(" ") ? "###" : "##";
  const takes = command.registeredArguments.map((one) => `| \`${nameOf(one)}\` | ${cell(one.description)} |`);
  const inside = command.commands;
  const own = [
    `${level} ${line}\n\n${sentence(command.description())}\n`,
    ...(inside.length > 0 && command.options.length + takes.length === 0
      ? []
      : [`\`dosimeter ${[line, ...command.registeredArguments.map(nameOf)].join(" ")}\`\n`]),
    ...(takes.length === 0 ? [] : [`| argument | |\n|---|---|\n${takes.join("\n")}\n`]),
    optionTable(line, command.options),
  ];
  return [...own, ...inside.flatMap((one) => sections(one, `${line} ${one.name()}`))];
}

function optionTable(line: string, options: Command["options"]): string {
  const rows = options
    .filter(({ hidden }) => !hidden)
    .map(({ flags, description, long, argChoices }) => {
      const values = closedSets[`${line} ${long}`] ?? argChoices;
      const means = values === undefined ? description : `${description}: ${values.join(", ")}`;
      return `| \`${flags.replaceAll("|", "\\|")}\` | ${cell(means)} |`;
    });
  return rows.length === 0 ? "" : `| option | |\n|---|---|\n${rows.join("\n")}\n`;
}

const nameOf = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? "…" : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** As the terminal shows it, in a cell of a table. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
