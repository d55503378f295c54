import { spawn } from "node:child_process";
import { join } from "node:path";
import { systemPrincipal } from "@dosimeter/ledger";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openPostgres } from "../../../../test/postgres.kit.ts";
import { within } from "../../../../test/within.kit.ts";
import { buildFixture, clientOf, openTestInstance } from "../instance.kit.ts";
import { openInstance } from "../instance.ts";
import { buildVisits, pointsOf, released, scheduleOf } from "./schedules.kit.ts";

/** A server of its own process that ends itself with SIGKILL the `nth` time it comes to `label`; the signal that ended it. */
async function killedAt(label: string, nth: number, where: object): Promise<NodeJS.Signals | null> {
  const script = `import { serve } from "@dosimeter/server";
    let passed = 0;
    const step = (label) => { if (label === ${JSON.stringify(label)} && (passed += 1) === ${nth}) process.kill(process.pid, "SIGKILL"); };
    await serve({ ...${JSON.stringify(where)}, port: 0, webRoot: null, step });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: import.meta.dirname,
    stdio: "ignore",
    timeout: 120_000, // by SIGTERM, which is not the death that is waited for
  });
  return new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)));
}

test.each(["sqlite", "postgres"] as const)(
  "on %s: servers that are killed, come late or work side by side make one charge for each schedule and month",
  async (kind) => {
    const place = temporaryFolder();
    const database = kind === "postgres" ? await openPostgres({ settings: { fsync: "on" } }) : null;
    const uploads = join(place, "files");
    const where = (name = "first") => ({
      ...{ folder: join(place, name), uploads },
      ...(database === null ? {} : { database: database.url }),
    });
    const passLeases = async () =>
      void (await database?.query(
        "UPDATE dosimeter.lease SET until_at = '2000-01-01T00:00:00.000Z' WHERE status = 'charged'",
      ));

    const first = await openTestInstance(where());
    const fixture = await buildFixture(first);
    const visits = await buildVisits(fixture, {}, { rule: "tight" });
    const { id } = await fixture.as.member.createSchedule(scheduleOf(visits, { latest: 2, from: "2024-01" }));
    // A running total, of which each report builds on the answers of the one before [M209].
    const { id: totals } = await fixture.as.member.createSchedule({
      ...{ dataset: visits.dataset, account: visits.account, name: "Totals", horizon: 6, from: "2024-01" },
      plan: { statistics: [{ id: "n", statistic: "runningCount", column: "seen", rho: "0.05" }] },
    });
    await first.settled();
    for (const schedule of [id, totals]) await fixture.as.member.setSchedule({ schedule, status: "paused" });
    await visits.publish("2024-06-30");
    await first.settled();
    // Nothing is made before the next server starts.
    for (const schedule of [id, totals])
      await first.database.schedules.setSchedule({ schedule, status: "active", by: systemPrincipal });
    await first.close();

    // A charge is there, and no server has noted it: the first one; or the second, and the first is perhaps being measured.
    const [label, nth] = kind === "sqlite" ? (["charge.committed", 1] as const) : (["release.charged", 2] as const);
    expect([label, await killedAt(label, nth, where())]).toEqual([label, "SIGKILL"]);
    await passLeases();

    const servers = await Promise.all(
      (database === null ? ["first"] : ["first", "second"]).map((name) => openInstance(where(name))),
    );
    const member = clientOf(servers[0] as (typeof servers)[number], fixture.tokens.member);
    await within("all sweeps", Promise.all(servers.map(({ schedules }) => schedules.run())));
    for (const schedule of [id, totals]) {
      for (const server of servers) await released(server, member, schedule);
      expect(await pointsOf(member, schedule)).toEqual(
        ["01", "02", "03", "04", "05", "06"].map((month) => [`2024-${month}`, "released"]),
      );
    }
    const admin = clientOf(servers[0] as (typeof servers)[number], fixture.tokens.datasetAdmin);
    const { items } = await admin.listEntries({ ledger: visits.ledger, limit: 200 });
    expect(items.filter(({ kind }) => kind === "charge")).toHaveLength(12);
    const notices = (await member.listNotifications({ limit: 200 })).items.filter(
      ({ kind, facts }) => kind === "report" && facts.schedule === id,
    );
    expect(notices.map(({ facts }) => facts.period).sort()).toEqual([
      "2024-01",
      "2024-02",
      "2024-03",
      "2024-04",
      "2024-05",
      "2024-06",
    ]);
    expect((await servers[0]?.database.audit.verify())?.problems).toEqual([]);
    for (const server of servers) await server.close();
    await database?.close();
  },
);
