import type { Client } from "@dosimeter/client";
import { VERSION } from "@dosimeter/core";
import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { callTool, isToolName, listedTools, quoted } from "./call.ts";
import { explore, instructions } from "./guide.ts";
import { isFault, refusalOf } from "./refusal.ts";
import { listedResources, listedTemplates, readResource } from "./resources.ts";

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
