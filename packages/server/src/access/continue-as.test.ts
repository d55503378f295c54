import { request } from "node:http";
import { text as readAll } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { serve } from "../serve.ts";

const place = temporaryFolder();
let serving: Awaited<ReturnType<typeof serve>>;
let dana = "";

beforeAll(async () => {
  serving = await serve({ folder: place, port: 0, webRoot: null });
  await serving.instance.createDemoPerson("Dana");
  const people = await serving.instance.database.people.principals();
  dana = people.find(({ name }) => name === "Dana")?.id ?? "";
});
afterAll(() => serving.close());

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly cookie: string | undefined;
}

/** A request with any headers, which `fetch` would not send. */
function send(method: "GET" | "POST", headers: Record<string, string>, body?: object): Promise<Answer> {
  const { port } = new URL(serving.url);
  const path = method === "GET" ? "/v1/session" : "/v1/session/demo";
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers: { host: `localhost:${port}`, ...headers } });
    sent.on("error", reject).on("response", (response) => {
      const { statusCode: status = 0, headers: given } = response;
      readAll(response).then((text) => resolve({ status, body: text, cookie: given["set-cookie"]?.[0] }), reject);
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const offered = async (headers: Record<string, string> = {}) =>
  (JSON.parse((await send("GET", headers)).body).demoPeople as { name: string }[]).map(({ name }) => name);
const enter = (headers: Record<string, string> = {}, person = dana) => {
  const origin = `http://localhost:${new URL(serving.url).port}`;
  return send(
    "POST",
    { origin, "x-dosimeter": "1", "content-type": "application/json", "sec-fetch-site": "same-origin", ...headers },
    { person },
  );
};

test("a browser on this machine is offered the people of the demo, and continues as one", async () => {
  expect(await offered()).toEqual(["Dana"]);
  const { status, cookie } = await enter();
  expect(status).toBe(201);
  expect(cookie).toMatch(/^dosimeter=dss_.*HttpOnly; SameSite=Lax/);
  expect(await offered({ cookie: cookie?.split(";")[0] ?? "" }), "who is signed in").toEqual([]);
});

const port = () => new URL(serving.url).port;
const elsewhere: readonly (readonly [string, () => Record<string, string>])[] = [
  ["a proxy that forwards", () => ({ "x-forwarded-for": "203.0.113.5" })],
  ["a proxy that says the host", () => ({ "x-forwarded-host": "dose.example" })],
  ["a proxy with the standard header", () => ({ forwarded: "for=203.0.113.5" })],
  ["a proxy that passes the address", () => ({ "x-real-ip": "203.0.113.5" })],
  ["a gateway", () => ({ via: "1.1 gateway" })],
  ...[
    ...["cf-connecting-ip", "cf-ray", "cdn-loop", "true-client-ip", "x-client-ip", "client-ip", "x-cluster-client-ip"],
    ...["x-original-forwarded-for", "x-original-host", "x-original-url", "x-envoy-external-address", "x-scheme"],
    ...["fastly-client-ip", "fly-client-ip", "x-appengine-user-ip", "x-azure-clientip", "x-azure-socketip"],
    ...["x-arr-log-id", "x-amzn-trace-id", "x-cloud-trace-context", "x-nf-client-connection-ip", "x-vercel-id"],
    ...["x-remote-addr", "remote-addr", "x-remote-ip", "x-proxyuser-ip", "wl-proxy-client-ip", "proxy-connection"],
    ...["x-request-id", "x-rewrite-url", "tailscale-user-login", "x-goog-iap-jwt-assertion", "x-no-one-knows-it"],
  ].map((name) => [`a proxy that adds ${name}`, () => ({ [name]: "203.0.113.5" })] as const),
  [
    "a name that points here (DNS rebinding)",
    () => ({ host: `evil.test:${port()}`, origin: `http://evil.test:${port()}` }),
  ],
  ["a name that begins like this one", () => ({ host: "localhost.evil.test", origin: "http://localhost.evil.test" })],
  ["an address of the network", () => ({ host: "192.168.1.7", origin: "http://192.168.1.7" })],
];

test("what browsers send by themselves keeps no one out", async () => {
  const browsers = [
    { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty", "sec-ch-ua-platform": "Linux", "sec-gpc": "1", dnt: "1" },
    { accept: "*/*", "accept-language": "de", "accept-encoding": "br", referer: "http://localhost/", priority: "u=4" },
    {
      pragma: "no-cache",
      "cache-control": "no-cache",
      connection: "keep-alive",
      "user-agent": "Mozilla/5.0",
      te: "trailers",
    },
  ];
  for (const headers of browsers) expect(await offered(headers as never)).toEqual(["Dana"]);
});

test.each(elsewhere)("%s: no one is offered or let in", async (_, headers) => {
  expect(await offered(headers())).toEqual([]);
  const { status, cookie } = await enter(headers());
  expect([status, cookie]).toEqual([404, undefined]);
});

test("another site, another port and what is no browser are refused", async () => {
  expect((await enter({ origin: "https://evil.test" })).status).toBe(403);
  expect((await enter({ origin: "http://localhost:1" })).status).toBe(403);
  expect((await enter({ "sec-fetch-site": "cross-site" })).status).toBe(403);
  const origin = `http://localhost:${port()}`;
  const bare = await send("POST", { "content-type": "application/json" }, { person: dana });
  expect(bare.status).toBe(404);
  expect((await send("POST", { origin, "content-type": "application/json" }, { person: dana })).status).toBe(403);
});

test("only people of the demo, and none once a real person is here", async () => {
  const { id: real } = await serving.instance.database.people.createPrincipal({
    kind: "service",
    name: "robot",
    by: "usr_system" as never,
  });
  expect((await enter({}, real)).status).toBe(404);
  await serving.instance.database.people.createPrincipal({ kind: "user", name: "Rosa", by: "usr_system" as never });
  expect(await offered()).toEqual([]);
  expect((await enter()).status).toBe(404);
  expect(JSON.parse((await send("GET", {})).body)).toMatchObject({ me: null, demo: "ended" });
});
