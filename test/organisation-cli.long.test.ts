import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actions, nouns } from "../apps/web/src/audit/action-text.ts";
import { said } from "../packages/cli/src/terminal.kit.ts";
import { openPlatform } from "./demo.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";

/** Fifty people, each with an age. */
const CSV = ["who,age", ...Array.from({ length: 50 }, (_, row) => `${row},${20 + row}`), ""].join("\n");

/** The source page's example again, by commands alone: everything that its pages document has a command. */
describe("an organisation on the command line", () => {
  const folder = temporaryFolder();
  let platform: Awaited<ReturnType<typeof openPlatform>>;
  const tokens = new Map<string, string>();
  beforeAll(async () => {
    await writeFile(join(folder, "trial.csv"), CSV);
    platform = await openPlatform("Pia Berg");
    tokens.set("operator", platform.token);
  });
  afterAll(() => platform.close());

  /** What a person's command prints; refused commands throw what they say. */
  async function as(who: string, line: string): Promise<string> {
    const argv = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
    const env = { DOSIMETER_URL: platform.url, DOSIMETER_TOKEN: tokens.get(who) };
    const { code, out, err } = await said(argv, { env, cwd: folder });
    if (code !== 0) throw new Error(err);
    return out;
  }
  // biome-ignore lint/suspicious/noExplicitAny: what a command prints is read as its reader would
  const json = async (who: string, line: string): Promise<any> => JSON.parse(await as(who, `${line} --json`));

  test("people, roles and teams; a service with a token that is revoked", async () => {
    const enter = async (name: string) => {
      const line = `token create all --person ${name} --scope read,release,manage,admin`;
      tokens.set(name, (await as("operator", line)).trim());
    };
    for (const name of ["Dana", "Gil", "Lea", "Aud", "Ana"]) {
      await as("operator", `person create ${name}`);
      await enter(name);
    }
    await as("operator", "person set Gil --email gil@example.org");
    expect(await as("Gil", "person me")).toMatch(/gil@example\.org[\s\S]*read, release, manage, admin/);
    await as("operator", "person remove Gil");
    await expect(as("Gil", "person me")).rejects.toThrow("UNAUTHENTICATED");
    await as("operator", "person restore Gil");
    await expect(as("Gil", "person me"), "no earlier secret opens anything").rejects.toThrow("UNAUTHENTICATED");
    await enter("Gil");
    await as("operator", "person create nightly --kind service");
    const { id, secret } = await json("operator", "token create cron --person nightly --scope read --days 7");
    tokens.set("nightly", secret);
    expect(await json("nightly", "dataset list")).toEqual([]);
    await expect(as("nightly", "team create its-own")).rejects.toThrow(/FORBIDDEN|not allowed/);
    expect(await as("operator", "token list --person nightly")).toMatch(/cron.*read/);
    await as("operator", `token revoke ${id} --person nightly`);
    await expect(as("nightly", "dataset list")).rejects.toThrow(/UNAUTHENTICATED|sign/i);

    await as("Lea", "team create A");
    await as("Aud", "team create B");
    const { url } = await json("Lea", "team invite A");
    await as("Ana", `team join ${url}`);
    expect(await as("Lea", "team show A")).toMatch(/Ana\s+member/);
    await as("Lea", "team role A Ana teamAdmin");
    await as("Lea", "team role A Ana member");
  });

  test("lifetime 5; a team gets 2, another asks for 4 and gets 3; shares, δ of one's own", async () => {
    const unit = "privacyUnit: {column: who}, contribution: {rows: 1}";
    const columns = "columns: {who: {type: integer}, age: {type: integer, lower: 0, upper: 100}}";
    await as("Dana", `dataset add trial.csv -d "{${unit}, ${columns}}"`);
    await as("Dana", "ledger open trial --epsilon 5 --delta 1e-6");
    const { id } = await json("Dana", "dataset show trial");
    expect(await as("Dana", "ledger open trial --epsilon 7 --delta 1e-6 --preview").catch(String)).toMatch(
      /not in use/,
    );
    const { id: team } = await json("Lea", "team show A");
    await expect(as("Dana", "account create trial --team A --epsilon 2")).rejects.toThrow(/not visible to you/);
    await as("Dana", `account create trial --team ${team} --epsilon 2`);
    await as("Aud", `request make ${id} --team B --epsilon 4 --note "part two"`);
    const [asked] = await json("Dana", "request list received");
    await as("Dana", `request approve ${asked.id} --epsilon 3 --note "what is left"`);
    expect(await as("Aud", "request list submitted")).toMatch(/approved in part|partlyApproved/);
    expect(await as("Aud", "person notifications")).toMatch(/approved in part/);
    await as("Lea", "account create trial --parent A --person Ana --epsilon 0.5 --delta 2e-7");
    const [mine] = await json("Ana", "account list");
    expect([mine.quota.epsilon, Number(mine.quota.delta), ...mine.datasetNames]).toEqual(["0.5", 2e-7, "trial"]);
    expect(await as("Lea", "team budget A")).toMatch(/trial.*A\/Ana/);
    expect(await as("Dana", "dataset access trial")).toMatch(/Dana\s+datasetAdmin/);
    for (const line of ["allocate trial A/Ana --epsilon 0.25", "withdraw trial A/Ana --epsilon 0.25"])
      await as("Lea", `account ${line}`);
    await as("Lea", "account set trial A/Ana --query-epsilon 0.5");
    await as("Lea", "account freeze trial A/Ana");
    await as("Lea", "account unfreeze trial A/Ana");
  });

  test("a member spends everything and is refused; asks, is asked back, answers, and is passed on", async () => {
    await as("Ana", 'release make trial -s "count epsilon=0.35"');
    const { id: median } = await json("Ana", 'release make trial -s "quantiles age quantiles=0.5 epsilon=0.05"');
    const edges = await as("Ana", `synthesize trial --epsilon 0.1 --quote --bins "age = release:${median}"`);
    expect(edges).toMatch(/of one column will be within ±/);
    await expect(as("Ana", 'synthesize trial --epsilon 0.1 --quote --bins "age = release:chg_none"')).rejects.toThrow();
    expect(await as("Ana", "synthesize trial --epsilon 0.1 --bins 5 --quote")).toMatch(
      /of one column will be within ±/,
    );
    const { id: table } = await json("Ana", "synthesize trial --epsilon 0.1 --bins 5 --weights age=2");
    const fact = 'synthesize trial --epsilon 0.01 --quote --impossible "age < 30"';
    await expect(as("Ana", fact)).rejects.toThrow("facts about two columns each");
    const rows = await as("Ana", `synthesize rows ${table} --rows 30 --seed 2`);
    expect(rows).toMatch(/^age\n((\d+|"")\n){30}$/);
    expect(await as("Ana", `synthesize rows ${table} --rows 30 --seed 2`)).toBe(rows);
    await as("Ana", `synthesize rows ${table} --rows 30 --seed 2 -o rows.parquet`);
    expect((await readFile(join(folder, "rows.parquet"))).subarray(0, 4).toString()).toBe("PAR1");
    expect(await as("Ana", `synthesize count ${table} --where "age < 40" --mean age`)).toMatch(
      /^about [\d,.]+ of [\d,]+ rows\nmean of age: /,
    );
    await expect(as("Ana", 'release make trial -s "count epsilon=0.1"')).rejects.toThrow(/Ana/);
    expect(await as("Ana", "release list")).toMatch(/chg_\w+.*count/i);
    const { id } = await json("Ana", 'request make trial --account A/Ana --epsilon 1.8 --note "one more"');
    await as("Lea", `request ask ${id} --note "which column?"`);
    await as("Ana", `request answer ${id} --note age`);
    await as("Lea", `request escalate ${id}`);
    const [above] = await json("Dana", "request list received");
    await as("Dana", `request reject ${above.id} --note "all given out"`);
    await expect(as("Lea", `request escalate ${id}`)).rejects.toThrow("it can be asked for again in 24 hours");
    await as("Ana", `request withdraw ${id}`);
    expect(await as("Ana", "account report trial --json")).toContain("agent");
    expect(await as("Dana", "ledger report trial --threshold 0.3")).toMatch(/AGENT/);
    expect(await as("Dana", "ledger show trial")).toMatch(/threshold\tε 1 of one query/);
    await as("Dana", "ledger set trial --threshold 0.4");
    expect(await as("Dana", "ledger show trial")).toMatch(/threshold\tε 0\.4 of one query/);
  });

  test("a raise takes a second person; freezing, publishing, exporting, checking; nothing was forgotten", async () => {
    await as("operator", "person grant Gil datasetAdmin --dataset trial");
    await as("Dana", 'ledger amend trial --epsilon 6 --reason "a second wave"');
    await expect(as("Dana", "ledger amend trial --second")).rejects.toThrow();
    await as("Gil", "ledger amend trial --second");
    expect(await as("Dana", "ledger amendments trial")).toMatch(/a second wave/);
    await as("Dana", 'ledger freeze trial --reason "a look"');
    await as("Dana", 'ledger reopen trial --epsilon 0 --reason "all is there"');
    const { population } = await json("Dana", "ledger publish trial");
    expect(await as("a stranger", `ledger public ${population}`)).toMatch(/the histories in which this version/);
    await as("Dana", "ledger export trial --output trial.jsonl");
    expect(await as("Dana", "verify trial.jsonl")).toMatch(/adds up|ok/i);
    expect(await as("Dana", "ledger audit trial")).toMatch(/Gil/);
    expect(await as("operator", "person audit --by Dana --action ledger")).toMatch(/ledger\./);
    expect(await as("Ana", "person activity")).toMatch(/charge\.create\s+Count, ε 0\.35/);
    expect(await as("Ana", "person notify threshold --no-mail")).toMatch(/threshold\s+yes\s+no\s+yes/);
    await as("Lea", "team remove A Ana");
    await as("Lea", "team add A Ana");
    expect((await json("Ana", "account list"))[0].balance.epsilon.spent).toBe("0.5");
    const lines: { readonly action: string; readonly subjectName: string | null }[] = [];
    for (const noun of nouns) lines.push(...(await json("operator", `person audit --limit 200 --action ${noun}`)));
    const wordless = lines.map(({ action }) => action).filter((action) => !actions.includes(action));
    expect([...new Set(wordless)], "the audit page has words for whatever happens").toEqual([]);
    const raised = lines.find(({ action }) => action === "ledger.amend");
    expect(raised?.subjectName, "a ledger goes by its datasets").toBe("trial");
  });
});
