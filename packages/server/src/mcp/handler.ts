import { createClient } from "@dosimeter/client";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { errorFields, type Log } from "../telemetry/log.ts";
import { mcpServer } from "./server.ts";

interface Serving {
  /** The HTTP interface of this process, which decides everything that is asked. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly log: Log;
}

/** Answers one HTTP request of the protocol, with the authority of its token; clients of both eras, without a session. */
export function openMcp({ fetch, log }: Serving) {
  const failed = (error: unknown) => log.error("REQUEST_FAILED", { route: "mcp", ...errorFields(error) });
  const handler = createMcpHandler(
    ({ authInfo }) => mcpServer(createClient({ url: INSIDE, token: authInfo?.token ?? "", fetch }), failed),
    // Nothing here changes by itself: there is nothing to subscribe to. What the library reports is what was wrong with a message.
    { maxSubscriptions: 0, onerror: () => log.info("refused", { route: "mcp", code: "INVALID_PARAMETER" }) },
  );
  return (
    request: Request,
    { token, message }: { readonly token: string; readonly message: unknown },
  ): Promise<Response> =>
    handler.fetch(request, { parsedBody: message, authInfo: { token, clientId: "", scopes: [] } });
}

/** An address that nothing listens on: its requests stay within this process. */
const INSIDE = "http://localhost";
