import { readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import Provider from "oidc-provider";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { selfSigned } from "../../../../test/certificate.kit.ts";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { instanceOfTest } from "../fixture.kit.ts";
import { clientOf, openTestInstance } from "../instance.kit.ts";
import { rotateProviderSecret } from "../rotate/provider.ts";
import { createLog } from "../telemetry/log.ts";
import { checkProvider } from "./oidc-check.ts";
import type { OidcProvider } from "./oidc-provider.ts";
import { usualRates } from "./rates.ts";

const HOST = "127.0.0.1";
const { certificate, key } = selfSigned(HOST);
const usual = getCACertificates("default");
let server: Server;
const place = temporaryFolder();
let provider: OidcProvider;
/** What the provider is made to lie about. */
let lie: "issuer" | "clock" | null = null;

async function addressOf(listening: Server): Promise<string> {
  await new Promise<void>((resolve) => listening.listen(0, HOST, resolve));
  return `https://${HOST}:${(listening.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  server = createServer({ cert: certificate, key });
  const issuer = await addressOf(server);
  provider = { id: "work", name: "Work", issuer, clientId: "dosimeter", clientSecret: "s3cret" };
  const clients = [{ client_id: "dosimeter", client_secret: "s3cret", redirect_uris: [`${issuer}/back`] }];
  const answer = new Provider(issuer, { clients, pkce: { required: () => true } }).callback();
  server.on("request", (request, response) => {
    if (lie === "clock") response.setHeader("date", new Date(Date.now() - 3_600_000).toUTCString());
    if (lie !== "issuer" || !request.url?.endsWith("openid-configuration")) return void answer(request, response);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ issuer: "https://elsewhere.example", token_endpoint: `${issuer}/token` }));
  });
  setDefaultCACertificates([...usual, certificate]);
});
afterAll(async () => {
  setDefaultCACertificates(usual);
  server.closeAllConnections();
  server.close();
});

const said = (given: Partial<OidcProvider> = {}) =>
  checkProvider({ ...provider, ...given }).then(
    () => "it works",
    (error: Error) => error.message,
  );

describe("a provider", () => {
  test("whose address, certificate, issuer, clock, client and secret are right works, and no sign-in was needed", async () => {
    expect(await said()).toBe("it works");
  });

  test.each([
    [
      "another secret",
      { clientSecret: "another" },
      /client dosimeter or its secret: look at clientId and clientSecret/,
    ],
    ["another client", { clientId: "nobody" }, /client nobody or its secret/],
  ])("with %s is refused, with what to look at", async (_, given, words) => {
    expect(await said(given)).toMatch(words);
  });

  test("that lies about its issuer or its clock is refused, with what to do", async () => {
    lie = "issuer";
    expect(await said()).toContain(`calls itself another issuer than ${provider.issuer}`);
    lie = "clock";
    expect(await said()).toMatch(/has another time than this machine, by 3[56]\d\d seconds: set the clocks by NTP/);
    lie = null;
  });

  test("whose certificate is of an authority that is not known, or that cannot be reached, is refused, with what to do", async () => {
    const { certificate: cert, key } = selfSigned(HOST);
    const other = createServer({ cert, key });
    const issuer = await addressOf(other);
    expect(await said({ issuer })).toContain("name its authority by NODE_EXTRA_CA_CERTS=<file>");
    other.close();
    expect(await said({ issuer })).toContain(`cannot be reached at ${issuer}`);
  });
});

test("a new secret takes the place of the old one only when the provider takes it", async () => {
  const at = (name: string) => join(place, name);
  const { clientSecret: _, ...rest } = provider;
  await writeFile(at("oidc.json"), JSON.stringify([{ ...rest, clientSecretFile: "work.secret" }]));
  await writeFile(at("work.secret"), "of last year\n");
  const origins = { env: { DOSIMETER_OIDC: at("oidc.json") } };
  await writeFile(at("wrong"), "wrong\n");
  await expect(rotateProviderSecret(origins, "work", at("wrong"))).rejects.toThrow(/client dosimeter or its secret/);
  expect(await readFile(at("work.secret"), "utf8")).toBe("of last year\n");
  await writeFile(at("new"), "s3cret\n");
  expect(await rotateProviderSecret(origins, "work", at("new"))).toMatchObject({ path: at("work.secret") });
  expect(await readFile(at("work.secret"), "utf8")).toBe("s3cret\n");
  await expect(rotateProviderSecret(origins, "home", at("new"))).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(rotateProviderSecret(origins, "work", at("none"))).rejects.toMatchObject({ code: "NOT_FOUND" });
  await writeFile(at("oidc.json"), JSON.stringify([provider]));
  await expect(rotateProviderSecret(origins, "work", at("new"))).rejects.toThrow(
    "DOSIMETER_OIDC.work.clientSecretFile is missing, must be the file with the secret",
  );
});

test("an admin tries out at a rate what the server needs", async () => {
  const instance = await instanceOfTest({
    oidc: [provider],
    rates: { ...usualRates, test: { burst: 2, perMinute: 1e-6 } },
  });
  const { diagnose } = clientOf(instance, instance.operatorToken);
  for (const _ of [1, 2]) await diagnose();
  await expect(diagnose()).rejects.toMatchObject({ code: "RATE_LIMITED" });
});

test("an admin learns what to do about a provider, and who signs in only that it cannot be used; the log has the reason", async () => {
  const lines: string[] = [];
  const instance = await openTestInstance({
    log: createLog("error", (line) => lines.push(line)),
    oidc: [provider, { ...provider, id: "old", name: "Old", clientSecret: "of last year" }],
  });
  const operator = clientOf(instance, instance.operatorToken);
  const { findings } = await operator.diagnose();
  expect(findings).toContainEqual({ what: "the provider Work", problem: null });
  expect(findings.find(({ what }) => what === "the provider Old")?.problem).toContain(
    "look at clientId and clientSecret",
  );
  await instance.close();
  lie = "issuer";
  const lied = await openTestInstance({ log: createLog("error", (line) => lines.push(line)), oidc: [provider] });
  const answer = await lied.fetch(new Request("http://instance.test/auth/oidc/work"));
  lie = null;
  const said = decodeURIComponent(answer.headers.get("location") ?? "");
  expect(said).toContain("an admin of the platform can find out why under Settings");
  expect(said).not.toContain("issuer");
  expect(lines.join()).toContain("OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED");
  await lied.close();
});
