import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Client, createClient } from "@dosimeter/client";
import { epsilonAmount } from "@dosimeter/core";
import { createLog, type Serving, serve } from "@dosimeter/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { said } from "../packages/cli/src/terminal.kit.ts";
import { codeOf, countPlan, tokenFor } from "../packages/server/src/instance.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";
import { openPostgres, type PostgresServer } from "./postgres.kit.ts";

const organisation = (quota: string): string => `people:
  - { name: Dana, email: dana@example.org, platformAdmin: true }
  - { name: Lea, email: lea@example.org }
  - { name: Grace, email: grace@example.org }
teams:
  - { name: Research, admins: [Lea], members: [Grace] }
datasets:
  - name: staff
    declaration:
      source: { csv: staff.csv }
      privacyUnit: { column: person }
      contribution: { rows: 1 }
      columns: { person: { type: integer }, age: { type: integer, lower: 0, upper: 120 } }
    admins: [Dana]
    ledger: { epsilon: 2, delta: 1e-6 }
    quotas:
      - { team: Research, epsilon: 1 }
      - { person: Grace, parent: Research, epsilon: ${quota} }
`;

const units = (text: string | null): bigint => epsilonAmount(text ?? "", "up");
const EACH = "0.004";

describe.each(["sqlite", "postgres"])("a file that changes quotas while charges run, %s", (store) => {
  const folder = temporaryFolder();
  let database: PostgresServer | null = null;
  let serving: Serving;
  let operator: Client;
  beforeAll(async () => {
    database = store === "postgres" ? await openPostgres({ settings: { fsync: "on" } }) : null;
    const log = createLog("silent");
    const at = { folder: join(folder, "data"), port: 0, webRoot: null, log };
    serving = await serve({ ...at, ...(database === null ? {} : { database: database.url }) });
    operator = createClient({ url: serving.url, token: serving.instance.operatorToken });
    await writeFile(join(folder, "staff.csv"), "person,age\n1,30\n2,40\n");
  });
  afterAll(async () => {
    await serving.close();
    await database?.close();
  });

  async function apply(quota: string) {
    await writeFile(join(folder, "org.yaml"), organisation(quota));
    const env = { DOSIMETER_URL: serving.url, DOSIMETER_TOKEN: serving.instance.operatorToken };
    return said(["apply", "-f", "org.yaml"], { cwd: folder, env });
  }

  test("never lowers what was spent, lets no one overspend, and leaves a ledger that verifies", async () => {
    expect((await apply("0.2")).code).toBe(0);
    const [dataset] = (await operator.listDatasets()).items;
    const ledger = dataset?.ledger?.id ?? "";
    const grace = (await operator.listPeople()).items.find(({ name }) => name === "Grace")?.id ?? "";
    const hers = async () => {
      const { items } = await operator.listAccounts({ ledger });
      const account = items.find(({ holder }) => holder.id === grace);
      if (account === undefined) throw new Error("Grace has no account");
      return account;
    };
    const { id: account } = await hers();
    const client = createClient({ url: serving.url, token: await tokenFor(serving.instance, grace) });
    let charged = 0;
    let isDone = false;
    const refused = new Set<string>();
    const charging = async (who: number) => {
      for (let n = 0; !isDone; n += 1) {
        const asked = { dataset: dataset?.id ?? "", account, plan: countPlan(EACH), reuse: "never" as const };
        const code = await codeOf(client.createRelease(asked, { idempotencyKey: `${who}-${n}` }));
        if (code === "done") charged += 1;
        else refused.add(code);
        if (code === "RATE_LIMITED") return;
      }
    };
    const seen: bigint[] = [];
    const codes: number[] = [];
    const applying = async () => {
      for (const quota of ["0.4", "0.1", "0.02", "0.3"]) {
        codes.push((await apply(quota)).code);
        const { quota: now, balance } = await hers();
        const spent = units(balance.epsilon.spent);
        expect(spent <= units(now.epsilon), "no more than the quota at this moment").toBe(true);
        expect(spent >= (seen.at(-1) ?? 0n), "never less than before").toBe(true);
        seen.push(spent);
      }
    };
    await Promise.all([applying().finally(() => (isDone = true)), ...[0, 1].map(charging)]);
    const { balance } = await hers();
    expect(units(balance.epsilon.spent), "what was charged is spent, once").toBe(BigInt(charged) * units(EACH));
    expect(charged, "some of it while the file was applied").toBeGreaterThan(2);
    expect(new Set([...codes, 0, 3]), "done, or refused").toEqual(new Set([0, 3]));
    expect(
      [...refused].filter((code) => code !== "QUOTA_EXHAUSTED" && code !== "RATE_LIMITED"),
      "for no other reason",
    ).toEqual([]);
    const below = await apply("0.02");
    expect(below).toMatchObject({ code: 3, err: expect.stringContaining("QUOTA_UNAVAILABLE") });
    expect((await hers()).balance.epsilon.spent).toBe(balance.epsilon.spent);
    expect((await serving.instance.database.audit.verify()).problems).toEqual([]);
  });
});
