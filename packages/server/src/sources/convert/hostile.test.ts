import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PrincipalId } from "@dosimeter/ledger";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../../test/folder.kit.ts";
import { highest } from "../../highest.kit.ts";
import { openFiles } from "../files.ts";
import { openConverter } from "./converter.ts";
import { arrowOfNulls, arrowOfOneText, workbookOfOneText } from "./hostile.kit.ts";

const place = temporaryFolder();

const stranger = "usr_1" as PrincipalId;
const other = "usr_2" as PrincipalId;

async function open(options: Parameters<typeof openConverter>[0] = {}) {
  const converter = openConverter(options);
  onTestFinished(() => converter.close());
  const files = await openFiles(place, { converter, isAlone: false });
  const save = (bytes: Uint8Array, owner = stranger) =>
    files.save({ name: "t", owner, bytes: new Blob([new Uint8Array(bytes)]).stream(), describe: async () => [] });
  return { converter, save };
}

/** The most bytes that files of uploads had while something ran. */
const mostWritten = (run: () => Promise<unknown>): Promise<number> =>
  highest(async () => {
    const names = (await readdir(place)).filter((name) => name.endsWith(".csv"));
    const sizes = names.map((name) =>
      stat(join(place, name))
        .then(({ size }) => size)
        .catch(() => 0),
    );
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }, run);

/** The most memory that a conversion had meanwhile; 0 where the system does not tell. */
const mostResident = (run: () => Promise<unknown>): Promise<number> =>
  highest(
    async () => {
      const children = await readFile(`/proc/self/task/${process.pid}/children`, "utf8").catch(() => "");
      let most = 0;
      for (const pid of children.split(" ").filter(Boolean)) {
        const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
        most = Math.max(most, 1024 * Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
      }
      return most;
    },
    run,
    5,
  );

const leftovers = async () => (await readdir(place)).filter((name) => name.startsWith("fil_"));

test.each([
  ["a column of nothing with a billion rows", () => arrowOfNulls(1e9)],
  ["a text of 2,000 letters that 300,000 rows name", () => arrowOfOneText(2000, 300_000)],
])(
  "what a file becomes is in proportion to what was sent, and nothing of a refused one is left: %s",
  async (_, made) => {
    const { save } = await open();
    const bytes = made();
    const most = await mostWritten(() =>
      expect(save(bytes)).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE", details: { name: "content" } }),
    );
    expect(most).toBeLessThanOrEqual(Math.max(64e6, 100 * bytes.length));
    expect(await leftovers()).toEqual([]);
  },
);

test("a workbook with one text of 300 MB takes no memory of the server and little of its own process, and is refused", async () => {
  const { save } = await open();
  const bytes = workbookOfOneText(3e8);
  const before = process.memoryUsage.rss();
  const most = await mostResident(() => expect(save(bytes)).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" }));
  expect(most, "and what it shares with the server").toBeLessThan(400e6 + 100e6);
  expect(process.memoryUsage.rss() - before).toBeLessThan(64e6);
  expect(await leftovers()).toEqual([]);
  expect((await save(workbookOfOneText(10))).format, "the next file").toBe("csv");
});

test("a file gets work in proportion to its bytes, and another person's waits for one of this person's", async () => {
  const { save } = await open({ seconds: () => 2 });
  const hostile = arrowOfNulls(1e9);
  const ended: string[] = [];
  const noting = (name: string, run: Promise<unknown>) =>
    run.then(
      () => ended.push(`${name} is kept`),
      ({ code }: { readonly code: string }) => ended.push(`${name}: ${code}`),
    );
  const good = await readFile(join(import.meta.dirname, "golden/visits-lz4.feather"));
  const began = performance.now();
  const both = [noting("hostile", save(hostile)), noting("hostile", save(hostile))];
  await Promise.all([...both, noting("other", save(good, other))]);
  expect(ended).toEqual(["hostile: PAYLOAD_TOO_LARGE", "other is kept", "hostile: PAYLOAD_TOO_LARGE"]);
  expect(performance.now() - began).toBeLessThan(30_000);
});

test("a large file that takes long keeps no small one waiting, and ends with its caller", async () => {
  const { converter } = await open();
  const leaving = new AbortController();
  const path = (name: string) => join(place, name);
  await writeFile(path("large"), arrowOfNulls(1e9));
  await writeFile(path("small"), arrowOfNulls(3));
  const conversion = (name: string) => ({
    ...{ format: "arrow" as const, from: path(name), to: path(`${name}.out`), largest: 2 ** 32 },
  });
  const large = converter.convert(conversion("large"), { person: other, sent: 1e9, signal: leaving.signal });
  const refused = expect(large).rejects.toMatchObject({ code: "NOT_READY" });
  await converter.convert(conversion("small"), { person: stranger, sent: 400 });
  leaving.abort();
  await refused;
  expect((await readdir(place)).sort()).not.toContain("large.out");
});

test.skipIf(process.platform !== "linux")("the process of a conversion has none of the server's secrets", async () => {
  process.env.DATABASE_URL = "postgres://dosimeter:opensesame@db/dosimeter";
  onTestFinished(() => void delete process.env.DATABASE_URL);
  const { converter } = await open();
  const leaving = new AbortController();
  const [from, to] = [join(place, "long"), join(place, "long.out")];
  await writeFile(from, arrowOfNulls(1e9));
  const ended = converter
    .convert({ format: "arrow", from, to, largest: 2 ** 32 }, { person: stranger, sent: 1e9, signal: leaving.signal })
    .catch(() => "ended");
  const child = async () => {
    for (const pid of (await readFile(`/proc/self/task/${process.pid}/children`, "utf8")).split(" ").filter(Boolean)) {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      if (command.includes("convert.worker") && !command.includes("ulimit")) return pid;
    }
    return null;
  };
  await expect.poll(child, { timeout: 20_000 }).not.toBeNull();
  const pid = await child();
  expect(await readFile(`/proc/${pid}/environ`, "utf8")).not.toContain("opensesame");
  expect(await readFile(`/proc/${pid}/limits`, "utf8")).toMatch(/Max core file size +0 .*/);
  leaving.abort();
  expect(await ended).toBe("ended");
});
