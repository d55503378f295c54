import type { Client } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import { type Fields, isRecord, visible } from "@dosimeter/core/internal";
import type { CallToolResult, Tool as ListedTool } from "@modelcontextprotocol/server";
import { checked } from "../http/input.ts";
import { fitting, isFault, type Next, refusalOf } from "./refusal.ts";
import { inputSchemaOf, numbersAsTaken, outputSchemaOf } from "./schema.ts";
import { effects, type Tool } from "./tool.ts";
import { type ToolName, tools } from "./tools.ts";

const rows = Object.entries(tools) as readonly [ToolName, Tool][];

/** The tools as clients see them: the same for everyone, always. */
export const listedTools = rows.map(([name, { title, description, effect, input, output }]) => ({
  name,
  title,
  description,
  inputSchema: inputSchemaOf(input),
  outputSchema: outputSchemaOf(output),
  annotations: { title, ...effects[effect] },
})) as readonly ListedTool[];

const schemas = new Map<string, ListedTool>(listedTools.map((tool) => [tool.name, tool]));

export const isToolName = (name: string): name is ToolName => Object.hasOwn(tools, name);

interface Calling {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Gets every unexpected error; the caller reads INTERNAL. */
  readonly failed: (error: unknown) => void;
}

/** Runs one tool. A refusal is an answer too: the model reads there what to do next. */
export async function callTool(
  name: ToolName,
  given: unknown,
  { client, signal, failed }: Calling,
): Promise<CallToolResult> {
  const { input, run, effect }: Tool = tools[name];
  const taken = numbersAsTaken(given, schemas.get(name)?.inputSchema as never);
  const call: Next = { tool: name, arguments: isRecord(taken) ? taken : {} };
  try {
    if (!isRecord(taken)) invalid("arguments", given, "an object");
    const fields = checked(input, taken, "arguments") as Fields;
    const answer = await run(client, fields, signal);
    const next = afterQuote(answer, call);
    const content = next === null ? [answer] : [answer, { next }];
    return {
      content: content.map((part) => ({ type: "text", text: quoted(part) })),
      structuredContent: answer as Fields,
    };
  } catch (error) {
    if (isFault(error)) failed(error);
    const { text, facts } = refusalOf(error, call, effect === "spends");
    return { isError: true, content: [text, quoted(facts)].map((part) => ({ type: "text", text: part })) };
  }
}

/** A quote that does not fit: the same with prices that do. */
function afterQuote(answer: object, call: Next): Next | null {
  const { refusal, plan = call.arguments.plan } = answer as {
    readonly refusal?: { readonly largestEpsilon: string } | null;
    readonly plan?: unknown;
  };
  return refusal == null ? null : fitting({ ...call.arguments, plan }, refusal.largestEpsilon);
}

/** JSON, in which every name, note and key stands as a quoted text, and nothing in it is unseen. */
export const quoted = (value: unknown): string => visible(JSON.stringify(value));
