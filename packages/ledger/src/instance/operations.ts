// What the server processes of one database share. `LedgerDatabase` passes the context, the first argument of each.
export { takeShared as take } from "./rate.ts";
export { hasSecret, knownSecret as known, rotateSecret as rotate, sharedSecret as secret } from "./shared-secret.ts";
