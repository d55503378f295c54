import type { Client } from "@dosimeter/client";
import { invalid, VERSION } from "@dosimeter/core";
import { type Fields, isRecord, visible } from "@dosimeter/core/internal";
import { type CallToolResult, ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { checked } from "../http/input.ts";
import { door } from "./door.ts";
import { explore, instructions } from "./guide.ts";
import { furtherTools, listed } from "./listing.ts";
import { fitting, isFault, type Next, refusalOf } from "./refusal.ts";
import { listedResources, listedTemplates, readResource } from "./resources.ts";
import { type JsonSchema, numbersAsTaken } from "./schema.ts";
import type { Tool } from "./tool.ts";
import { tools } from "./tools.ts";

const all = { ...tools, ...door };
type AnyToolName = keyof typeof all;

/** The tools as clients see them: the same for everyone, always. */
export const listedTools = Object.entries(door).map(listed);

/** By which numbers are read as they are meant; of a plan by its whole schema. */
const schemas = new Map<string, JsonSchema>(
  [...listedTools, ...furtherTools].map(({ name, inputSchema }) => [name, inputSchema as JsonSchema]),
);
const { plan: wholePlan } = schemas.get("quote_plan")?.properties ?? {};

function schemaOf(name: AnyToolName): JsonSchema | undefined {
  const schema = schemas.get(name);
  if (name in tools || wholePlan === undefined) return schema;
  return { ...schema, properties: { ...schema?.properties, plan: wholePlan } };
}

const isToolName = (name: string): name is AnyToolName => Object.hasOwn(all, name);

interface Calling {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Gets every unexpected error; the caller reads INTERNAL. */
  readonly failed: (error: unknown) => void;
}

/** Runs one tool. A refusal is an answer too: the model reads there what to do next. */
export async function callTool(
  name: AnyToolName,
  given: unknown,
  { client, signal, failed }: Calling,
): Promise<CallToolResult> {
  const { input, output, run, effect }: Tool = all[name];
  const taken = numbersAsTaken(given, schemaOf(name));
  const call: Next = { tool: name, arguments: isRecord(taken) ? taken : {} };
  try {
    if (!isRecord(taken)) invalid("arguments", given, "an object");
    const fields = checked(input, taken, "arguments") as Fields;
    const answer = await run(client, fields, signal);
    const next = afterQuote(answer, call);
    const content = next === null ? [answer] : [answer, { next }];
    return {
      content: content.map((part) => ({ type: "text", text: quoted(part) })),
      ...(output === undefined ? {} : { structuredContent: answer as Fields }),
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
  return refusal == null
    ? null
    : fitting({ tool: call.tool, arguments: { ...call.arguments, plan } }, refusal.largestEpsilon);
}

/** JSON, in which every name, note and key stands as a quoted text, and nothing in it is unseen. */
export const quoted = (value: unknown): string => visible(JSON.stringify(value));

/** One server of the Model Context Protocol. Whatever it is asked goes through the client: with its token, over the routes of the interface. */
export function mcpServer(client: Client, failed: (error: unknown) => void): Server {
  const server = new Server(
    { name: "dosimeter", title: "Dosimeter", version: VERSION },
    { instructions, capabilities: { tools: {}, resources: {}, prompts: {} } },
  );
  server.setRequestHandler("tools/list", () => ({ tools: [...listedTools] }));
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
    if (!isToolName(params.name)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such tool");
    return callTool(params.name, params.arguments ?? {}, { client, signal: mcpReq.signal, failed });
  });
  server.setRequestHandler("resources/list", () => ({ resources: [...listedResources] }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [...listedTemplates] }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const { mimeType, content } = await readResource(client, uri).catch((error: unknown) => {
      if (isFault(error)) failed(error);
      const { text, facts } = refusalOf(error, { tool: "list_datasets", arguments: {} }, false);
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, text, facts);
    });
    return { contents: [{ uri, mimeType, text: typeof content === "string" ? content : quoted(content) }] };
  });
  server.setRequestHandler("prompts/list", () => ({ prompts: [listedPrompt] }));
  server.setRequestHandler("prompts/get", ({ params }) => {
    if (params.name !== explore.name)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such prompt");
    if (!params.arguments?.question) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "question is missing");
    const text = explore.text(params.arguments);
    return { description: explore.description, messages: [{ role: "user", content: { type: "text", text } }] };
  });
  return server;
}

const { text: _, ...prompt } = explore;
const listedPrompt = { ...prompt, arguments: [...prompt.arguments] };
