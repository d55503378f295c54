import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** A message of PostgreSQL, as servers send them. */
export function message(code: string, body: string | Uint8Array): Buffer {
  const bytes = Buffer.from(body);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length + 4);
  return Buffer.concat([Buffer.from(code), length, bytes]);
}

const SIGNED_IN = Buffer.concat([message("R", Buffer.alloc(4)), message("Z", "I")]);

interface Said {
  /** To who signs in. */
  readonly first?: Uint8Array;
  /** To whatever is asked then. */
  readonly next?: (socket: Socket) => void;
}

/** A host that signs in to PostgreSQL with any password, and then says nothing any more, or what is given. A silent one closes no connection either. */
export async function openFrozen(said?: Said): Promise<{
  readonly url: string;
  close(): Promise<void>;
}> {
  const { first = SIGNED_IN, next = () => undefined } = said ?? {};
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: said === undefined }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
    socket.once("data", () => {
      socket.write(first);
      socket.on("data", () => next(socket));
    });
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
