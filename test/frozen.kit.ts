import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** A message of PostgreSQL, as servers send them. */
export function message(code: string, body: string | Uint8Array): Buffer {
  const bytes = Buffer.from(body);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length + 4);
  return Buffer.concat([Buffer.from(code), length, bytes]);
}

const IN_TRANSACTION = message("Z", "T");
const SELECTED = [message("1", ""), message("2", ""), message("n", ""), message("C", "SELECT 1\0")];
const SIGNED_IN = Buffer.concat([message("R", Buffer.alloc(4)), message("Z", "I")]);

interface Said {
  /** To who signs in. */
  readonly first?: Uint8Array;
  /** Whether it closes a connection that the other side closes. */
  readonly closes?: boolean;
  /** To whatever is asked then. */
  readonly next?: (socket: Socket, asked: Buffer) => void;
}

/** What a server says to the first two statements of a transaction, which begin it and set its limits. */
export function begin(socket: Socket, asked: Buffer): void {
  if (asked.includes("BEGIN")) socket.write(Buffer.concat([message("C", "BEGIN\0"), IN_TRANSACTION]));
  if (asked.includes("set_config")) socket.write(Buffer.concat([...SELECTED, IN_TRANSACTION]));
}

/** A host that signs in to PostgreSQL with any password, and then says nothing any more, or what is given. */
export async function openFrozen({ first = SIGNED_IN, closes = false, next = () => undefined }: Said = {}): Promise<{
  readonly url: string;
  close(): Promise<void>;
}> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: !closes }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
    socket.once("data", () => {
      socket.write(first);
      socket.on("data", (asked) => next(socket, asked));
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
