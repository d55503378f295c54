import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { stepLabels } from "../context.ts";
import { postgresServers } from "../stores/postgres/postgres.kit.ts";
import { type Kill, killAgainAndAgain, processesKit } from "./crash.kit.ts";
import type { Place } from "./place.kit.ts";

/** A worker that dies at release.written leaves a charge that the next one takes over, and so does one that dies on taking it over. */
const labels = stepLabels.flatMap((label) => {
  if (label.startsWith("lease.")) return [];
  return label === "release.written" ? [label, "lease.written" as const, "lease.committed" as const] : [label];
});

/** Times each label; every time also at a different hit, so that the batch around it differs. */
const killsOf = (times: number, more: Pick<Kill, "who"> = {}): Kill[] =>
  Array.from({ length: times }, (_, time) =>
    labels.map((label) => ({ label, hit: label.startsWith("lease.") ? 1 : 1 + (time % 4), ...more })),
  ).flat();

/** How often at each label; KILLS=20 for a long night. */
const asked = process.env.KILLS;

test("every label has its kills", () => {
  expect(labels.toSorted()).toEqual(stepLabels.toSorted());
});

describe("SQLite", () => {
  const folder = temporaryFolder();
  let files = 0;
  const newPlace = (): Place => ({ kind: "sqlite", path: join(folder, `${files++}.sqlite`) });

  processesKit(newPlace);

  test("kill −9 at every labelled step", { timeout: 1_800_000 }, async () => {
    const kills = killsOf(Number(asked ?? 4));
    const deaths = await killAgainAndAgain(newPlace(), kills);
    console.log(`killed ${deaths} of ${kills.length} workers on SQLite`);
    expect(deaths).toBeGreaterThanOrEqual(0.9 * kills.length);
  });
});

describe("PostgreSQL", () => {
  const servers = postgresServers();
  const times = Number(asked ?? 1);

  processesKit(() => servers.place());

  test("kill −9 of the process at every labelled step", { timeout: 3_600_000 }, async () => {
    const kills = killsOf(times);
    const deaths = await killAgainAndAgain(servers.place(), kills);
    console.log(`killed ${deaths} of ${kills.length} workers on PostgreSQL`);
    expect(deaths).toBeGreaterThanOrEqual(0.8 * kills.length);
  });

  test("kill −9 of PostgreSQL itself at every labelled step", { timeout: 3_600_000 }, async () => {
    const kills = killsOf(times, { who: "database" });
    const revive = async () => {
      await servers.server().kill();
      await servers.server().start();
    };
    const deaths = await killAgainAndAgain(servers.place(), kills, revive);
    console.log(`killed PostgreSQL ${deaths} of ${kills.length} times`);
    expect(deaths).toBeGreaterThanOrEqual(0.6 * kills.length);
  });
});
