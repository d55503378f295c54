/**
 * Makes a data folder, an export and the answers of this version, for `test/upgrade.test.ts` of later versions:
 *
 *     node --conditions=@dosimeter/source scripts/make-fixture.ts test/fixtures/0.1.0
 *
 * It uses the command line and the SDK only, so that it runs in the checkout of any version. Run it once for each version
 * whose data folders must stay readable, and never change what it wrote.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { type Client, createClient, type Plan, type StatisticRequest } from "@dosimeter/client";
import { statistics } from "@dosimeter/query";

const target = resolve(process.argv[2] ?? "fixture");
const folder = mkdtempSync(join(tmpdir(), "dosimeter-fixture-"));
const data = join(folder, "data");
const command = join(import.meta.dirname, "../packages/dosimeter/bin/dosimeter.cjs");

const child = spawn(process.execPath, [command, "serve", "--json", "--port", "0", "--data", data], {
  stdio: ["ignore", "pipe", "inherit"],
});
const url = await new Promise<string>((started, failed) => {
  let said = "";
  child.on("exit", (code) => failed(new Error(`the server ended with ${code}: ${said}`)));
  child.stdout.on("data", (piece) => {
    said += piece;
    if (said.trimEnd().endsWith("}")) started(JSON.parse(said).url);
  });
});

const operator = createClient({ url, token: readFileSync(join(data, "operator.token"), "utf8").trim() });

async function enter(person: string): Promise<Client> {
  let cookie = "";
  const browser = createClient({
    url,
    async fetch(request) {
      if (cookie !== "") request.headers.set("cookie", cookie);
      const response = await fetch(request);
      cookie ||= response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      return response;
    },
  });
  await browser.signIn({ link: new URL((await operator.createSignInLink({ person })).url).hash.slice(1) });
  const { secret } = await browser.createToken({ name: "fixture", scopes: ["read", "release", "manage", "admin"] });
  return createClient({ url, token: secret });
}

const names = { dana: "Dana", erik: "Erik", lea: "Lea", ana: "Ana", ben: "Ben", aud: "Aud" } as const;
type Who = keyof typeof names;
const ids = {} as Record<Who, string>;
const as = {} as Record<Who, Client>;
for (const [who, name] of Object.entries(names) as [Who, string][]) {
  ids[who] = (await operator.createPerson({ name })).id;
  as[who] = await enter(ids[who]);
}

/** What was asked, by whom, and what came: a later version must answer the same. */
const recorded: { readonly who: Who; readonly call: string; readonly input: object; readonly answer: unknown }[] = [];

const ROWS = 60;
const csv = (name: string): string =>
  [
    "person,age,sex,salary,town",
    ...Array.from({ length: ROWS }, (_, i) => {
      const salary = 20_000 + name.length * 100 + name.charCodeAt(0) + ((i * 9_973) % 60_000);
      return `${i + 1},${18 + ((i * 7) % 73)},${"fm"[i % 2]},${salary},${["Aveiro", "Braga", "Coimbra"][i % 3]}`;
    }),
    "",
  ].join("\n");
const text = (value: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(value);
const declare = (name: string, adjacency: "addRemove" | "replace") =>
  ({
    name,
    source: { csv: `${name}.csv` },
    privacyUnit: { column: "person" },
    adjacency,
    contribution: { rows: 1 },
    size: adjacency === "addRemove" ? { assumed: ROWS } : { public: ROWS },
    columns: {
      person: { type: "integer", provenance: "public" },
      age: { type: "integer", lower: 18, upper: 90, provenance: "public", required: true },
      sex: { type: "category", categories: ["f", "m"], provenance: "public" },
      salary: { type: "number", lower: 0, upper: 100_000, provenance: "asserted" },
      town: { type: "text", provenance: "public" },
    },
  }) as const;

async function dataset(name: string, adjacency: "addRemove" | "replace"): Promise<string> {
  const file = await as.dana.uploadFile({ name: `${name}.csv`, content: text(csv(name)) });
  const { id } = await as.dana.createDataset({ file: file.id, declaration: declare(name, adjacency) });
  for (const [person, role] of [
    [ids.erik, "datasetAdmin"],
    [ids.aud, "auditor"],
  ] as const)
    await operator.grantRole({ person, role, object: { kind: "dataset", id } });
  return id;
}

const staff = await dataset("staff", "addRemove");
const visits = await dataset("visits", "replace");
const survey = await dataset("survey", "addRemove");
const rules = { staff: "additionThenTight", visits: "tight", survey: "addition" } as const;
const ledgers = {
  staff: (
    await as.dana.openLedger({ dataset: staff, epsilon: "5", delta: "1e-6", ceiling: { epsilon: "8", delta: "1e-5" } })
  ).id,
  visits: (await as.dana.openLedger({ dataset: visits, epsilon: "3", delta: "1e-6", rule: rules.visits })).id,
  survey: (
    await as.dana.openLedger({ dataset: survey, epsilon: "2", delta: "1e-6", rule: rules.survey, mode: "overbooked" })
  ).id,
};

const { id: team } = await as.lea.createTeam({ name: "analysis" });
await as.lea.addMember({ team, person: ids.ana });
const accountOf = async (ledger: string, epsilon: string): Promise<string> => {
  const top = await as.dana.createAccount({ ledger, holder: { kind: "team", id: team }, epsilon });
  return (await as.lea.createAccount({ ledger, parent: top.id, holder: { kind: "person", id: ids.ana }, epsilon: "1" }))
    .id;
};
const accounts = {
  staff: await accountOf(ledgers.staff, "2"),
  visits: await accountOf(ledgers.visits, "2"),
  survey: await accountOf(ledgers.survey, "1.5"),
};

const about: Partial<Record<string, object>> = {
  keyCounts: { column: "town", delta: "0.00000001", atLeast: 2 },
  topValues: { column: "sex", k: 1 },
};
const every: StatisticRequest[] = Object.entries(statistics).map(([statistic, row]) => ({
  id: statistic,
  statistic: statistic as keyof typeof statistics,
  epsilon: "0.01",
  ...(row.column === "none" ? {} : { column: "age" }),
  ...("others" in row ? { with: ["salary"] } : {}),
  ...about[statistic],
}));

let keys = 0;
async function release(where: keyof typeof accounts, plan: Plan, reuse?: "asAccurate" | "free"): Promise<string> {
  const asked = {
    dataset: { staff, visits, survey }[where],
    account: accounts[where],
    plan,
    ...(reuse ? { reuse } : {}),
  };
  const idempotencyKey = `fixture-${keys++}`;
  recorded.push({ who: "ana", call: "quotePlan", input: asked, answer: null });
  const { id } = await as.ana.releaseAndWait(asked, { idempotencyKey });
  const answer = await as.ana.createRelease(asked, { idempotencyKey });
  recorded.push({ who: "ana", call: `createRelease#${idempotencyKey}`, input: asked, answer });
  return id;
}

const grouped: Plan = {
  let: { decade: "cut(age, 10)" },
  confidence: 0.9,
  statistics: [
    { statistic: "mean", column: "salary", groupBy: ["sex"], where: "age >= 30", epsilon: "0.05" },
    { statistic: "count", groupBy: ["decade"], epsilon: "0.05" },
    { statistic: "quantiles", column: "salary", quantiles: [0.1, 0.5, 0.9], epsilon: "0.03" },
  ],
};
for (const where of ["staff", "visits", "survey"] as const) {
  await release(where, { statistics: every });
  await release(where, grouped);
}
await release("staff", { sample: { rate: "0.5" }, statistics: [{ statistic: "count", epsilon: "0.1" }] });
await release("staff", { statistics: [{ statistic: "count", epsilon: "0.005" }] }, "free");
await release("visits", { statistics: [{ statistic: "sum", column: "salary", rho: "0.002", groupBy: ["sex"] }] });
await release(
  "visits",
  { statistics: [{ statistic: "sum", column: "salary", rho: "0.005", groupBy: ["sex"] }] },
  "asAccurate",
);

// Requests in every state that time does not change.
const more = await as.ana.createRequest({
  dataset: staff,
  account: accounts.staff,
  epsilon: "0.25",
  note: "for the report",
  plan: grouped,
});
await as.lea.approveRequest({ request: more.id, version: more.version, epsilon: "0.125", note: "half" });
const no = await as.ana.createRequest({ dataset: visits, account: accounts.visits, epsilon: "0.5", note: "please" });
await as.lea.rejectRequest({ request: no.id, version: no.version, note: "not this year" });
const back = await as.ben.createRequest({ dataset: staff, epsilon: "0.5", note: "I should like to join" });
await as.ben.withdrawRequest({ request: back.id, version: back.version });
const offered = await as.ben.createRequest({ dataset: staff, epsilon: "0.75", note: "for a thesis" });
const offer = await as.dana.offerRequest({
  request: offered.id,
  version: offered.version,
  epsilon: "0.5",
  note: "less",
});
await as.ben.acceptOffer({ request: offered.id, version: offer.version });

// A raise with a second person, a switch, a cap, a frozen and a closed account, a second version.
const raise = await as.dana.proposeAmendment({
  ledger: ledgers.staff,
  epsilon: "6",
  delta: "2e-6",
  reason: "a second wave",
});
await as.erik.secondAmendment({ amendment: raise.id });
await as.dana.switchRule({ ledger: ledgers.staff });
await release("staff", { statistics: [{ statistic: "count", rho: "0.001", groupBy: ["sex"] }] });
const cap = await as.dana.createAccount({
  ledger: ledgers.staff,
  kind: "cap",
  holder: { kind: "person", id: ids.lea },
  epsilon: "0.5",
});
await as.dana.freezeAccount({ account: cap.id });
const closing = await as.dana.createAccount({
  ledger: ledgers.visits,
  holder: { kind: "person", id: ids.ben },
  epsilon: "0.25",
});
await as.dana.closeAccount({ account: closing.id });
await as.dana.setPublication({ ledger: ledgers.staff, isPublic: true });
const second = await as.dana.uploadFile({ name: "survey.csv", content: text(`${csv("survey")}61,40,f,1,Faro\n`) });
await as.dana.createVersion({ dataset: survey, file: second.id, declaration: declare("survey", "addRemove") });
await release("survey", { statistics: [{ statistic: "count", epsilon: "0.05", where: "sex = 'f'" }] });

type Call = keyof Client & string;
async function look(who: Who, call: Call, input: object = {}): Promise<void> {
  const answer = await (as[who][call] as (input: object) => Promise<unknown>)(input);
  recorded.push({ who, call, input, answer });
}
for (const id of [staff, visits, survey]) {
  await look("dana", "showDataset", { dataset: id });
  await look("dana", "listAccess", { dataset: id });
  await look("dana", "showReuse", { dataset: id });
  await look("dana", "listVersions", { dataset: id });
  await look("ana", "listReleased", { dataset: id });
}
for (const ledger of Object.values(ledgers)) {
  await look("dana", "showLedger", { ledger });
  await look("aud", "listEntries", { ledger, limit: 200 });
  await look("dana", "listAmendments", { ledger });
  await look("dana", "listAccounts", { ledger });
  await look("dana", "reportLedger", { ledger });
  await look("aud", "listLedgerAudit", { ledger, limit: 200 });
}
for (const account of Object.values(accounts)) {
  await look("ana", "showAccount", { account });
  await look("ana", "reportAccount", { account });
}
await look("ana", "listMyAccounts");
await look("ana", "listReleases", { limit: 100 });
for (const who of ["ana", "ben", "lea", "dana"] as const)
  for (const box of ["received", "submitted"]) await look(who, "listRequests", { box });
await look("lea", "listTeams");
await look("lea", "showTeam", { team });
await look("lea", "listTeamAccounts", { team });

// Prices as they are now: quotes asked before the releases were made above are asked once more, at the end.
for (const [index, each] of recorded.entries()) {
  if (each.call !== "quotePlan") continue;
  recorded[index] = { ...each, answer: await as.ana.quotePlan(each.input as Parameters<Client["quotePlan"]>[0]) };
}

mkdirSync(target, { recursive: true });
for (const [name, ledger] of Object.entries(ledgers)) {
  const blob = (await as.aud.exportLedger({ ledger })) as Blob;
  writeFileSync(join(target, `${name}.export.jsonl.gz`), gzipSync(Buffer.from(await blob.arrayBuffer())));
}
const stopped = new Promise((done) => child.removeAllListeners("exit").on("exit", done));
child.kill("SIGTERM");
await stopped;
writeFileSync(join(target, "answers.json.gz"), gzipSync(JSON.stringify({ people: ids, ledgers, recorded })));
execFileSync("tar", ["-czf", join(target, "data.tar.gz"), "-C", folder, "data"]);
rmSync(folder, { recursive: true });
console.log(`${recorded.length} answers in ${target}`);
