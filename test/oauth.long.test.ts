import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Client, createClient } from "@dosimeter/client";
import {
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { CSV, csvBytes, declaration } from "../packages/server/src/instance.kit.ts";
import { called, eras, newAgent } from "../packages/server/src/mcp/mcp.kit.ts";
import { expectAccessible, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openPlatform } from "./demo.kit.ts";
import { within } from "./within.kit.ts";

const reason = whyNoBrowser();

/** A program on the computer of the browser: the SDK's own OAuth, and an address that takes what the person decided. */
async function newProgram(name: string) {
  const answered = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
    if (pathname === "/back") answered.resolve(searchParams);
    response
      .setHeader("content-type", "text/html")
      .end("<!doctype html><title>back</title><h1>Back in the program</h1>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/back`;
  const kept: { client?: unknown; tokens?: unknown; verifier: string; sentTo?: URL; found?: unknown } = {
    verifier: "",
  };
  const provider = {
    redirectUrl,
    clientMetadata: { client_name: name, redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" },
    state: () => "12345678901234567890",
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => void Object.assign(kept, { tokens }),
    redirectToAuthorization: (sentTo: URL) => void Object.assign(kept, { sentTo }),
    saveCodeVerifier: (verifier: string) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: (found: unknown) => void Object.assign(kept, { found }),
    discoveryState: () => kept.found,
  } as OAuthClientProvider;
  return { provider, kept, answered: answered.promise };
}

async function openStaff(operator: Client): Promise<string> {
  const file = await operator.uploadFile({ name: "staff.csv", content: csvBytes(CSV) });
  const { id: dataset } = await operator.createDataset({ file: file.id, declaration });
  return (await operator.openLedger({ dataset, epsilon: "5", delta: "1e-6" })).id;
}

describe.skipIf(reason !== null)("an MCP client whose person lets it in", () => {
  const demo = stage(() => openPlatform("Pia Berg", {}));
  let ledger: string | undefined;

  test.each(eras)(
    "the SDK's client (%s) finds the way, a person decides in a browser, it asks with a token that its person ends",
    async (era) => {
      const { operator } = demo.host;
      const pia = (await operator.listPeople({})).items.find(({ name }) => name === "Pia Berg")?.id ?? "";
      ledger ??= await openStaff(operator);
      const { provider, kept, answered } = await newProgram(`Helper <b>${era}</b>`);
      const connect = async () => {
        const transport = new StreamableHTTPClientTransport(new URL("/mcp", demo.url), { authProvider: provider });
        const agent = newAgent(era);
        return { transport, agent, done: agent.connect(transport) };
      };
      const first = await connect();
      await expect(within("the refusal", first.done)).rejects.toBeInstanceOf(UnauthorizedError);

      const { page, troubles } = await demo.visit({ viewport: { width: 390, height: 800 } });
      await page.goto(kept.sentTo?.href ?? "");
      await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
      expect(page.url(), "and comes back afterwards").toContain("next=");
      const visit = await signedIn(demo, "Pia");
      await visit.page.goto(kept.sentTo?.href ?? "");
      await visit.page
        .getByRole("heading", { level: 2, name: "No AI agent acts for you" })
        .or(visit.page.getByLabel("It acts as"))
        .waitFor();
      const { id } = await operator.createPerson({ name: `Agent ${era}`, kind: "agent", onBehalfOf: pia });
      await operator.createAccount({ ledger, holder: { kind: "person", id }, epsilon: "1" });
      await visit.page.reload();
      await visit.page.getByText(`Helper <b>${era}</b>`, { exact: true }).waitFor();
      await visit.page.getByText(", a program on this computer").waitFor();
      await visit.page.getByText(/spend from that agent’s budgets/).waitFor();
      for (const width of [1440, 390]) {
        await visit.page.setViewportSize({ width, height: 900 });
        await expectAccessible(visit.page);
        await expectNoSideways(visit.page);
      }
      await visit.page.getByLabel("It acts as").selectOption({ label: `Agent ${era}` });
      await visit.page.getByLabel("For").selectOption({ label: "a week" });
      const asking = visit.page.url();
      await visit.page.evaluate(() => {
        dispatchEvent(new Event("focus"));
        document.querySelector<HTMLElement>("main button[type=submit]")?.click();
      });
      await visit.page.waitForTimeout(600);
      expect(visit.page.url(), "a click on what lay over the page decides nothing").toBe(asking);
      await visit.page.getByRole("button", { name: "Let it in" }).click();
      await visit.page.getByRole("heading", { name: "Back in the program" }).waitFor();

      const said = await within("the browser's return", answered);
      expect(said.get("state")).toBe("12345678901234567890");
      await first.transport.finishAuth(said);
      const second = await connect();
      await within("the connection", second.done);
      expect((await called(second.agent, "budget")).text).toContain("staff");
      const sql = "SELECT COUNT(*) FROM staff";
      const released = await called(second.agent, "release", { dataset: "staff", sql, epsilon: "0.1", key: "once" });
      expect(released.isError, released.text).toBe(false);
      await second.agent.close();

      const { refresh_token: before } = kept.tokens as { refresh_token?: string };
      kept.tokens = { ...(kept.tokens as object), access_token: "dsm_of-an-hour-ago" };
      const third = await connect();
      await within("the connection after an hour, without a person", third.done);
      expect((await called(third.agent, "budget")).text).toContain("staff");
      expect((kept.tokens as { refresh_token?: string }).refresh_token).not.toBe(before);
      await third.agent.close();

      await visit.page.goto(`${demo.url}/settings`);
      const shown = visit.page.getByRole("region", { name: `Agent ${era}`, exact: true });
      await shown.getByRole("button", { name: `Revoke Helper <b>${era}</b>` }).click();
      await shown.getByText("It has none.").waitFor();
      await expectAccessible(visit.page);
      const { access_token: token = "" } = kept.tokens as { access_token?: string };
      await expect(createClient({ url: demo.url, token }).me()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
      await expect(within("the refusal", (await connect()).done)).rejects.toBeInstanceOf(UnauthorizedError);
      expect([...troubles, ...visit.troubles]).toEqual([]);
    },
  );

  test("a person refuses; what is no request shows what is wrong, and no one is sent on", async () => {
    const { provider, kept, answered } = await newProgram("Stranger");
    const transport = new StreamableHTTPClientTransport(new URL("/mcp", demo.url), { authProvider: provider });
    await expect(newAgent().connect(transport)).rejects.toBeInstanceOf(UnauthorizedError);
    const { page } = await signedIn(demo, "Pia");
    const wrong = new URL(kept.sentTo?.href ?? "");
    wrong.searchParams.set("redirect_uri", "https://evil.example.org/");
    await page.goto(wrong.href);
    await page.getByText(/^redirect_uri is/i).waitFor();
    await page.getByText("Begin again in the program that sent you here").waitFor();
    expect(await page.getByRole("button", { name: "Let it in" }).count()).toBe(0);
    await page.goto(kept.sentTo?.href ?? "");
    await page.getByRole("link", { name: "Refuse" }).click();
    await page.getByRole("heading", { name: "Back in the program" }).waitFor();
    const said = await within("the browser's return", answered);
    expect([said.get("error"), said.get("code")]).toEqual(["access_denied", null]);
    await expect(transport.finishAuth(said)).rejects.toThrow();
  });

  test("no address registers programs without end", async () => {
    const body = JSON.stringify({ redirect_uris: ["http://127.0.0.1/back"] });
    const headers = { "content-type": "application/json" };
    const send = () => fetch(`${demo.url}/oauth/register`, { method: "POST", headers, body });
    const answers = await Promise.all(Array.from({ length: 60 }, send));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(10);
    expect(refused[0]?.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(await refused[0]?.json()).toMatchObject({ error: "temporarily_unavailable" });
  });
});
