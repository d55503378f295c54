import type { Readable, Writable } from "node:stream";
import type { Client } from "@dosimeter/client";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { mcpServer } from "./server.ts";

interface Streams {
  readonly input: Readable;
  readonly output: Writable;
  /** Gets every unexpected error, and that of a message that could not be read. */
  readonly failed: (error: unknown) => void;
}

/** Serves one client over two streams until its input ends. */
export async function serveMcpOver(client: Client, { input, output, failed }: Streams): Promise<void> {
  const ended = Promise.withResolvers<void>();
  for (const event of ["end", "close", "error"]) input.once(event, () => ended.resolve());
  const serving = serveStdio(() => mcpServer(client, failed), {
    transport: new StdioServerTransport(input, output),
    onerror: failed,
  });
  await ended.promise;
  await serving.close();
}
