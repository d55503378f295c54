// What the server processes of one database share. Each function takes the context first; `LedgerDatabase` binds it.
export { takeShared as take } from "./rate.ts";
export { sharedSecret as secret } from "./shared-secret.ts";
