import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Keeps at most `most` connections. A newcomer for whom there is no room ends the connection that has waited longest without a whole head of a request, so
 * that no one keeps others out by being there first. Where each has a request that is being answered, the newcomer is ended.
 */
export function limitConnections(server: Server, most: number): void {
  /** Without a request, the longest first. */
  const waiting = new Set<Socket>();
  /** Requests that are being answered: a client may send the next one before it has the answer. */
  const underway = new WeakMap<Socket, number>();
  let count = 0;
  server.on("connection", (socket: Socket) => {
    count += 1;
    waiting.add(socket);
    socket.once("close", () => {
      count -= 1;
      waiting.delete(socket);
    });
    if (count <= most) return;
    const [longest = socket] = waiting;
    waiting.delete(longest);
    longest.destroy();
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    waiting.delete(socket);
    underway.set(socket, (underway.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = (underway.get(socket) ?? 1) - 1;
      underway.set(socket, left);
      if (left === 0 && !socket.destroyed) waiting.add(socket);
    });
  });
}
