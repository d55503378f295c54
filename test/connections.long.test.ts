import { describe, expect, test } from "vitest";
import { said } from "../packages/cli/src/terminal.kit.ts";
import { expectAccessibleInBothThemes, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openPlatform } from "./demo.kit.ts";
import { openPostgres } from "./postgres.kit.ts";

const reason = whyNoBrowser();
const PASSWORD = "TABLES_PASSWORD";

async function open() {
  const tables = await openPostgres({ access: ["host all reader 127.0.0.1/32 scram-sha-256"] });
  await tables.query(
    `CREATE SCHEMA ward; CREATE ROLE reader LOGIN PASSWORD 'opensesame'; GRANT USAGE ON SCHEMA ward TO reader;
     CREATE TABLE ward.visits AS SELECT i AS patient, (i % 90)::int AS age FROM generate_series(1, 500) AS t(i);
     GRANT SELECT ON ward.visits TO reader`,
  );
  process.env[PASSWORD] = "opensesame";
  const host = `127.0.0.1:${tables.port}`;
  const secrets = { reader: { passwordEnv: PASSWORD } };
  const connectionHosts = { inline: { [host]: { secrets }, "*.lake.example.org:8443": { secrets } }, folder: "/" };
  const platform = await openPlatform("Pia Berg", { connectionHosts });
  return {
    ...platform,
    host,
    async close() {
      delete process.env[PASSWORD];
      await platform.close();
      await tables.close();
    },
  };
}

describe.skipIf(reason !== null)("a connection that an admin adds", () => {
  const demo = stage(open);
  const address = () => `postgres://reader@${demo.host.host}/postgres`;

  test("on the page: by keyboard, checked, used for a new dataset, removed", async () => {
    const { page, troubles } = await signedIn(demo, "Pia");
    await page.goto(`${demo.url}/settings`);
    const card = page.getByRole("region", { name: "Databases that this server reads" });
    await card.getByText("This server reads no database yet.").waitFor();
    await card.getByLabel("Address").fill(`postgres://reader@localhost:${new URL(address()).port}/postgres`);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type("clinic");
    await page.keyboard.press("Enter");
    await card.getByRole("alert").getByText("The operator of this server lists no host localhost").waitFor();
    await card.getByLabel("Address").fill(address());
    await card.getByLabel("Address").press("Enter");
    const row = card.getByRole("row", { name: /clinic/ });
    await row.getByText(address()).waitFor();
    await expect.poll(() => card.getByLabel("Address").inputValue()).toBe("");
    await card.getByRole("button", { name: "Check clinic" }).click();
    const works = card.getByText("clinic works. Its role sees public, ward.");
    await works.waitFor();
    await card.getByLabel("Address").fill(address().replace(/postgres$/, "template1"));
    await card.getByLabel("Name of the connection").fill("spare");
    await page.keyboard.press("Enter");
    await card.getByRole("button", { name: "Remove spare" }).click();
    await card.getByRole("row", { name: /spare/ }).waitFor({ state: "detached" });
    expect(await works.count()).toBe(0);
    await card.getByRole("button", { name: "Check clinic" }).click();
    await works.waitFor();
    await expectAccessibleInBothThemes(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSideways(page);
    await page.setViewportSize({ width: 1440, height: 900 });

    await page.goto(`${demo.url}/datasets/new`);
    await page.getByRole("link", { name: "add a connection" }).waitFor();
    await page.getByLabel("A table or view of a database").check();
    await page.getByLabel("Schema").fill("ward");
    await page.getByLabel("Table or view", { exact: true }).fill("visits");
    await page.getByRole("button", { name: "Use this table" }).click();
    await page
      .getByRole("table", { name: /^Columns of the table/ })
      .getByText("patient")
      .first()
      .waitFor();

    await page.goto(`${demo.url}/settings`);
    await card.getByRole("button", { name: "Remove clinic" }).click();
    await card.getByText("This server reads no database yet.").waitFor();
    await page.goto(`${demo.url}/audit`);
    await page.getByRole("table").getByText("removed a connection to a database").first().waitFor();
    // The one refusal was asked for.
    expect(troubles.filter((trouble) => !trouble.includes("400"))).toEqual([]);
  });

  test("on the command line: list, add, check, browse, remove; what cannot be is said", async () => {
    const command = (...args: string[]) =>
      said([...args, "--url", demo.url], { env: { DOSIMETER_TOKEN: demo.host.token } });
    expect((await command("connection")).out).toMatch(
      /more can be added at\s+with the secrets\n127\.0\.0\.1:\d+\s+reader\n/,
    );
    const refused = await command(
      "connection",
      "add",
      "ward",
      address().replace("reader@", "reader:hunter2@"),
      "--secret",
      "reader",
    );
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("url must be without a password") });
    expect(refused.err).not.toContain("hunter2");
    expect((await command("connection", "add", "ward", address(), "--secret", "reader")).out).toBe(
      `Added ${address()} as ward. To sign in to it: dosimeter check connection ward\n`,
    );
    expect(await command("check", "connection", "ward")).toMatchObject({
      code: 0,
      out: expect.stringContaining("ward works. Its role sees public, ward.\n"),
    });
    expect(JSON.parse((await command("check", "connection", "ward", "--json")).out)).toEqual({
      problem: null,
      schemas: ["public", "ward"],
    });
    expect((await command("connection", "list")).out).toMatch(
      /ward\s+postgres\s+postgres:\/\/reader@.*\s+reader\s+operator/,
    );
    expect((await command("connection", "tables", "ward", "--schema", "ward")).out).toContain("visits");
    expect(await command("connection", "remove", "ward")).toMatchObject({ code: 0, out: "done\n" });
    expect((await command("connection", "remove", "ward")).err).toContain("NOT_FOUND");
  });
});
