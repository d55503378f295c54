// The public operations of this folder. `LedgerDatabase` passes the context, the first argument of each.
export { dropGroup, groupNamesOf, groups, setGroup } from "./group.ts";
export { providerOf, serviceOf } from "./service.ts";
export { deleteUser, setUser, userAt, users } from "./user.ts";
