import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createClient } from "@dosimeter/client";
import { present } from "@dosimeter/core/internal";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openPostgres } from "../../../../test/postgres.kit.ts";
import { moveLedgerDatabase } from "../instance/database.ts";
import { buildFixture, clientOf, tokenFor } from "../instance.kit.ts";
import { openInstance } from "../instance.ts";

const count = { statistic: "count", epsilon: "0.1" };

function node(script: string) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 240_000,
  });
  return { child, ended: once(child, "exit") };
}

/** A fixture in which a colleague in the same team, with an account of their own, may be given the member's answers. */
async function prepared(folder: string) {
  const instance = await openInstance({ folder });
  const fixture = await buildFixture(instance);
  const { id } = await clientOf(instance, instance.operatorToken).createPerson({ name: "colleague" });
  await fixture.as.teamAdmin.addMember({ team: fixture.team, person: id });
  const { id: account } = await fixture.as.teamAdmin.createAccount({
    ledger: fixture.ledger,
    parent: fixture.teamAccount,
    holder: { kind: "person", id },
    epsilon: "0.5",
  });
  await fixture.as.datasetAdmin.setReusePolicy({ dataset: fixture.dataset, visibility: "team", price: "free" });
  const token = await tokenFor(instance, id);
  await instance.close();
  const asked = { dataset: fixture.dataset, plan: { statistics: [count] }, reuse: "asAccurate" as const };
  return {
    fixture,
    member: { token: fixture.tokens.member, asked: { ...asked, account: fixture.memberAccount } },
    colleague: { token, asked: { ...asked, account } },
  };
}

const spentOn = async (folder: string, ledger: string, token: string, database?: string) => {
  const instance = await openInstance({ folder, ...present({ database }) });
  try {
    expect((await instance.database.audit.verify()).problems).toEqual([]);
    return (await clientOf(instance, token).showLedger({ ledger })).balance.epsilon.spent;
  } finally {
    await instance.close();
  }
};

test("SQLite: three processes, two people, one question at once: one charge", async () => {
  const place = temporaryFolder();
  const { fixture, member, colleague } = await prepared(place);
  const ask = ({ token, asked }: typeof member) =>
    node(`import { createClient } from "@dosimeter/client";
      import { openInstance } from "@dosimeter/server";
      // One process at a time has the folder: the others wait, on a slow machine for longer than one wait for the lock.
      const open = () => openInstance({ folder: ${JSON.stringify(place)} })
        .catch((error) => error.code === "ALREADY_RUNNING" ? open() : Promise.reject(error));
      const instance = await open();
      const client = createClient({ url: "http://instance.test", fetch: instance.fetch, token: ${JSON.stringify(token)} });
      const { answers } = await client.releaseAndWait(${JSON.stringify(asked)});
      console.log(JSON.stringify(answers[0]));
      await instance.close();`);
  const said = await Promise.all([member, colleague, member].map((who) => text(ask(who).child.stdout)));
  const answers = said.map((line) => JSON.parse(line) as { origin?: object; cells: [{ value: number }] });
  expect(new Set(answers.map(({ cells }) => cells[0].value)).size).toBe(1);
  expect(answers.filter(({ origin }) => origin === undefined)).toHaveLength(1);
  expect(await spentOn(place, fixture.ledger, fixture.tokens.datasetAdmin)).toBe("0.1");
});

test("PostgreSQL: two servers, two people, questions at once: one charge each", async () => {
  const server = await openPostgres({ settings: { fsync: "on" } });
  const place = temporaryFolder();
  const folder = join(place, "one");
  const { fixture, member, colleague } = await prepared(folder);
  await moveLedgerDatabase(folder, server.url);
  const options = (name: string) => ({
    folder: join(place, name),
    database: server.url,
    uploads: join(folder, "files"),
    port: 0,
    webRoot: null,
  });
  const servers = ["one", "two"].map((name) =>
    node(`import { serve } from "@dosimeter/server";
      const serving = await serve(${JSON.stringify(options(name))});
      console.log(serving.url);
      process.once("SIGTERM", () => serving.close().then(() => process.exit(0)));`),
  );
  const urls = await Promise.all(
    servers.map(async ({ child }) => String((await once(child.stdout, "data"))[0]).trim()),
  );
  const ROUNDS = 5;
  for (let round = 0; round < ROUNDS; round++) {
    const askers = [member, colleague, member, colleague].map(({ token, asked }, index) =>
      createClient({ url: urls[index < 2 ? index : 3 - index] ?? "", token }).releaseAndWait({
        ...asked,
        plan: { statistics: [{ ...count, epsilon: "0.01", where: `age > ${30 + round}` }] },
      }),
    );
    const answers = (await Promise.all(askers)).map((release) => release.answers?.[0]);
    expect(new Set(answers.map((answer) => answer?.cells[0]?.value)).size).toBe(1);
    expect(answers.filter((answer) => answer?.origin === undefined)).toHaveLength(1);
  }
  for (const { child, ended } of servers) {
    child.kill("SIGTERM");
    await ended;
  }
  expect(await spentOn(join(place, "two"), fixture.ledger, fixture.tokens.datasetAdmin, server.url)).toBe("0.05");
  await server.close();
});
