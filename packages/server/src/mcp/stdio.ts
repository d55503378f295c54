import type { Readable, Writable } from "node:stream";
import type { Client } from "@dosimeter/client";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { mcpServer } from "./server.ts";

/** Serves one client over two streams until its input ends. */
export async function serveMcpOver(
  client: Client,
  { input, output }: { readonly input: Readable; readonly output: Writable },
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  for (const event of ["end", "close", "error"]) input.once(event, () => ended.resolve());
  const serving = serveStdio(() => mcpServer(client), { transport: new StdioServerTransport(input, output) });
  await ended.promise;
  await serving.close();
}
