import { isDeepStrictEqual } from "node:util";
import type { GroupKey, LedgerDatabase, Listed, Part, PrincipalId, UserKey } from "@dosimeter/ledger";
import type { OidcProvider } from "../access/oidc-provider.ts";
import { groupKeyIn, userKeyIn } from "./list.ts";
import { emailOf, groupOf, groupResource, type Resource, userOf, userResource } from "./resources.ts";

/** Who asks for a change: a provider, and the service that acts for it. */
export interface From {
  readonly provider: OidcProvider;
  readonly service: PrincipalId;
  /** Counts a mail to an address whose person gets another one. RATE_LIMITED. */
  readonly countMail: (address: string) => Promise<void>;
}

interface Ids {
  readonly ids: readonly string[];
}

interface Change {
  /** Null for a new one. */
  readonly before: Resource | null;
  readonly checked: unknown;
  /** `checked` was computed from `before`, which must still be so: CONFLICT with `why: "CHANGED"` otherwise. */
  readonly isPatch: boolean;
}

/** How people, or groups, of a provider are read and written. */
export interface Kept<Key> {
  readonly kind: "User" | "Group";
  /** What the filter asks for, where an index answers it. */
  readonly keyIn: (filter: string) => Key | null;
  readonly list: (
    provider: OidcProvider,
    asked: Part & { readonly key?: Key | Ids | undefined; readonly withMembers: boolean },
  ) => Promise<Listed<Resource>>;
  readonly set: (from: From, change: Change) => Promise<Resource>;
  readonly drop: (from: From, id: string) => Promise<void>;
}

/** Gives people what their groups say. */
export type Apply = (provider: OidcProvider, affected: readonly PrincipalId[]) => Promise<void>;

const keyed = <Key>(key: Key | undefined) => (key === undefined ? {} : { key });
const idOf = (before: Resource | null): string | null => before?.id ?? null;
const isStill =
  <Read>(shown: (read: Read) => Resource, { before, isPatch }: Change) =>
  (now: Read): boolean =>
    !isPatch || isDeepStrictEqual(shown(now), before);

export const keptUsers = ({ provisioning }: LedgerDatabase, apply: Apply): Kept<UserKey> => ({
  kind: "User",
  keyIn: userKeyIn,
  async list({ id: provider }, { key, from, count }) {
    const { total, items } = await provisioning.users({ provider, from, count, ...keyed(key) });
    return { total, items: items.map(userResource) };
  },
  async set({ provider, service: by, countMail }, change) {
    const { before, checked } = change;
    const given = userOf(checked);
    const former = before === null ? null : emailOf(before);
    if (former !== null && given.email !== null && given.email.trim().toLowerCase() !== former) await countMail(former);
    const whose = { provider: provider.id, issuer: provider.issuer, id: idOf(before) as PrincipalId | null, by };
    // Who was deactivated comes back only where the provider says so.
    const isActive = given.isActive ?? before?.active !== false;
    const isComputed = change.isPatch || (before !== null && given.isActive === null);
    const isSame = isStill(userResource, { ...change, isPatch: isComputed });
    const user = await provisioning.setUser({ ...whose, ...given, isActive, isStill: isSame });
    await apply(provider, [user.person.id]);
    return userResource(user);
  },
  drop: ({ provider, service: by }, id) =>
    provisioning.deleteUser({ provider: provider.id, id: id as PrincipalId, by }),
});

export const keptGroups = ({ provisioning }: LedgerDatabase, apply: Apply): Kept<GroupKey> => ({
  kind: "Group",
  keyIn: groupKeyIn,
  async list({ id: provider }, { key, ...asked }) {
    const { total, items } = await provisioning.groups({ provider, ...asked, ...keyed(key) });
    return { total, items: items.map(groupResource) };
  },
  async set({ provider, service: by }, change) {
    const set = { provider: provider.id, id: idOf(change.before), by, ...groupOf(change.checked) };
    const { group, affected } = await provisioning.setGroup({ ...set, isStill: isStill(groupResource, change) });
    await apply(provider, affected);
    return groupResource(group);
  },
  async drop({ provider, service: by }, id) {
    await apply(provider, (await provisioning.dropGroup({ provider: provider.id, id, by })).affected);
  },
});
