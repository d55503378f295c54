import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@dosimeter/client";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { createLog, serve } from "@dosimeter/server";
import { signedIn } from "../packages/server/src/demo/sign-in.ts";

/** The census example as a dataset: replace-one neighbours, 1,000 synthetic people. */
export const censusDeclaration = checkDeclaration({
  name: "census",
  source: { csv: "census.csv" },
  privacyUnit: "row",
  adjacency: "replace",
  size: { public: 1000 },
  columns: {
    age: { type: "integer", lower: 0, upper: 100, required: true, provenance: "public" },
    income: { type: "integer", lower: 0, upper: 200_000, required: true },
    race: { type: "category", categories: [1, 2, 3, 4, 5, 6], required: true, provenance: "public" },
    married: { type: "boolean", required: true, provenance: "public" },
  },
});

const rows = Array.from({ length: 1000 }, (_, i) =>
  [18 + ((i * 37) % 70), (i * 997) % 180_000, 1 + ((i * i) % 6), i % 2 === 0].join(","),
);

/** A server with that table and one analyst, who holds all of its ε = 3. */
export async function openCensus(webRoot: string): Promise<{
  readonly url: string;
  readonly token: string;
  readonly dataset: string;
  readonly account: string;
  /** The token of the person who made the dataset. */
  readonly operatorToken: string;
  /** The analyst's id. */
  readonly person: string;
  /** The table again, with another row. */
  readonly more: string;
  /** A fresh sign-in link of the analyst. */
  link(): Promise<string>;
  close(): Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), "census-"));
  const serving = await serve({ folder, log: createLog("silent"), port: 0, webRoot });
  const door = { url: serving.url, fetch: serving.instance.fetch };
  const operator = createClient({ ...door, token: serving.instance.operatorToken });
  const { name, source: _, ...rest } = censusDeclaration;
  const file = await operator.uploadFile({
    name: "census.csv",
    content: new TextEncoder().encode(["age,income,race,married", ...rows].join("\n")),
  });
  const { id: dataset } = await operator.createDataset({
    file: file.id,
    declaration: { name, source: { csv: "census.csv" }, ...rest } as Readonly<Record<string, unknown>>,
  });
  const { id: ledger } = await operator.openLedger({ dataset, epsilon: "3", delta: "1e-6" });
  const { id: person } = await operator.createPerson({ name: "Mara Lind" });
  const holder = { kind: "person", id: person } as const;
  const { id: account } = await operator.createAccount({ ledger, holder, epsilon: "3" });
  const mara = await signedIn(door, (await operator.createSignInLink({ person })).url);
  const { secret: token } = await mara.createToken({ name: "command line", scopes: ["read", "release"] });
  return {
    url: serving.url,
    token,
    dataset,
    account,
    operatorToken: serving.instance.operatorToken,
    person,
    more: ["age,income,race,married", ...rows.slice(1), "44,44000,4,true"].join("\n"),
    async link() {
      const { url } = await operator.createSignInLink({ person });
      const { pathname, hash } = new URL(url);
      return new URL(pathname + hash, serving.url).href;
    },
    async close() {
      await serving.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
