// The server of `hostileHour` in a process of its own: it says where it is, then what its event loop went through.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { buildFixture, csvBytes, temporaryFolder } from "../../packages/server/src/instance.kit.ts";
import { serve } from "../../packages/server/src/serve.ts";

/** What the other two processes need. */
export interface Target {
  readonly url: string;
  readonly operatorToken: string;
  readonly dataset: string;
  readonly analyst: { readonly token: string; readonly account: string };
  readonly hostile: { readonly token: string; readonly account: string };
}

/** What this process went through since the last time it was asked. */
export interface Usage {
  /** Milliseconds that the event loop was held up. */
  readonly stall: { readonly p50: number; readonly p99: number; readonly most: number };
  /** Seconds of the processor. */
  readonly processor: number;
  /** Answers with a status of 500 or more, by route. */
  readonly failures: readonly string[];
}

const CATEGORIES = 1000;

const { folder, remove } = await temporaryFolder();
const failures: string[] = [];
const serving = await serve({
  folder,
  port: 0,
  webRoot: null,
  webhooksInside: true,
  log: {
    info() {},
    error(event, { route, status } = {}) {
      if (Number(status) >= 500) failures.push(`${event} ${route} ${status}`);
    },
  },
});
const fixture = await buildFixture(serving.instance);
const admin = fixture.as.datasetAdmin;

// A webhook that never answers, notified of everything.
const silent = createServer(() => {}).listen(0, "127.0.0.1");
await new Promise((resolve) => silent.once("listening", resolve));
await fixture.as.member.setWebhook({ url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/` });
for (const { kind } of (await fixture.as.member.notificationSettings()).kinds)
  await fixture.as.member.setNotification({ kind, app: true, mail: false, webhook: true });

const categories = Array.from({ length: CATEGORIES }, (_, i) => `c${i}`);
const rows = Array.from({ length: 20_000 }, (_, i) => `${i},c${i % CATEGORIES},${i % 100}`).join("\n");
const { id: file } = await admin.uploadFile({ name: "people.csv", content: csvBytes(`p,c,n\n${rows}\n`) });
const { id: dataset } = await admin.createDataset({
  file,
  declaration: {
    name: "people",
    source: { csv: "people.csv" },
    privacyUnit: { column: "p" },
    adjacency: "addRemove",
    contribution: { rows: 1 },
    columns: {
      p: { type: "integer", provenance: "public" },
      c: { type: "category", categories, provenance: "public" },
      n: { type: "integer", lower: 0, upper: 100, provenance: "public" },
    },
  },
});
const { id: ledger } = await admin.openLedger({ dataset, epsilon: "1000", delta: "1e-6" });
const accountOf = async (id: string) =>
  (await admin.createAccount({ ledger, holder: { kind: "person", id }, epsilon: "400" })).id;

const delay = monitorEventLoopDelay({ resolution: 5 });
let before = process.cpuUsage();
const begin = () => {
  delay.reset();
  before = process.cpuUsage();
};
delay.enable();

process.on("message", () => {
  const { user, system } = process.cpuUsage(before);
  const ms = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - 5);
  const stall = { p50: ms(delay.percentile(50)), p99: ms(delay.percentile(99)), most: ms(delay.max) };
  process.send?.({ stall, processor: (user + system) / 1e6, failures: failures.splice(0) } satisfies Usage);
  begin();
});
async function end(): Promise<void> {
  silent.closeAllConnections();
  silent.close();
  await serving.close();
  await remove();
}
process.on("disconnect", () => void end());
process.send?.({
  url: serving.url,
  operatorToken: serving.instance.operatorToken,
  dataset,
  analyst: { token: fixture.tokens.teamAdmin, account: await accountOf(fixture.people.teamAdmin) },
  hostile: { token: fixture.tokens.member, account: await accountOf(fixture.people.member) },
} satisfies Target);
