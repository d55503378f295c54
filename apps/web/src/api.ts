import {
  type Client,
  createClient,
  type File,
  type Input,
  type PlanRequest,
  problemToError,
  routes,
} from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import {
  infiniteQueryOptions,
  keepPreviousData,
  QueryCache,
  QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { apiUrl, mode } from "./mode.ts";

/** The only file that talks to a server. Built pages on a file host never call anything here. */
const origin = apiUrl === undefined || apiUrl === "" ? location.origin : new URL(apiUrl, location.origin).href;
const client = createClient({ url: origin });

/** A refusal is an answer: only a lost connection or a fault of the server is worth asking again. */
const isWorthRetrying = (count: number, error: unknown): boolean =>
  count < 2 && (!(error instanceof PrivacyError) || error.code === "INTERNAL");

/** Since when the server cannot be reached, or null: what is on the page then is as it was. */
let lostAt: Date | null = null;
const listeners = new Set<() => void>();
function reach(isThere: boolean): void {
  if (isThere === (lostAt === null)) return;
  lostAt = isThere ? null : new Date();
  for (const tell of listeners) tell();
}

/** No connection, or a proxy that finds nobody behind it. A refusal is an answer; other failures say nothing about the server. */
const GATEWAY_ERRORS: readonly unknown[] = [502, 503, 504];
function hear(error: unknown): void {
  if (error instanceof TypeError) reach(false);
  else if (error instanceof PrivacyError)
    reach(error.code !== "INTERNAL" || !GATEWAY_ERRORS.includes(error.details.status));
}

export const useLostAt = (): Date | null =>
  useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => lostAt,
  );

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onSuccess: () => reach(true),
    onError: hear,
  }),
  defaultOptions: { queries: { retry: isWorthRetrying, staleTime: 5_000 }, mutations: { retry: false } },
});

const isServed = mode === "server";
const LONG_POLL_SECONDS = 15;

const meQuery = queryOptions({ queryKey: ["me"], queryFn: () => client.me(), enabled: isServed, staleTime: 60_000 });

export const useMe = () => useQuery(meQuery);

export const useHealth = () =>
  useQuery({ queryKey: ["health"], queryFn: () => client.health(), enabled: isServed, staleTime: Infinity });

/** Everything known is forgotten when the person changes, and what is on the page is asked again. */
function useNewPerson() {
  const queries = useQueryClient();
  return () => queries.resetQueries();
}

export function useSignIn() {
  const onSuccess = useNewPerson();
  return useMutation({
    mutationFn: (secret: Input<"signIn">) => client.signIn(secret),
    onSuccess,
  });
}

export function useSignOut() {
  const onSuccess = useNewPerson();
  return useMutation({ mutationFn: () => client.signOut(), onSuccess });
}

export function useViewAs() {
  const onSuccess = useNewPerson();
  return useMutation({ mutationFn: (person: string) => client.viewAs({ person }), onSuccess });
}

/** A page at a time, searched by the server; what was found before stays in sight while one types. */
export const useDatasets = (text = "") =>
  useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: ["datasets", "found", text],
      queryFn: ({ pageParam }) => client.listDatasets({ ...searched(text), ...paged(pageParam) }),
      enabled: isServed,
      placeholderData: keepPreviousData,
      ...PAGING,
    }),
  );

/** All of them, for a list to choose from. */
export const useEveryDataset = () =>
  useQuery(whole(["datasets", "all"], () => client.all("listDatasets", { limit: LARGEST_PAGE })));

export const useDataset = (dataset: string, isAsked = true) =>
  useQuery({ queryKey: ["dataset", dataset], queryFn: () => client.showDataset({ dataset }), enabled: isAsked });

export const useLedger = (ledger: string) =>
  useQuery({ queryKey: ["ledger", ledger], queryFn: () => client.showLedger({ ledger }) });

/** The whole visible tree: an account may arrive pages after its parent. */
export const useAccountTree = (ledger: string, isWanted = true) =>
  useQuery({
    enabled: isWanted,
    queryKey: ["ledger", ledger, "accounts"],
    queryFn: () => collect(client.all("listAccounts", { ledger, limit: LARGEST_PAGE })),
  });

export type EntryFilter = Pick<Input<"listEntries">, "kind" | "account" | "person">;

export const useEntries = (ledger: string, filter: EntryFilter = {}) =>
  useInfiniteQuery({
    queryKey: ["ledger", ledger, "entries", filter],
    queryFn: ({ pageParam }) => client.listEntries({ ledger, limit: 20, ...filter, ...paged(pageParam) }),
    ...PAGING,
  });

export const useAccess = (dataset: string) =>
  useQuery({
    queryKey: ["dataset", dataset, "access"],
    queryFn: async () => (await client.listAccess({ dataset })).items,
  });

export const useAmendments = (ledger: string) =>
  useQuery({ queryKey: ["ledger", ledger, "amendments"], queryFn: () => client.listAmendments({ ledger }) });

export const usePreviewAmendment = (raise: Input<"previewAmendment">, isRaise: boolean) =>
  useQuery({
    enabled: isRaise,
    queryKey: ["ledger", raise.ledger, "raise", raise],
    queryFn: ({ signal }) => client.previewAmendment(raise, { signal }),
  });

/** Needs no sign-in. */
export const usePublicGuarantee = (population: string) =>
  useQuery({ queryKey: ["public", population], queryFn: () => client.showPublicGuarantee({ population }) });

export const useSwitchPreview = (ledger: string) =>
  useQuery({ queryKey: ["ledger", ledger, "switch"], queryFn: () => client.previewSwitch({ ledger }) });

/** Every accountant side by side, for a ledger or one account on it. Computed once for each head of the ledger. */
export const useReport = (
  of: { readonly ledger: string } | { readonly account: string },
  options: { readonly delta?: string; readonly threshold?: number } = {},
) =>
  useQuery({
    queryKey: ["report", of, options],
    queryFn: ({ signal }) =>
      "ledger" in of
        ? client.reportLedger({ ...of, ...options }, { signal })
        : client.reportAccount({ ...of, ...options }, { signal }),
    // Another δ keeps the old totals in sight meanwhile; another account's are never shown as this one's.
    placeholderData: (before, query) =>
      JSON.stringify(query?.queryKey[1]) === JSON.stringify(of) ? before : undefined,
  });

export const useMyAccounts = (text = "") =>
  useInfiniteQuery({
    queryKey: ["accounts", text],
    queryFn: ({ pageParam }) => client.listMyAccounts({ limit: 12, ...searched(text), ...paged(pageParam) }),
    enabled: isServed,
    placeholderData: keepPreviousData,
    ...PAGING,
  });

export const useReleases = (filter: { readonly dataset?: string; readonly limit?: number } = {}) =>
  useInfiniteQuery({
    queryKey: ["releases", filter],
    queryFn: ({ pageParam }) => client.listReleases({ limit: 20, ...filter, ...paged(pageParam) }),
    ...PAGING,
  });

/** Released statistics that I may be given again; empty filters are no filters. */
export const useReleased = (
  dataset: string,
  filter: { readonly text: string; readonly column: string; readonly statistic: string },
) =>
  useInfiniteQuery({
    queryKey: ["released", dataset, filter],
    queryFn: ({ pageParam }) =>
      client.listReleased({
        dataset,
        limit: 50,
        ...Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== "")),
        ...paged(pageParam),
      }),
    ...PAGING,
  });

export const useReuse = (dataset: string) =>
  useQuery({ queryKey: ["reuse", dataset], queryFn: () => client.showReuse({ dataset }) });

export function useSetReusePolicy(dataset: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (policy: Omit<Input<"setReusePolicy">, "dataset">) => client.setReusePolicy({ dataset, ...policy }),
    onSuccess: (savings) => queries.setQueryData(["reuse", dataset], savings),
  });
}

export const useCombineReleased = (dataset: string) =>
  useMutation({
    mutationFn: (combination: Omit<Input<"combineReleased">, "dataset">) =>
      client.combineReleased({ dataset, ...combination }),
  });

export const useVersions = (dataset: string) =>
  useQuery({ queryKey: ["versions", dataset], queryFn: () => client.listVersions({ dataset }) });

/** Uploads new rows of the same people and makes them the newest version. */
export function useCreateVersion(dataset: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (content: globalThis.File) => {
      const { id: file } = await client.uploadFile({ name: content.name, content });
      return client.createVersion({ dataset, file });
    },
    onSettled: () =>
      Promise.all(
        ["versions", "dataset", "datasets", "quote", "released"].map((name) =>
          queries.invalidateQueries({ queryKey: [name] }),
        ),
      ),
  });
}

/** A release; asked again, waiting at the server, until its answers are there. */
export function useRelease(release: string) {
  const queries = useQueryClient();
  const queryKey = ["release", release];
  return useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      client.showRelease(
        { release, wait: queries.getQueryData(queryKey) === undefined ? 0 : LONG_POLL_SECONDS },
        { signal },
      ),
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.stage === "done" || data.failure ? false : 200,
    staleTime: ({ state: { data } }) => (data?.stage === "done" ? Infinity : 0),
  });
}

/** A finished release as a PDF. */
export const useReleaseReport = () =>
  useMutation({ mutationFn: (release: string) => client.releaseReport({ release }) });

/** What a plan would cost; reads no data. `null` asks nothing. */
export const useQuote = (request: PlanRequest | null) =>
  useQuery({
    queryKey: ["quote", request],
    queryFn: ({ signal }) =>
      request === null ? Promise.reject(new Error("nothing to quote")) : client.quotePlan(request, { signal }),
    enabled: request !== null,
    staleTime: 0,
    gcTime: 60_000,
  });

/** Charges a plan. The same key is charged once, however often it is sent. */
export function useCreateRelease() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ request, key }: { readonly request: PlanRequest; readonly key: string }) =>
      client.createRelease({ ...request, wait: 0 }, { idempotencyKey: key }),
    onSettled: () =>
      Promise.all(
        ["accounts", "dataset", "datasets", "ledger", "releases", "report", "quote", "reuse", "released"].map((name) =>
          queries.invalidateQueries({ queryKey: [name] }),
        ),
      ),
  });
}

export type Box = "received" | "submitted";

export const useRequests = (box: Box) =>
  useQuery({
    queryKey: ["requests", box],
    queryFn: () => collect(client.all("listRequests", { box, limit: LARGEST_PAGE })),
    enabled: isServed,
  });

export const useAccount = (account: string | null) =>
  useQuery({
    queryKey: ["account", account],
    queryFn: () => client.showAccount({ account: account ?? "" }),
    enabled: account !== null,
  });

export const useTeams = () =>
  useQuery({
    queryKey: ["teams"],
    queryFn: () => collect(client.all("listTeams", { limit: LARGEST_PAGE })),
    enabled: isServed,
  });

export const usePeople = () =>
  useQuery({
    queryKey: ["people"],
    queryFn: () => collect(client.all("listPeople", { limit: LARGEST_PAGE })),
    enabled: isServed,
  });

/** Anything that changes something: afterwards, done or refused, what is on the page is asked again. */
export function useChange<Change, Result>(act: (client: Client, change: Change) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: Change) => act(client, change),
    onSettled: () => queries.invalidateQueries(),
  });
}

const LARGEST_PAGE = 200;

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const paged = (cursor: string | null): { cursor?: string } => (cursor === null ? {} : { cursor });

const searched = (text: string): { text?: string } => (text.trim() === "" ? {} : { text: text.trim() });

const PAGING = {
  initialPageParam: null as string | null,
  getNextPageParam: (last: { readonly next: string | null }) => last.next,
};

/** Streams a file from the disk of the browser's machine; `fetch` cannot say how far it is. */
export function useUpload(onProgress: (share: number) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ file, signal }: { readonly file: Blob & { readonly name: string }; readonly signal: AbortSignal }) =>
      upload(file, { signal, onProgress }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["files"] }),
  });
}

function upload(
  file: Blob & { readonly name: string },
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (share: number) => void },
): Promise<File> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const address = new URL(routes.uploadFile.path, origin);
    address.searchParams.set("name", file.name);
    request.open(routes.uploadFile.method, address);
    request.setRequestHeader("x-dosimeter", "1");
    request.setRequestHeader("content-type", "application/octet-stream");
    request.responseType = "json";
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () =>
      request.status === 201
        ? resolve(request.response as File)
        : reject(problemToError(request.response, request.status));
    request.onerror = () => reject(new Error("the connection broke"));
    request.onabort = () => reject(new DOMException("aborted", "AbortError"));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
}

/** Names and types of a file's header, read with another delimiter. */
export const useFileColumns = (
  file: string | undefined,
  delimiter: "auto" | NonNullable<Input<"describeFile">["delimiter"]>,
) =>
  useQuery({
    queryKey: ["files", file, delimiter],
    queryFn: () => client.describeFile({ file: file ?? "", ...(delimiter === "auto" ? {} : { delimiter }) }),
    enabled: file !== undefined && delimiter !== "auto",
    staleTime: Number.POSITIVE_INFINITY,
  });

export const useConnections = (isAsked: boolean) =>
  useQuery({ queryKey: ["connections"], queryFn: () => client.listConnections(), enabled: isAsked });

export const useServerFiles = (isAsked: boolean) =>
  useQuery({ queryKey: ["server-files"], queryFn: () => client.listServerFiles(), enabled: isAsked });

/** The sentence that opening would give; `null` asks nothing. */
export const useLedgerPreview = (terms: Input<"previewLedger"> | null) =>
  useQuery({
    queryKey: ["ledger-preview", terms],
    queryFn: ({ signal }) =>
      terms === null ? Promise.reject(new Error("nothing to preview")) : client.previewLedger(terms, { signal }),
    enabled: terms !== null,
    placeholderData: (before) => before,
    retry: false,
  });

const whole = <T>(queryKey: readonly unknown[], list: () => AsyncIterable<T>, enabled = isServed) =>
  queryOptions({ queryKey, queryFn: () => collect(list()), enabled });

export const useSignInWays = () =>
  useQuery({ queryKey: ["ways"], queryFn: () => client.signInWays(), enabled: isServed, staleTime: Infinity });

export const useTeam = (team: string) =>
  useQuery({ queryKey: ["team", team], queryFn: () => client.showTeam({ team }) });

/** Who is and was in a team; null asks nothing. */
export const useMembers = (team: string | null) =>
  useQuery({
    queryKey: ["team", team, "members"],
    queryFn: async () => (await client.showTeam({ team: team ?? "" })).members,
    enabled: team !== null,
  });

export const useTeamAccounts = (team: string) =>
  useQuery(whole(["team", team, "accounts"], () => client.all("listTeamAccounts", { team, limit: LARGEST_PAGE })));

export const useInvitations = (team: string, isAsked: boolean) =>
  useQuery(
    whole(["team", team, "invitations"], () => client.all("listInvitations", { team, limit: LARGEST_PAGE }), isAsked),
  );

export const useStandingApprovals = (ledger: string) =>
  useQuery(
    whole(["ledger", ledger, "approvals"], () => client.all("listStandingApprovals", { ledger, limit: LARGEST_PAGE })),
  );

export const useRoles = (isAsked: boolean) =>
  useQuery(whole(["roles"], () => client.all("listRoles", { limit: LARGEST_PAGE }), isAsked));

/** My tokens, or those of a service. */
export const useTokens = (service: string | null) =>
  useQuery(
    whole(["tokens", service], () =>
      service === null
        ? client.all("listTokens", { limit: LARGEST_PAGE })
        : client.all("listServiceTokens", { person: service, limit: LARGEST_PAGE }),
    ),
  );

export const useSessions = () =>
  useQuery(whole(["sessions"], () => client.all("listSessions", { limit: LARGEST_PAGE })));

/** What I was told; asked again now and then, so that the bell is right. */
export const useNotifications = () => {
  const me = useMe();
  return useInfiniteQuery({
    queryKey: ["notifications"],
    queryFn: ({ pageParam }) => client.listNotifications({ limit: 30, ...paged(pageParam) }),
    ...PAGING,
    enabled: me.data !== undefined,
    refetchInterval: 60_000,
  });
};

export const useNotificationSettings = () =>
  useQuery({ queryKey: ["notification-settings"], queryFn: () => client.notificationSettings() });

export const useActivity = (limit = 30) =>
  useInfiniteQuery({
    queryKey: ["activity", limit],
    queryFn: ({ pageParam }) => client.listActivity({ limit, ...paged(pageParam) }),
    ...PAGING,
    enabled: isServed,
  });

export type AuditFilter = Omit<Input<"listAudit">, "cursor" | "limit">;

export const useAudit = (filter: AuditFilter) =>
  useInfiniteQuery({
    queryKey: ["audit", filter],
    queryFn: ({ pageParam }) => client.listAudit({ limit: 50, ...filter, ...paged(pageParam) }),
    ...PAGING,
  });

export const useLedgerAudit = (ledger: string) =>
  useInfiniteQuery({
    queryKey: ["audit", ledger],
    queryFn: ({ pageParam }) => client.listLedgerAudit({ ledger, limit: 50, ...paged(pageParam) }),
    ...PAGING,
  });

/** Recomputes everything at the server; asked for by hand. */
export const useVerification = () => useMutation({ mutationFn: () => client.verify() });

export const useSearch = (text: string) =>
  useQuery({
    queryKey: ["search", text],
    queryFn: ({ signal }) => client.search({ text }, { signal }),
    enabled: text !== "",
    placeholderData: (before) => before,
  });

/** One ledger as signed JSON Lines. */
export const exportLedger = (ledger: string): Promise<Blob> => client.exportLedger({ ledger });
