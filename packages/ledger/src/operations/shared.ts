// What the server processes of one database share. `LedgerDatabase` passes the context, the first argument of each.
export { addConnection, addedConnections as connections, removeConnection } from "../instance/connection.ts";
export { takeShared as take } from "../instance/rate.ts";
export {
  hasSecret,
  knownSecret as known,
  rotateSecret as rotate,
  sharedSecret as secret,
} from "../instance/shared-secret.ts";
