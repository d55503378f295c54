import { invalid, PrivacyError } from "@dosimeter/core";
import type { Fields } from "@dosimeter/core/internal";
import type { Call } from "./call.ts";
import { calls } from "./calls.ts";
import { serverSentEvents } from "./events.ts";
import type { Input, Item, Output } from "./input.ts";
import type { RouteName, Routes } from "./routes.ts";
import { problemToError } from "./status.ts";

export interface ClientOptions {
  /** Where the server is; "" for the page's own origin. */
  readonly url: string;
  /** A bearer token. Without one a browser sends its session cookie. */
  readonly token?: string;
  /** `fetch` of the platform, or `app.fetch` of a server in the same process. */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** For routes that charge: the same key is charged once and answers the same bytes. A fresh one when absent. */
  readonly idempotencyKey?: string;
}

type Answered<Name extends RouteName> = Routes[Name] extends { readonly events: true }
  ? AsyncIterable<Output<Name>>
  : Promise<Output<Name>>;

type Method<Name extends RouteName> =
  unknown extends Input<Name>
    ? (input?: Record<string, never>, options?: RequestOptions) => Answered<Name>
    : Record<string, never> extends Input<Name>
      ? (input?: Input<Name>, options?: RequestOptions) => Answered<Name>
      : (input: Input<Name>, options?: RequestOptions) => Answered<Name>;

type Methods = { readonly [Name in RouteName]: Method<Name> };

type PagedName = { [Name in RouteName]: Item<Name> extends never ? never : Name }[RouteName];

interface WaitOptions extends RequestOptions {
  /** Called at every change of stage. */
  readonly onStage?: (stage: Output<"showRelease">["stage"]) => void;
}

/** One method per route; throws `PrivacyError` with the server's code and facts. */
export interface Client extends Methods {
  /**
   * Charges the plan and waits for its answers. A lost connection is taken up again under the same key, at no cost; a
   * server that is asked too often is asked again when it says, if that is within half a minute.
   */
  releaseAndWait(input: Omit<Input<"createRelease">, "wait">, options?: WaitOptions): Promise<Output<"showRelease">>;
  /** The same for SQL, whose answers come as tables too. */
  releaseSqlAndWait(input: Omit<Input<"releaseSql">, "wait">, options?: WaitOptions): Promise<Output<"releaseSql">>;
  /** Every item of a paged route, page after page. */
  all<Name extends PagedName>(
    name: Name,
    input?: Omit<Input<Name>, "cursor">,
    options?: RequestOptions,
  ): AsyncIterable<Item<Name>>;
}

export function createClient({ url, token, fetch: given }: ClientOptions): Client {
  const send = given ?? ((request: Request) => fetch(request));
  const base = url.endsWith("/") ? url.slice(0, -1) : url;

  async function call(name: RouteName, input: Fields = {}, options: RequestOptions = {}): Promise<unknown> {
    const response = await send(toRequest(base, calls[name], input, { ...options, token }));
    return answerOf(response);
  }

  async function* watch(name: RouteName, input: Fields = {}, options: RequestOptions = {}): AsyncIterable<unknown> {
    const response = await send(toRequest(base, calls[name], input, { ...options, token }));
    if (!response.ok || response.body === null) await answerOf(response);
    else yield* serverSentEvents(response.body);
  }

  async function fetchBytes(name: RouteName, input: Fields = {}, options: RequestOptions = {}): Promise<Blob> {
    const response = await send(toRequest(base, calls[name], input, { ...options, token }));
    if (!response.ok) await answerOf(response);
    return response.blob();
  }

  const methods = Object.fromEntries(
    Object.entries<Call>(calls).map(([each, { answer }]) => {
      const name = each as RouteName;
      const run = answer === "events" ? watch : answer === "bytes" ? fetchBytes : call;
      return [name, (input?: Fields, options?: RequestOptions) => run(name, input, options)];
    }),
  ) as unknown as Methods;

  async function finished(charged: Output<"showRelease">, { onStage, ...options }: WaitOptions) {
    let release = charged;
    let shown: string | null = null;
    for (;;) {
      if (release.stage !== shown) onStage?.(release.stage);
      shown = release.stage;
      if (release.stage === "done") return release;
      if (release.failure !== null) throw problemToError(release.failure, release.failure.status);
      const { id } = release;
      release = await again(() => methods.showRelease({ release: id, wait: WAIT_SECONDS }, options), options.signal);
    }
  }

  return {
    ...methods,
    async releaseAndWait(input, options = {}) {
      const keyed = { ...options, idempotencyKey: options.idempotencyKey ?? newKey() };
      const charged = await again(
        () => methods.createRelease({ ...input, wait: ANSWER_AT_ONCE }, keyed),
        options.signal,
      );
      return finished(charged, options);
    },
    async releaseSqlAndWait(input, options = {}) {
      const keyed = { ...options, idempotencyKey: options.idempotencyKey ?? newKey() };
      const answered = () => again(() => methods.releaseSql({ ...input, wait: ANSWER_AT_ONCE }, keyed), options.signal);
      const charged = await answered();
      const release = await finished(charged.release, options);
      // The same key answers the same, and is not charged again.
      return charged.tables === null ? { ...(await answered()), release } : charged;
    },
    async *all(name, input, options) {
      let cursor: string | undefined;
      do {
        const page = (await call(name, { ...input, ...(cursor === undefined ? {} : { cursor }) }, options)) as {
          items: never[];
          next: string | null;
        };
        yield* page.items;
        cursor = page.next ?? undefined;
      } while (cursor !== undefined);
    },
  };
}

const ANSWER_AT_ONCE = 0;
const WAIT_SECONDS = 20;
/**
 * What breaks on the way is tried this many times, a second apart, and so is what the server had no time for, after the
 * time it names: neither was charged twice nor decided. Any other refusal is an answer, and never tried again.
 */
const TRIES = 5;
const PAUSE_SECONDS = 1;
const MAX_PAUSE_SECONDS = 30;

function toRequest(
  base: string,
  route: Call,
  input: Fields,
  { signal, idempotencyKey, token }: RequestOptions & { readonly token: string | undefined },
): Request {
  const rest = { ...input };
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    // A URL resolves dots: they would lead to another route.
    if (typeof value !== "string" || /^\.{0,2}$/.test(value)) invalid(name, value, "an id");
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  for (const name of route.query ?? []) {
    const value = rest[name];
    delete rest[name];
    if (value !== undefined) query.set(name, String(value));
  }
  const headers = new Headers({ accept: "application/json", "x-dosimeter": "1" });
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  if (route.idempotent) headers.set("idempotency-key", idempotencyKey ?? newKey());
  const search = query.size > 0 ? `?${query}` : "";
  return new Request(`${base === "" ? location.origin : base}${path}${search}`, {
    method: route.method,
    headers,
    credentials: "same-origin",
    ...content(route, rest, headers),
    ...(signal === undefined ? {} : { signal }),
  });
}

function content({ body: kind }: Call, rest: Fields, headers: Headers): RequestInit {
  if (kind === undefined) return {};
  if (kind === "json") {
    headers.set("content-type", "application/json");
    return { body: JSON.stringify(rest) };
  }
  headers.set("content-type", "application/octet-stream");
  const body = rest.content as BodyInit;
  // A stream in a request needs `duplex`, which the DOM's types do not know yet.
  return body instanceof ReadableStream ? ({ body, duplex: "half" } as RequestInit) : { body };
}

async function answerOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const text = await response.text();
  const body = parseJson(text);
  if (!response.ok) throw problemToError(body, response.status);
  if (body === undefined) throw problemToError(undefined, response.status);
  return body;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function again<T>(run: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      const pause = pauseAfter(error);
      if (pause === null || signal?.aborted || attempt === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause * 1000));
    }
  }
}

/** Seconds until it is worth another try; null when it is not. */
function pauseAfter(error: unknown): number | null {
  if (!(error instanceof PrivacyError)) return PAUSE_SECONDS;
  const { seconds } = error.details;
  if (error.code !== "RATE_LIMITED" || typeof seconds !== "number") return null;
  return seconds <= MAX_PAUSE_SECONDS ? seconds : null;
}

/** 128 random bits; `crypto.randomUUID` is missing on pages that are not served over TLS. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
