// The public operations. `LedgerDatabase` passes the context, the first argument of each.
export { dropGroup, groupNamesOf, groups, setGroup } from "../provisioning/group.ts";
export { providerOf, serviceOf } from "../provisioning/service.ts";
export { deleteUser, setUser, userAt, users } from "../provisioning/user.ts";
