import { expect, onTestFinished, test } from "vitest";
import type { OidcProvider } from "../access/oidc-provider.ts";
import { ORIGIN, openTestInstance } from "../instance.kit.ts";
import { createLog } from "../telemetry/log.ts";
import { openScim } from "./scim.ts";

const providers: readonly OidcProvider[] = ["work", "other"].map((id) => ({
  id,
  name: id,
  issuer: "https://127.0.0.1:1",
  clientId: "d",
  scim: true,
}));

test("a filter that would take minutes is given up, and the next one is answered", async () => {
  const instance = await openTestInstance({ oidc: providers });
  onTestFinished(() => instance.close());
  const scim = openScim({
    providers,
    database: instance.database,
    log: createLog("silent"),
    milliseconds: 3_000,
  });
  onTestFinished(() => scim.close());
  const asked = (filter: string, provider = "work") =>
    scim.answer({
      provider: scim.provider(provider),
      service: "usr_system" as never,
      method: "GET",
      path: "Users",
      query: { base: ORIGIN, filter },
      body: async () => null,
      countMail: async () => undefined,
    });
  const hostile = Array.from({ length: 20 }, () => "(a eq 1 or b eq 2)").join(" and ");
  const givenUp = expect(asked(hostile)).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  expect((await asked('userName sw "nobody"', "other")).status, "to another provider meanwhile").toBe(200);
  await givenUp;
  expect((await asked('userName sw "nobody"')).status).toBe(200);
});
