import { PrivacyError } from "@dosimeter/core";
import type { LedgerDatabase, PrincipalId } from "@dosimeter/ledger";
import { applyGroups } from "../access/oidc-groups.ts";
import type { OidcProvider } from "../access/oidc-provider.ts";
import { openThread } from "../report/thread.ts";
import type { Log } from "../telemetry/log.ts";
import type { Answer, Query, Question, Resource } from "./library.ts";
import { groupOf, groupResource, userOf, userResource } from "./resources.ts";

/** One request of a provider, whose service it came from. */
interface ScimRequest {
  readonly provider: OidcProvider;
  readonly service: PrincipalId;
  readonly method: string;
  /** What stands after `/scim/v2/`. */
  readonly path: string;
  readonly query: Query;
  readonly body: () => Promise<unknown>;
}

interface ScimAnswer {
  readonly status: 200 | 201 | 204;
  readonly body: unknown;
}

/** The people and groups that providers keep here by SCIM 2.0 (RFC 7644). */
export interface Scim {
  /** NOT_FOUND for one that the settings do not name; CONFLICT for one that they do not let in. */
  provider(id: string): OidcProvider;
  answer(request: ScimRequest): Promise<ScimAnswer>;
  close(): Promise<void>;
}

/** A hostile filter would take minutes, and all of the memory. */
const MAX_MS = 10_000;
const MAX_MB = 512;

export function openScim({
  providers,
  database,
  log,
  milliseconds = MAX_MS,
}: {
  readonly providers: readonly OidcProvider[];
  readonly database: LedgerDatabase;
  readonly log: Log;
  /** How long one filter or patch may take. */
  readonly milliseconds?: number;
}): Scim {
  const thread = openThread<Question, Answer>("scim.worker", { milliseconds, memoryMb: MAX_MB });
  const { provisioning, people } = database;
  let last: Promise<unknown> = Promise.resolve();

  async function ask(question: Question): Promise<unknown> {
    const answer = await thread.ask(question);
    if ("value" in answer) return answer.value;
    const { scimType, detail } = answer.refused;
    throw new PrivacyError("INVALID_PARAMETER", scimType === null ? {} : { scimType }, detail);
  }

  /** Gives people what their groups say, one after another: what is given last is of what the database holds last. */
  async function apply(provider: OidcProvider, affected: readonly PrincipalId[]): Promise<void> {
    const { groups: table, id } = provider;
    if (table === undefined || affected.length === 0) return;
    const work = last.then(async () => {
      for (const principal of affected) {
        const person = await people.principal(principal);
        if (person.disabledAt !== null) continue;
        const groups = await provisioning.groupNamesOf({ provider: id, principal });
        if (groups !== null) await applyGroups(person, groups, { table, people, log });
      }
    });
    last = work.catch(() => undefined);
    await work;
  }

  const users: Kept = {
    kind: "User",
    all: async (provider) => (await provisioning.users(provider.id)).map(userResource),
    async set({ provider, service: by }, id, checked) {
      const given = {
        provider: provider.id,
        issuer: provider.issuer,
        id: id as PrincipalId | null,
        by,
        ...userOf(checked),
      };
      const user = await provisioning.setUser(given);
      await apply(provider, [user.person.id]);
      return userResource(user);
    },
    drop: ({ provider, service: by }, id) =>
      provisioning.deleteUser({ provider: provider.id, id: id as PrincipalId, by }),
  };

  const groups: Kept = {
    kind: "Group",
    all: async (provider) => (await provisioning.groups(provider.id)).map(groupResource),
    async set({ provider, service: by }, id, checked) {
      const { group, affected } = await provisioning.setGroup({ provider: provider.id, id, by, ...groupOf(checked) });
      await apply(provider, affected);
      return groupResource(group);
    },
    async drop({ provider, service: by }, id) {
      await apply(provider, (await provisioning.dropGroup({ provider: provider.id, id, by })).affected);
    },
  };

  return {
    provider(id) {
      const provider = providers.find((one) => one.id === id);
      if (provider === undefined) throw new PrivacyError("NOT_FOUND", { name: "provider" });
      if (provider.scim === true) return provider;
      throw new PrivacyError(
        "CONFLICT",
        {},
        `this provider brings no people: its operator sets "scim": true in DOSIMETER_OIDC`,
      );
    },
    async answer(request) {
      const [endpoint, id, more] = request.path.split("/");
      const kept = { Users: users, Groups: groups }[endpoint ?? ""];
      if (kept === undefined) {
        const body =
          request.method === "GET" ? await ask({ ask: "about", path: request.path, base: request.query.base }) : null;
        if (body === null) throw new PrivacyError("NOT_FOUND");
        return { status: 200, body };
      }
      if (more !== undefined || id === "") throw new PrivacyError("NOT_FOUND");
      return answerOf(kept, request, { id: id ?? null, ask });
    },
    close: () => thread.close(),
  };
}

/** How people, or groups, of a provider are read and written. */
interface Kept {
  readonly kind: "User" | "Group";
  readonly all: (provider: OidcProvider) => Promise<readonly Resource[]>;
  readonly set: (from: ScimRequest, id: string | null, checked: unknown) => Promise<Resource>;
  readonly drop: (from: ScimRequest, id: string) => Promise<void>;
}

async function answerOf(
  { kind, all, set, drop }: Kept,
  request: ScimRequest,
  { id, ask }: { readonly id: string | null; readonly ask: (question: Question) => Promise<unknown> },
): Promise<ScimAnswer> {
  const { method, query, provider } = request;
  const show = (resource: Resource) => ask({ ask: "show", kind, resource, query });
  if (id === null) {
    if (method === "GET")
      return { status: 200, body: await ask({ ask: "list", kind, resources: await all(provider), query }) };
    if (method !== "POST") throw new PrivacyError("METHOD_NOT_ALLOWED", { want: "GET, POST" });
    const checked = await ask({ ask: "check", kind, body: await request.body() });
    return { status: 201, body: await show(await set(request, null, checked)) };
  }
  const resource = (await all(provider)).find((one) => one.id === id);
  if (resource === undefined) throw new PrivacyError("NOT_FOUND");
  switch (method) {
    case "GET":
      return { status: 200, body: await show(resource) };
    case "PUT": {
      const checked = await ask({ ask: "check", kind, body: await request.body() });
      return { status: 200, body: await show(await set(request, id, checked)) };
    }
    case "PATCH": {
      const patched = await ask({ ask: "patch", kind, resource, body: await request.body() });
      return { status: 200, body: await show(await set(request, id, patched)) };
    }
    case "DELETE":
      await drop(request, id);
      return { status: 204, body: null };
    default:
      throw new PrivacyError("METHOD_NOT_ALLOWED", { want: "GET, PUT, PATCH, DELETE" });
  }
}
