import { isDeepStrictEqual } from "node:util";
import { PrivacyError } from "@dosimeter/core";
import { oneAfterAnother } from "@dosimeter/core/internal";
import type { LedgerDatabase, Listed, PrincipalId } from "@dosimeter/ledger";
import { applyGroups } from "../access/oidc-groups.ts";
import type { OidcProvider } from "../access/oidc-provider.ts";
import type { Log } from "../telemetry/log.ts";
import { openThread } from "../threads/thread.ts";
import { type From, type Kept, keptGroups, keptUsers } from "./kept.ts";
import type { Answer, Query, Question } from "./library.ts";
import { partOf } from "./list.ts";
import type { Resource } from "./resources.ts";

/** One request of a provider, whose service it came from. */
interface ScimRequest extends From {
  readonly method: string;
  /** What stands after `/scim/v2/`. */
  readonly path: string;
  readonly query: Query;
  readonly body: () => Promise<unknown>;
}

interface ReadRequest extends Omit<ScimRequest, "body"> {
  readonly body: unknown;
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
/** Questions of one provider that wait for its thread, and changes for their turn. */
const MAX_WAITING = 20;
/** Between servers that change the same at once, one is through in each attempt. */
const MAX_ATTEMPTS = 10;
/** A filter that no index answers is computed over all people or groups of a provider, if they are no more. */
const MAX_FILTERED = 2_000;

type Ask = (question: Question) => Promise<unknown>;

interface Limits {
  readonly ask: Ask;
  readonly maxFiltered: number;
}

export function openScim({
  providers,
  database,
  log,
  milliseconds = MAX_MS,
  maxFiltered = MAX_FILTERED,
}: {
  readonly providers: readonly OidcProvider[];
  readonly database: LedgerDatabase;
  readonly log: Log;
  /** How long one filter or patch may take. */
  readonly milliseconds?: number;
  /** Over how many people or groups an unusual filter is computed. */
  readonly maxFiltered?: number;
}): Scim {
  const { provisioning, people } = database;
  const opened = new Map(
    providers.filter(({ scim }) => scim === true).map(({ id }) => [id, openProvider(milliseconds)]),
  );

  function provider(id: string): OidcProvider {
    const provider = providers.find((one) => one.id === id);
    if (provider === undefined) throw new PrivacyError("NOT_FOUND", { name: "provider" });
    if (provider.scim === true) return provider;
    throw new PrivacyError(
      "CONFLICT",
      {},
      `this provider brings no people: its operator sets "scim": true in DOSIMETER_OIDC`,
    );
  }

  /** What is given last is of what the database holds last, also by another server: it is read again afterwards. */
  async function apply({ groups: table, id: provider }: OidcProvider, affected: readonly PrincipalId[]): Promise<void> {
    if (table === undefined) return;
    for (const principal of affected) {
      let given: ReadonlySet<string> | null = null;
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const person = await people.principal(principal);
        const groups = await provisioning.groupNamesOf({ provider, principal });
        if (person.removedAt !== null || groups === null || isDeepStrictEqual(groups, given)) break;
        await applyGroups(person, groups, { table, people, log });
        given = groups;
      }
    }
  }

  const users = keptUsers(database, apply);
  const groups = keptGroups(database, apply);

  return {
    provider,
    async answer(request) {
      const [endpoint, id, more] = request.path.split("/");
      const own = opened.get(request.provider.id);
      if (own === undefined) throw new PrivacyError("NOT_FOUND");
      const { ask } = own;
      if (endpoint !== "Users" && endpoint !== "Groups") {
        if (request.method !== "GET") throw new PrivacyError("NOT_FOUND");
        const body = await ask({ ask: "about", path: request.path, base: request.query.base });
        if (body === null) throw new PrivacyError("NOT_FOUND");
        return { status: 200, body };
      }
      if (more !== undefined || id === "") throw new PrivacyError("NOT_FOUND");
      const asked = { id: id ?? null, ask, maxFiltered };
      // Before its turn, which a slow sender would hold, and once for all attempts.
      const body = ["POST", "PUT", "PATCH"].includes(request.method) ? await request.body() : null;
      let counted: Promise<void> | undefined;
      const countMail = (address: string) => {
        counted ??= request.countMail(address);
        return counted;
      };
      const read = { ...request, body, countMail };
      const answered = () => (endpoint === "Users" ? answerOf(users, read, asked) : answerOf(groups, read, asked));
      return request.method === "GET" ? answered() : own.inTurn(() => untilAlone(answered));
    },
    async close() {
      for (const own of opened.values()) await own.close();
    },
  };
}

/** Against changes of other servers, which know nothing of the turns of this one: again from what is kept now. RATE_LIMITED. */
async function untilAlone<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1)
    try {
      return await work();
    } catch (error) {
      if (!isStale(error)) throw error;
    }
  throw new PrivacyError("RATE_LIMITED", {}, "others change this at the same time; try again soon");
}

const isStale = (error: unknown): boolean => error instanceof PrivacyError && error.details.why === "CHANGED";

/** Each provider has a thread and a turn of its own, so that none holds up another. */
function openProvider(milliseconds: number) {
  const turn = oneAfterAnother();
  let waiting = 0;
  const thread = openThread<Question, Answer>("scim.worker", import.meta.url, {
    milliseconds,
    memoryMb: MAX_MB,
    most: MAX_WAITING,
  });
  return {
    close: () => thread.close(),
    async ask(question: Question): Promise<unknown> {
      const answer = await thread.ask(question);
      if ("value" in answer) return answer.value;
      const { scimType, detail } = answer.refused;
      throw new PrivacyError("INVALID_PARAMETER", scimType === null ? {} : { scimType }, detail);
    },
    /** Changes come one after another, each with all that it reads. RATE_LIMITED when too many wait. */
    async inTurn<T>(work: () => Promise<T>): Promise<T> {
      if (waiting >= MAX_WAITING)
        throw new PrivacyError("RATE_LIMITED", {}, "too many changes wait for their turn; try again soon");
      waiting += 1;
      return turn(work).finally(() => {
        waiting -= 1;
      });
    },
  };
}

async function answerOf<Key>(
  kept: Kept<Key>,
  request: ReadRequest,
  { id, ask, maxFiltered }: Limits & { readonly id: string | null },
): Promise<ScimAnswer> {
  const { kind, set, drop } = kept;
  const { method, query } = request;
  const show = (resource: Resource) => ask({ ask: "show", kind, resource, query });
  if (id === null) {
    if (method === "GET") return { status: 200, body: await listOf(kept, request, { ask, maxFiltered }) };
    if (method !== "POST") throw new PrivacyError("METHOD_NOT_ALLOWED", { want: "GET, POST" });
    const checked = await ask({ ask: "check", kind, body: request.body });
    return { status: 201, body: await show(await set(request, { before: null, checked, isPatch: false })) };
  }
  const { items } = await kept.list(request.provider, { key: { ids: [id] }, from: 0, count: 1, withMembers: true });
  const [resource] = items;
  if (resource === undefined) throw new PrivacyError("NOT_FOUND");
  switch (method) {
    case "GET":
      return { status: 200, body: await show(resource) };
    case "PUT":
    case "PATCH": {
      const { body } = request;
      const isPatch = method === "PATCH";
      try {
        const checked = await ask(isPatch ? { ask: "patch", kind, resource, body } : { ask: "check", kind, body });
        return { status: 200, body: await show(await set(request, { before: resource, checked, isPatch })) };
      } catch (error) {
        if (kind === "User" && !isStale(error) && (await endsUser({ ask, resource, method, body })))
          await set(request, { before: resource, checked: { ...resource, active: false }, isPatch: true });
        throw error;
      }
    }
    case "DELETE":
      await drop(request, id);
      return { status: 204, body: null };
    default:
      throw new PrivacyError("METHOD_NOT_ALLOWED", { want: "GET, PUT, PATCH, DELETE" });
  }
}

/** Whom a refused request lets go leaves all the same: only the rest of it is refused. */
async function endsUser({ ask, ...change }: Pick<Limits, "ask"> & Omit<Extract<Question, { ask: "ends" }>, "ask">) {
  if (change.resource.active === false) return false;
  try {
    return (await ask({ ask: "ends", ...change })) === true;
  } catch {
    return false;
  }
}

/** Groups with their members, each of which may have thousands. */
const MAX_WITH_MEMBERS = 20;

/** A part of a list. Only as many are read as are shown, and as an unusual filter needs. */
async function listOf<Key>(
  kept: Kept<Key>,
  { provider, query }: ReadRequest,
  { ask, maxFiltered }: Limits,
): Promise<unknown> {
  const { kind } = kept;
  const { from, count } = partOf(query);
  const withMembers = kind === "Group" && !/\bmembers\b/i.test(query.excludedAttributes ?? "");
  const shown = { count: withMembers ? Math.min(count, MAX_WITH_MEMBERS) : count, withMembers };
  const place = { kind, query, startIndex: from + 1 };
  const known = query.filter === undefined ? undefined : kept.keyIn(query.filter);
  if (query.filter === undefined || (known !== null && known !== undefined)) {
    const { total, items: resources } = await kept.list(provider, { key: known ?? undefined, from, ...shown });
    return ask({ ask: "list", ...place, resources, total });
  }
  const all = await filtered(kept, { provider, filter: query.filter, maxFiltered });
  const ids = (await ask({ ask: "match", kind, resources: all.items, filter: query.filter })) as readonly string[];
  const key = { ids: ids.slice(from, from + shown.count) };
  const { items: resources } = await kept.list(provider, { key, from: 0, ...shown });
  return ask({ ask: "list", ...place, resources, total: ids.length });
}

/** All over which a filter is computed. INVALID_PARAMETER, `tooMany` of RFC 7644, above the limit. */
async function filtered<Key>(
  kept: Kept<Key>,
  {
    provider,
    filter,
    maxFiltered,
  }: { readonly provider: OidcProvider; readonly filter: string; readonly maxFiltered: number },
): Promise<Listed<Resource>> {
  const withMembers = kept.kind === "Group" && /\bmembers\b/i.test(filter);
  const most = withMembers ? MAX_WITH_MEMBERS : maxFiltered;
  const { total } = await kept.list(provider, { from: 0, count: 0, withMembers: false });
  if (total <= most) return kept.list(provider, { from: 0, count: most, withMembers });
  throw new PrivacyError(
    "INVALID_PARAMETER",
    { name: "filter", scimType: "tooMany" },
    `this filter is computed over ${most} resources at most: ask for one value by eq, of ${kept.kind === "User" ? "userName, externalId, id or emails.value" : "displayName, externalId, id or members.value"}`,
  );
}
