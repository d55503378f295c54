import { type Client, type ClientOptions, createClient } from "@dosimeter/client";

/** A way into a server: where it is and how to reach it. */
export interface Door {
  readonly url: string;
  readonly fetch: NonNullable<ClientOptions["fetch"]>;
}

/** A client signed in through a one-time link: it keeps the session's cookie, as a browser would. */
export async function signedIn({ url, fetch }: Door, link: string): Promise<Client> {
  let cookie: string | null = null;
  const client = createClient({
    url,
    async fetch(request) {
      if (cookie !== null) request.headers.set("cookie", cookie);
      const response = await fetch(request);
      cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? cookie;
      return response;
    },
  });
  await client.signIn({ link: new URL(link).hash.slice(1) });
  return client;
}
