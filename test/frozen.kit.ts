import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

const SIGNED_IN = "R\0\0\0\b\0\0\0\0Z\0\0\0\u0005I";

/** A host that signs in to PostgreSQL with any password, and then says nothing any more. It closes no connection either. */
export async function openFrozen(): Promise<{
  readonly url: string;
  close(): Promise<void>;
}> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
    socket.once("data", () => socket.resume().write(SIGNED_IN));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `postgres://reader@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
