import type { Fields } from "@dosimeter/core/internal";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** The two eras of the protocol, as a client of each begins. */
export const eras = ["auto", "legacy"] as const;
export type Era = (typeof eras)[number];

/** An agent's client, as the official SDK makes it. */
export const newAgent = (era: Era = "auto"): Client =>
  new Client({ name: "test agent", version: "1" }, { versionNegotiation: { mode: era } });

/** An agent that is connected over HTTP with a token. */
export async function agentAt(
  url: string,
  token: string,
  {
    era = "auto",
    fetch: send = fetch,
  }: { readonly era?: Era; readonly fetch?: (request: Request) => Promise<Response> | Response } = {},
): Promise<Client> {
  const agent = newAgent(era);
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", url), {
    fetch: async (address, init) => send(new Request(address, init)),
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await agent.connect(transport);
  return agent;
}

export interface Called {
  readonly isError: boolean;
  /** Everything that the model reads. */
  readonly text: string;
  /** The answer, or the facts of a refusal. */
  readonly said: Fields & { readonly next?: { readonly tool: string; readonly arguments: Fields } | null };
}

/** Calls a tool; the SDK checks an answer against the output schema that the tool list holds. */
export async function called(agent: Client, name: string, given: Fields = {}): Promise<Called> {
  const { isError = false, content, structuredContent } = await agent.callTool({ name, arguments: given });
  const texts = content.map((part) => (part.type === "text" ? part.text : ""));
  const said = (isError ? JSON.parse(texts[1] ?? "{}") : structuredContent) as Called["said"];
  const next = isError ? {} : (JSON.parse(texts[1] ?? "{}") as object);
  return { isError, text: texts.join("\n"), said: { ...said, ...next } };
}
