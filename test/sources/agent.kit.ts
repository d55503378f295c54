import { agentReport, zcdpEpsilonSimple } from "@dosimeter/core/accounting";
import { rangeOf } from "../../apps/web/src/explore/choosing/range.ts";
import { countError, posterior } from "../../apps/web/src/parts/calculus.ts";
import { study } from "../../apps/web/src/worker/study.ts";
import { adultsDeclaration } from "../../packages/server/src/demo/declarations.ts";
import { syntheticPeople, toCsv } from "../../packages/server/src/demo/people.ts";
import { csvBytes } from "../../packages/server/src/instance.kit.ts";
import { calc, command, commandJson, curvesOf, readWorkFile, writeWorkFile } from "./calls.kit.ts";
import { accountsOf, atServer, freshPlatform, platform } from "./platform.kit.ts";
import { rowsOf, type SourceRow, shown } from "./row.kit.ts";

const row = rowsOf("agent");
const events = (count: number, epsilon: number, delta = 0) => [
  { kind: "repeated", count, event: { kind: "approximate", epsilon, delta } },
];
const countPlan = (epsilon: string) => ({ statistics: [{ id: "people", statistic: "count", epsilon }] });

const steward = {
  prior: 0.1,
  posterior: 0.5,
  sensitivity: "sensitive",
  people: 10_000,
  error: 0.01,
  answers: 20,
  parties: 2,
  reuse: "some",
  delta: 1e-6,
} as const;

const twoPeople = {
  name: "two",
  source: { csv: "staff.csv" },
  privacyUnit: { column: "person" },
  contribution: { rows: 1 },
  columns: { person: { type: "integer" }, age: { type: "integer", lower: 0, upper: 100 } },
};

const accountant: readonly SourceRow[] = [
  row(7, "All Datasets have a lifetime Privacy Budget", "POST /v1/ledgers", "(5, 0.000001)", async () => {
    const { as, ledger } = await platform();
    const { guarantee } = await as.datasetAdmin.showLedger({ ledger });
    return `(${guarantee.epsilon}, ${guarantee.delta})`;
  }),
  row(
    7,
    "which is then allocated to Teams and data scientists",
    "GET /v1/ledgers/{ledger}/accounts",
    "analysis 2, analysis/member 1",
    async () => {
      const { as, ledger } = await platform();
      const accounts = await accountsOf(as.datasetAdmin, ledger);
      return accounts.map(({ path, quota }) => `${path.join("/")} ${quota.epsilon}`).join(", ");
    },
  ),
  row(
    7,
    "Each query they make spends Epsilon and Delta from the Privacy Budget",
    "POST /v1/releases",
    "paid 0.1 and 0, line 2; left 0.9",
    async () => {
      const { as, dataset, memberAccount: account } = await freshPlatform();
      const asked = { dataset, account, plan: countPlan("0.1") };
      const { receipt } = await as.member.releaseAndWait(asked, { idempotencyKey: "sources-1" });
      const { balance } = await as.member.showAccount({ account });
      return `paid ${receipt?.epsilon} and ${receipt?.delta}, line ${receipt?.entry}; left ${balance.epsilon.left}`;
    },
  ),
  row(
    7,
    "determines the tradeoff between safeguarding the privacy of individual data points and preserving",
    "page Explore › Choosing ε",
    "a count within ± 3 at ε 1, ± 30 at ε 0.1",
    () => `a count within ± ${countError(1, 0.05)} at ε 1, ± ${countError(0.1, 0.05)} at ε 0.1`,
  ),
  row(
    13,
    "chooses the tightest valid composition theorem and returns the total spent",
    "dosimeter total",
    "2.91918 by optimal, of 10 methods",
    async () => {
      const { best } = await commandJson("total --delta 1e-5", "epsilon,delta,count\n0.05,0,200\n");
      return `${shown(6, best.epsilon)} by ${best.method}, of ${best.all.length} methods`;
    },
  ),
  row(
    13,
    "tracks the cumulative privacy loss (ε,δ)(\\varepsilon,\\delta) over the lifetime of a project or team",
    "GET /v1/ledgers/{ledger}/report and /v1/accounts/{account}/report",
    "1 charge, ε 0.1; 1 charge, ε 0.1; 1 charge, ε 0.1",
    async () => {
      const { as, dataset, ledger, teamAccount, memberAccount: account } = await freshPlatform();
      await as.member.releaseAndWait({ dataset, account, plan: countPlan("0.1") }, { idempotencyKey: "sources-8" });
      const reports = [
        await as.datasetAdmin.reportLedger({ ledger }),
        await as.datasetAdmin.reportAccount({ account: teamAccount }),
        await as.member.reportAccount({ account }),
      ];
      return reports.map(({ adaptive, charges }) => `${charges} charge, ε ${shown(6, adaptive ?? 0)}`).join("; ");
    },
  ),
  row(17, "simply add", "calc total.loss, basic", "1 0.000001", () => {
    const { epsilon, deltaSum } = calc("total.loss", { events: events(10, 0.1, 1e-7), delta: 0.5, method: "basic" });
    return shown(12, epsilon, deltaSum);
  }),
  row(
    27,
    "εtotal=2log",
    "calc total.agent, advanced",
    shown(10, Math.sqrt(2 * Math.log(1e5) * 200 * 0.05 ** 2) + 200 * 0.05 * Math.expm1(0.05)),
    () => shown(10, calc("total.agent", { spends: [[0.05, 0, 200]], budget: [5, 1e-5] }).advanced.epsilon),
  ),
  row(33, "zero‑Concentrated DP (zCDP) with parameters", "calc total.agent, ρ beside (ε, δ)", "0.05", () => {
    const spends = [{ epsilon: 0.1, delta: 1e-7, rho: 0.001, count: 50 }];
    return shown(12, calc("total.agent", { spends, budget: [5, 1e-5] }).zcdp.rho);
  }),
  row(
    31,
    "zCDP Composition (when rho=True)",
    "calc total.agent {rho, count}, dosimeter total, page Explore › Accountants",
    "2.24597 2.24597 2.24597; AGENT's list needs an (epsilon, delta) or a rho for every query",
    async () => {
      const budget = [5, 1e-5];
      const list = "rho,count\n0.001,100\n";
      const { agent } = await commandJson("total --delta 1e-5", list);
      const { agentOmission } = await commandJson("total --delta 1e-5", '[{"kind":"rdp","order":2,"epsilon":1}]');
      const page = study({ list, delta: 1e-5, epsilon: 5, threshold: 1 });
      const totals = [calc("total.agent", { spends: [{ rho: 0.001, count: 100 }], budget }), agent, page.agent];
      return `${totals.map(({ epsilon }) => shown(6, epsilon)).join(" ")}; ${agentOmission.split(";")[0]}`;
    },
  ),
  row(39, "ε(δ)=ρtotal+4ρtotallog", "zcdpEpsilonSimple", shown(10, 0.12 + Math.sqrt(4 * 0.12 * Math.log(1e5))), () =>
    shown(10, zcdpEpsilonSimple(0.12, 1e-5)),
  ),
  row(
    43,
    "ρi=12εi2+εi2log",
    "calc total.agent, lifted",
    `${shown(10, 3 * (0.5 + Math.sqrt(2 * Math.log(1e6))))}; true`,
    () => {
      const spends = [{ epsilon: 1, delta: 1e-6, gaussian: true, count: 3 }];
      const { zcdp, remarks } = calc("total.agent", { spends, budget: [5, 1e-5] });
      return `${shown(10, zcdp.rho)}; ${remarks.some((text: string) => text.includes("not a theorem"))}`;
    },
  ),
  row(
    47,
    "AGENT uses the remaining delta in the budget for this slack variable",
    "calc total.agent, δ′",
    "0.000008",
    () => shown(6, calc("total.agent", { spends: [[0.1, 1e-6, 2]], budget: [5, 1e-5] }).slack),
  ),
  row(
    51,
    "When you start exhausting the delta budget, you will see the total epsilon increasing",
    "dosimeter total --plot-agent",
    "from ε 3.91 to 5.77, falls false; drawn curves 1, flat 0",
    async () => {
      await command("total --delta 1e-5 --plot-agent agent.svg", "epsilon,delta,count\n0.05,0,200\n");
      const { curve } = agentReport([{ epsilon: 0.05, delta: 0, count: 200 }], { epsilon: 5, delta: 1e-5 });
      const falls = curve.some(({ epsilon }, i) => epsilon < (curve[i - 1]?.epsilon ?? 0));
      const ends = [curve[0], curve.at(-1)].map((point) => shown(3, point?.epsilon ?? Number.NaN));
      return `from ε ${ends.join(" to ")}, falls ${falls}; drawn ${curvesOf(readWorkFile("agent.svg"))}`;
    },
  ),
  row(
    51,
    "uses a very small value",
    "calc total.agent, δ used up",
    "δ′ 1e-12, floored true, above the budget by 1e-12",
    () => {
      const report = calc("total.agent", { spends: [[0.05, 1e-7, 100]], budget: [5, 1e-5] });
      return `δ′ ${report.slack}, floored ${report.isFloored}, above the budget by ${report.overshoot}`;
    },
  ),
  row(55, "High values of epsilon (Usually", "dosimeter total --threshold", "basic 10", async () => {
    const { agent } = await commandJson("total --delta 1e-5 --threshold 0.04", "epsilon,delta,count\n0.05,0,200\n");
    return `${agent.method} ${agent.epsilon}`;
  }),
  row(
    55,
    "High values of epsilon (Usually",
    "POST /v1/ledgers/{ledger}/settings, then every report and page",
    "1 → 0.04: 0.04 basic 10, 0.04 basic 10, 1 advanced 4.23; a member refused; 0, −1, NaN, 1e9 refused refused refused refused; 0 problems",
    async () => {
      const { as, people } = await platform();
      const { id: file } = await as.datasetAdmin.uploadFile({ name: "u.csv", content: csvBytes("person,age\n8,20\n") });
      const { id: dataset } = await as.datasetAdmin.createDataset({ file, declaration: { ...twoPeople, name: "set" } });
      const { id: ledger } = await as.datasetAdmin.openLedger({ dataset, epsilon: "12", delta: "1e-6" });
      const holder = { kind: "person", id: people.datasetAdmin } as const;
      const { id: account } = await as.datasetAdmin.createAccount({ ledger, holder, epsilon: "12" });
      const statistics = Array.from({ length: 200 }, () => ({ statistic: "count" as const, epsilon: "0.05" }));
      await as.datasetAdmin.releaseAndWait({ dataset, account, plan: { statistics } }, { idempotencyKey: "sources-7" });
      const before = await as.datasetAdmin.showLedger({ ledger });
      const { threshold } = await as.datasetAdmin.setLedger({ ledger, threshold: "0.04" });
      const reports = [
        await as.datasetAdmin.reportLedger({ ledger }),
        await as.datasetAdmin.reportAccount({ account }),
        await as.datasetAdmin.reportLedger({ ledger, threshold: 1 }),
      ];
      const asMember = await as.member.setLedger({ ledger, threshold: "9" }).then(
        () => "set",
        () => "refused",
      );
      const wrong = await Promise.all(
        ["0", "-1", "NaN", "1e9"].map((text) =>
          as.datasetAdmin.setLedger({ ledger, threshold: text }).then(
            () => text,
            () => "refused",
          ),
        ),
      );
      const { problems } = await as.auditor.verify({});
      return `${before.threshold ?? 1} → ${threshold}: ${reports.map(({ threshold, agent }) => `${threshold} ${agent?.method} ${shown(3, agent?.epsilon ?? 0)}`).join(", ")}; a member ${asMember}; 0, −1, NaN, 1e9 ${wrong.join(" ")}; ${problems.length} problems`;
    },
  ),
];

const hierarchy: readonly SourceRow[] = [
  row(
    59,
    "The process begins when a user creates a dataset, becomes the Dataset Admin",
    "POST /v1/datasets",
    "manages true, opened it true",
    async () => {
      const { as, ledger, people } = await platform();
      const { mine, openedBy } = await as.datasetAdmin.showLedger({ ledger });
      return `manages ${mine.mayManage}, opened it ${openedBy === people.datasetAdmin}`;
    },
  ),
  row(59, "defines the total Privacy Budget available", "POST /v1/ledgers", "(3, 0.0000001)", async () => {
    const { as } = await platform();
    const { id: file } = await as.datasetAdmin.uploadFile({
      name: "staff.csv",
      content: csvBytes("person,age\n1,20\n2,30\n"),
    });
    const { id: dataset } = await as.datasetAdmin.createDataset({ file, declaration: twoPeople });
    const { guarantee } = await as.datasetAdmin.openLedger({ dataset, epsilon: "3", delta: "1e-7" });
    return `(${guarantee.epsilon}, ${guarantee.delta})`;
  }),
  row(
    59,
    "manages and delegates the Privacy Budget amount each team and member can use",
    "POST /v1/ledgers/{ledger}/accounts",
    "ε 0.5 to a person",
    async () => {
      const { as, ledger, people } = await freshPlatform();
      const holder = { kind: "person", id: people.stranger } as const;
      const { quota } = await as.datasetAdmin.createAccount({ ledger, holder, epsilon: "0.5" });
      return `ε ${quota.epsilon} to a person`;
    },
  ),
  row(
    61,
    "The primary Privacy Budget hierarchy flow",
    "POST /v1/accounts/{account}/allocate by a team admin",
    "ε 1.2 from the team",
    async () => {
      const { as, memberAccount } = await freshPlatform();
      const { account } = await as.teamAdmin.allocateQuota({ account: memberAccount, epsilon: "0.2" });
      return `ε ${account.quota.epsilon} from the team`;
    },
  ),
  row(
    63,
    "Team Admins and Members can request more Privacy Budget",
    "POST /v1/requests, approve in part, reject",
    "partlyApproved ε 0.1, rejected",
    async () => {
      const { as, dataset, memberAccount, teamAccount, team } = await freshPlatform();
      const first = await as.member.createRequest({ dataset, account: memberAccount, epsilon: "0.4" });
      const granted = await as.teamAdmin.approveRequest({ request: first.id, version: first.version, epsilon: "0.1" });
      const asked = await as.teamAdmin.createRequest({ dataset, account: teamAccount, epsilon: "9", note: team });
      const refused = await as.datasetAdmin.rejectRequest({ request: asked.id, version: asked.version, note: "no" });
      return `${granted.status} ε ${granted.granted?.epsilon}, ${refused.status}`;
    },
  ),
  row(
    67,
    "The diagram below presents an example of Privacy Budget distribution",
    "page Budget, as a tree of accounts",
    "2 › 1",
    async () => {
      const { as, ledger } = await freshPlatform();
      const accounts = await accountsOf(as.datasetAdmin, ledger);
      return accounts.map(({ path, quota }) => `${"› ".repeat(path.length - 1)}${quota.epsilon}`).join(" ");
    },
  ),
  row(
    71,
    "they can also allocate it partially, leaving available Privacy Budget",
    "GET /v1/ledgers/{ledger}, free",
    "free 3 of 5; given on 1 of 2",
    async () => {
      const { as, ledger, teamAccount } = await freshPlatform();
      const { free } = await as.datasetAdmin.showLedger({ ledger });
      const { allocated } = await as.teamAdmin.showAccount({ account: teamAccount });
      return `free ${free.epsilon} of 5; given on ${allocated.epsilon} of 2`;
    },
  ),
  row(
    75,
    "consider the following",
    "page Explore › Choosing ε, four steps",
    "10 % becomes 23.2 % at ε 1",
    () => `10 % becomes ${shown(3, 100 * posterior(0.1, 1))} % at ε 1`,
  ),
  row(
    97,
    "consider the following factors",
    "page Explore › Choosing ε, rangeOf",
    "Data sensitivity 0.01…1.1; Population size and error 0.0298…1.1; Access frequency 0.5…1.1; Collaborators 0.756…1.1; Caching and reuse 0.5…1.1; the more sensitive, the less: 4.39 2.2 1.1 0.549",
    () => {
      const steps = rangeOf(steward)
        .steps.slice(2)
        .map(({ label, least, most }) => `${label} ${shown(3, least)}…${shown(3, most)}`);
      const most = (["open", "ordinary", "sensitive", "dangerous"] as const).map(
        (sensitivity) => rangeOf({ ...steward, sensitivity }).most,
      );
      return `${steps.join("; ")}; the more sensitive, the less: ${shown(3, ...most)}`;
    },
  ),
  row(
    117,
    "such as taking the sum, count, and later the mean",
    "POST /v1/plans/quote with reuse, on the demo's table; dosimeter dataset add",
    "promised true, offered derived, 1 mean for nothing: left 1; required true",
    async () => {
      const { as, people } = await platform();
      const content = csvBytes(toCsv(syntheticPeople(300)));
      const { id: file } = await as.datasetAdmin.uploadFile({ name: "adults.csv", content });
      const { id: dataset } = await as.datasetAdmin.createDataset({ file, declaration: { ...adultsDeclaration } });
      const { id: ledger } = await as.datasetAdmin.openLedger({ dataset, epsilon: "3", delta: "1e-6" });
      const holder = { kind: "person", id: people.datasetAdmin } as const;
      const { id: account } = await as.datasetAdmin.createAccount({ ledger, holder, epsilon: "2" });
      const statistics = [
        { statistic: "count", epsilon: "0.5" },
        { statistic: "sum", column: "age", epsilon: "0.5" },
      ];
      await as.datasetAdmin.releaseAndWait({ dataset, account, plan: { statistics } }, { idempotencyKey: "sources-3" });
      const mean = { statistics: [{ statistic: "mean", column: "age", epsilon: "0.5" }] };
      const asked = { dataset, account, plan: mean, reuse: "free" } as const;
      const { items } = await as.datasetAdmin.listReleased({ dataset });
      const [quoted] = (await as.datasetAdmin.quotePlan(asked)).statistics;
      const { answers } = await as.datasetAdmin.releaseAndWait(asked, { idempotencyKey: "sources-4" });
      const { balance } = await as.datasetAdmin.showAccount({ account });
      const [offer] = quoted?.reuse.offers ?? [];
      const promised = items.some((one) => one.kind === "released" && one.derivable.join().includes("mean"));
      const isRequired = adultsDeclaration.columns.age?.required;
      return `promised ${promised}, offered ${offer?.kind}, ${answers?.length} mean for nothing: left ${balance.epsilon.left}; required ${isRequired}`;
    },
  ),
  row(
    117,
    "such as taking the sum, count, and later the mean",
    "POST /v1/plans/quote and GET …/released, where values may be missing",
    "promised nothing, offered 0: “sum of age” would give it with a count of the values of age: the released “count” also counts rows without a value. With count age: promised mean of age, offered 1",
    async () => {
      const { as, people } = await platform();
      const content = csvBytes("person,age\n1,20\n2,\n3,40\n");
      const { id: file } = await as.datasetAdmin.uploadFile({ name: "gaps.csv", content });
      const declaration = { ...twoPeople, name: "gaps" };
      const { id: dataset } = await as.datasetAdmin.createDataset({ file, declaration });
      const { id: ledger } = await as.datasetAdmin.openLedger({ dataset, epsilon: "3", delta: "1e-6" });
      const holder = { kind: "person", id: people.datasetAdmin } as const;
      const { id: account } = await as.datasetAdmin.createAccount({ ledger, holder, epsilon: "2" });
      const release = (key: string, ...statistics: { statistic: "sum" | "count"; column?: string }[]) =>
        as.datasetAdmin.releaseAndWait(
          { dataset, account, plan: { statistics: statistics.map((one) => ({ ...one, epsilon: "0.5" })) } },
          { idempotencyKey: key },
        );
      const seen = async () => {
        const mean = { statistics: [{ statistic: "mean", column: "age", epsilon: "0.5" } as const] };
        const [quoted] = (await as.datasetAdmin.quotePlan({ dataset, account, plan: mean, reuse: "free" })).statistics;
        const { items } = await as.datasetAdmin.listReleased({ dataset });
        const promised = new Set(items.flatMap((one) => (one.kind === "released" ? one.derivable : [])));
        return `promised ${[...promised].join(", ") || "nothing"}, offered ${quoted?.reuse.offers.length}${quoted?.reuse.note === null ? "" : `: ${quoted?.reuse.note}`}`;
      };
      await release("sources-5", { statistic: "count" }, { statistic: "sum", column: "age" });
      const before = await seen();
      await release("sources-6", { statistic: "count", column: "age" });
      return `${before} With count age: ${await seen()}`;
    },
  ),
  row(
    121,
    "choose δ\\delta not greater than the inverse of the dataset size",
    "POST /v1/ledgers/preview, dosimeter ledger open, page of a new ledger",
    "thousand: δ = 0.01 is above 1/n = 0.001; at 1/n 0 warnings; the command line: δ = 0.01 is above 1/n",
    async () => {
      const { as } = await platform();
      const { id: file } = await as.datasetAdmin.uploadFile({ name: "s.csv", content: csvBytes("person,age\n3,20\n") });
      const sized = { ...twoPeople, name: "thousand", size: { assumed: 1000 } };
      const { id: dataset } = await as.datasetAdmin.createDataset({ file, declaration: sized });
      const asked = { dataset, epsilon: "1" };
      const { warnings } = await as.datasetAdmin.previewLedger({ ...asked, delta: "0.01" });
      const opened = await as.datasetAdmin.openLedger({ ...asked, delta: "0.001" });
      const server = await atServer();
      writeWorkFile("thousand.csv", "age\n20\n");
      const columns = "columns: {age: {type: integer, lower: 0, upper: 100}}";
      await command(
        `dataset add thousand.csv -d '{name: t, privacyUnit: row, size: {assumed: 1000}, ${columns}}' ${server}`,
      );
      const said = await command(`ledger open t --epsilon 1 --delta 0.01 --preview ${server}`);
      const told = /warning: t: (δ = \S+ is above 1\/n)/.exec(said)?.[1] ?? "nothing";
      return `${warnings[0]?.split(": it ")[0]}; at 1/n ${opened.warnings?.length} warnings; the command line: ${told}`;
    },
  ),
];

/** Refusals that a person meets: each one names the value to change. */
const refusals: readonly SourceRow[] = [
  row(
    7,
    "Each query they make spends Epsilon and Delta",
    "POST /v1/plans/quote, δ is missing",
    "Only δ is missing",
    async () => {
      const { as, dataset, memberAccount: account } = await platform();
      const statistics = [{ statistic: "keyCounts", column: "sex", epsilon: "0.1", delta: "0.00001" }];
      const { refusal } = await as.member.quotePlan({ dataset, account, plan: { statistics } });
      return refusal?.detail.replace(/^.*?(Only δ is missing).*$/s, "$1") ?? "admitted";
    },
  ),
  row(
    7,
    "Each query they make spends Epsilon and Delta from",
    "POST /v1/releases, a key of another plan",
    "this idempotency key was used for another plan: a new question needs a new key",
    async () => {
      const { as, dataset, memberAccount: account } = await platform();
      const asked = { dataset, account };
      await as.member.releaseAndWait({ ...asked, plan: countPlan("0.01") }, { idempotencyKey: "sources-2" });
      return as.member.releaseAndWait({ ...asked, plan: countPlan("0.02") }, { idempotencyKey: "sources-2" }).then(
        () => "taken",
        (error: Error) => error.message,
      );
    },
  ),
  row(
    55,
    "The accountant also uses the zCDP composition when gaussian noise mechanism is used",
    "POST /v1/plans/quote, Gaussian noise under addition",
    "0.001",
    async () => {
      const { as, dataset, memberAccount: account } = await platform();
      const statistics = [{ statistic: "count", noise: "gaussian", rho: "0.0005" }];
      const { refusal } = await as.member.quotePlan({ dataset, account, plan: { statistics } });
      return /would take μ² = ([\d.]+) of .*dosimeter ledger switch/.exec(refusal?.detail ?? "")?.[1] ?? "no way";
    },
  ),
  row(
    13,
    "returns the total spent",
    "POST /v1/plans/quote, 190 × 0.05 at (5, 10⁻⁵)",
    "AGENT 3.79; addition needs 9.5 of 5; tight has room",
    async () => {
      const { as, people } = await platform();
      const { id: file } = await as.datasetAdmin.uploadFile({ name: "t.csv", content: csvBytes("person,age\n9,20\n") });
      const { id: dataset } = await as.datasetAdmin.createDataset({
        file,
        declaration: { ...twoPeople, name: "many" },
      });
      const { id: ledger } = await as.datasetAdmin.openLedger({ dataset, epsilon: "5", delta: "1e-5" });
      const holder = { kind: "person", id: people.datasetAdmin } as const;
      const { id: account } = await as.datasetAdmin.createAccount({ ledger, holder, epsilon: "5" });
      const statistics = Array.from({ length: 190 }, () => ({ statistic: "count", epsilon: "0.05" }));
      const { refusal } = await as.datasetAdmin.quotePlan({ dataset, account, plan: { statistics } });
      const agent = calc("total.agent", { spends: [[0.05, 0, 190]], budget: [5, 1e-5] });
      const [, needs] = /this charge needs ([\d.]+)/.exec(refusal?.detail ?? "") ?? [];
      return `AGENT ${shown(3, agent.epsilon)}; addition needs ${needs} of 5; ${refusal?.detail.includes("The tight rule has room for it") ? "tight has room" : refusal?.detail}`;
    },
  ),
  row(
    13,
    "Given a list of spends",
    "dosimeter total, a column that it does not know",
    'dosimeter: spends heading is "epsilno"',
    () => command("total --delta 1e-5", "epsilon,epsilno\n1,2\n").then((said) => said.split(", must")[0] ?? ""),
  ),
  row(
    59,
    "manages and delegates the Privacy Budget amount each team",
    "dosimeter token create --scope, a list of rights",
    "read + manage; read + release",
    async () => {
      const server = await atServer();
      const made = ["read manage", "read,release"].map(
        (list) => `token create ${list.replaceAll(/\W/g, "-")} --scope ${list}`,
      );
      for (const line of made) await command(`${line} ${server}`);
      const tokens: readonly { readonly name: string; readonly scopes: readonly string[] }[] = await commandJson(
        `token list ${server}`,
      );
      const named = tokens.filter(({ name }) => /^read-/.test(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
      return named.map(({ scopes }) => scopes.join(" + ")).join("; ");
    },
  ),
];

export const agentRows: readonly SourceRow[] = [...accountant, ...hierarchy, ...refusals];
