import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, createClient, type Plan } from "@dosimeter/client";
import { errorCodes, VERSION } from "@dosimeter/core";
import { plainPlan } from "@dosimeter/query/plan";
import { signedIn } from "@dosimeter/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { said } from "../packages/cli/src/terminal.kit.ts";
import { agentAt, called } from "../packages/server/src/mcp/mcp.kit.ts";
import { whyNoBrowser } from "./browser.kit.ts";
import { selfSigned } from "./certificate.kit.ts";
import {
  clientEnv,
  installR,
  named,
  ODBC,
  printed,
  python,
  pythonClient,
  rClient,
  rTest,
  whyNoModule,
  whyNoOdbc,
  whyNot,
} from "./clients.kit.ts";
import { launch, openDemo } from "./demo.kit.ts";
import { root } from "./docs.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";

const whyNoPython = whyNot("python");
const whyNoR = whyNot("r");
const folder = temporaryFolder();
const library = join(folder, "library");

const why = {
  psql: whyNot("psql"),
  psycopg2: whyNot("psycopg2"),
  psycopg: whyNot("psycopg"),
  sqlalchemy: whyNot("sqlalchemy"),
  RPostgreSQL: whyNot("RPostgreSQL"),
};

let demo: Awaited<ReturnType<typeof openDemo>>;
let token: string;
let ana: Client;
let env: Readonly<Record<string, string>>;
/** As Ben, who may charge for programs outside. */
let charging: Readonly<Record<string, string>>;

beforeAll(async () => {
  const { certificate, key } = selfSigned("localhost");
  const authority = join(folder, "authority.pem");
  writeFileSync(authority, certificate);
  demo = await openDemo({ postgresWire: { port: 0, certificate: authority, key } });
  const session = await signedIn({ url: demo.url, fetch: (request) => fetch(request) }, await demo.link("Ana Silva"));
  token = (await session.createToken({ name: "clients", scopes: ["read", "release"] })).secret;
  ana = createClient({ url: demo.url, token });
  env = {
    ...clientEnv(library),
    DOSIMETER_URL: demo.url,
    DOSIMETER_TOKEN: token,
    // What libpq reads, and with it psql, psycopg and R.
    PGHOST: "localhost",
    PGPORT: String(demo.postgresWire),
    PGUSER: "ana",
    PGPASSWORD: token,
    PGDATABASE: "dosimeter",
    PGSSLMODE: "verify-full",
    PGSSLROOTCERT: authority,
  };
  charging = { ...env, DOSIMETER_TOKEN: await tokenOfBen(), DOSIMETER_CHARGES: "adults" };
  if (whyNoR === null) await installR(library);
});

async function tokenOfBen(): Promise<string> {
  const at = { url: demo.url, fetch: (request: Request) => fetch(request) };
  const [ben, dana] = [
    await signedIn(at, await demo.link("Ben Okafor")),
    await signedIn(at, await demo.link("Dana Ortiz")),
  ];
  const { items } = await ben.listDatasets({ name: "adults" });
  await dana.setDeclaring({ account: items[0]?.myAccounts[0] ?? "", mostEpsilon: "1" });
  return (await ben.createToken({ name: "programs", scopes: ["read", "release"] })).secret;
}

afterAll(() => demo.close());

describe.skipIf(whyNoPython !== null)(named("the Python client", whyNoPython), () => {
  test("its own tests pass against a demo", async () => {
    await printed([python, "-W", "error", "-m", "unittest", "discover", "-s", "tests"], { env, cwd: pythonClient });
  });

  test("programs outside pay before they run, those of each tool that is here", async () => {
    const tests = ["-m", "unittest", "discover", "-s", "tests", "-p", "test_charges.py"] as const;
    await printed([python, "-W", "error", ...tests], { env: charging, cwd: pythonClient });
  });

  test("both notebooks run, cell after cell", async () => {
    const notebooks = readdirSync(join(pythonClient, "notebooks")).map((name) => join("notebooks", name));
    const said = await printed([python, "tests/notebooks.py", ...notebooks], { env, cwd: pythonClient });
    expect(notebooks).toHaveLength(2);
    expect(said).toMatch(/Cost: ε = 0\.05/);
    expect(said).toMatch(/1 {3}at most 74/);
  });

  test("every code of the server has a class that says the same", async () => {
    const list =
      "import json; from dosimeter.errors import _BY_CODE; print(json.dumps({c: k.__doc__ for c, k in _BY_CODE.items()}))";
    expect(JSON.parse(await printed([python, "-c", list], { env }))).toEqual(errorCodes);
  });
});

const whyNoWheel = whyNoPython ?? whyNot("wheel");
test.skipIf(whyNoWheel !== null)(
  named("the wheel is typed, and the source package has the licence", whyNoWheel),
  async () => {
    const copy = join(folder, "python");
    cpSync(pythonClient, copy, { recursive: true });
    const build = [
      "from setuptools import build_meta as b; import tarfile, zipfile, json",
      "wheel, source = b.build_wheel('.'), b.build_sdist('.')",
      "print(json.dumps([wheel, source, zipfile.ZipFile(wheel).namelist(), tarfile.open(source).getnames()]))",
    ].join("\n");
    const said = await printed([python, "-W", "ignore", "-c", build], { env: {}, cwd: copy });
    const [wheel, , inWheel, inSource] = JSON.parse(said.trimEnd().split("\n").at(-1) ?? "");
    expect(wheel).toBe(`dosimeter-${VERSION}-py3-none-any.whl`);
    expect(inWheel).toEqual(
      expect.arrayContaining(["dosimeter/py.typed", "dosimeter/client.py", "dosimeter/outside/opendp.py"]),
    );
    expect(inSource).toContain(`dosimeter-${VERSION}/LICENSE`);
  },
);

const whyNoMypy = whyNoPython ?? whyNot("mypy");
test.skipIf(whyNoMypy !== null)(named("the Python client passes mypy --strict", whyNoMypy), async () => {
  const said = await printed([python, "-m", "mypy", "--cache-dir", join(folder, "mypy")], {
    env: {},
    cwd: pythonClient,
  });
  expect(said).toMatch(/Success/);
  const asked = [
    'mean("income", by="sex", epsilon=.1)',
    "mean(epsilon=.1)",
    'mean("income", eps=.1)',
    'top_values("a", k="b")',
  ];
  writeFileSync(join(folder, "asked.py"), `import dosimeter as dm\n${asked.map((one) => `dm.${one}\n`).join("")}`);
  const env = { MYPYPATH: join(pythonClient, "src") };
  const check = [
    python,
    "-m",
    "mypy",
    "--strict",
    "--cache-dir",
    join(folder, "mypy"),
    join(folder, "asked.py"),
  ] as const;
  const found = await printed(check, { env }).catch((refused: { readonly stdout: string }) => refused.stdout);
  expect(found.match(/asked\.py:\d/g)).toEqual(["asked.py:3", "asked.py:4", "asked.py:5"]);
});

test("the clients have the one version and the one licence", () => {
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  expect(read("clients/python/src/dosimeter/version.py")).toBe(`VERSION = "${VERSION}"\n`);
  expect(read("clients/r/DESCRIPTION")).toContain(`\nVersion: ${VERSION}\n`);
  expect(read("clients/python/LICENSE")).toBe(read("LICENSE"));
});

describe.skipIf(whyNoR !== null)(named("the R client", whyNoR), () => {
  test.each(["charges", "server", "calc"])("its tests %s.R pass", async (name) => {
    const asked = name === "charges" ? charging : env;
    expect(await printed(["Rscript", rTest(name)], { env: asked })).not.toMatch(/skipped/);
  });

  test("R CMD check finds nothing, but for the manual, which needs LaTeX", async () => {
    const check = ["--no-manual", "--no-build-vignettes", "--no-tests", `dosimeter_${VERSION}.tar.gz`];
    // Nothing is fetched, and what is only suggested may be absent.
    const alone = { LC_ALL: "C.UTF-8", R_REPOSITORIES: "NULL", _R_CHECK_FORCE_SUGGESTS_: "false" };
    await printed(["R", "CMD", "build", "--no-build-vignettes", rClient], { env: alone, cwd: folder });
    const said = await printed(["R", "CMD", "check", ...check], { env: alone, cwd: folder });
    const absent =
      /^\* checking package dependencies \.\.\. NOTE\n+Package suggested but not available for checking: .ggplot2.$/m;
    expect(said.replace(absent, "")).not.toMatch(/\.\.\. (?:NOTE|WARNING|ERROR)/);
    expect(said).toMatch(/^\* DONE$/m);
  });
});

const question = { statistic: "mean", column: "income", groupBy: ["race"], epsilon: "0.03" };
const SQL = "SELECT race, AVG(income) FROM adults GROUP BY race";

/** What a door says: what it would cost, which question it is, and what was released. */
interface Said {
  readonly price: string | null | undefined;
  readonly key: string | undefined;
  readonly plan: unknown;
  /** `group low value high` of every cell, to ten digits. */
  readonly cells: readonly string[];
}

const digits = (value: unknown) => Number(value).toPrecision(10);
const cellText = (group: unknown, ...numbers: readonly unknown[]) => [group, ...numbers.map(digits)].join(" ");

interface SaidByServer {
  readonly quote: Awaited<ReturnType<Client["quotePlan"]>>;
  readonly release: Awaited<ReturnType<Client["showRelease"]>>;
}

const saidOf = ({ quote, release }: SaidByServer): Said => ({
  price: quote.cost?.epsilon,
  key: quote.statistics[0]?.reuse.key,
  plan: release.plan,
  cells: (release.answers ?? []).flatMap(({ cells }) =>
    cells.map(({ group, value, interval: [low, high] }) => cellText(group.race, low, value, high)),
  ),
});

async function commandJson(...args: readonly string[]) {
  const { code, out, err } = await said([...args, "--json"], { columns: 100, env, cwd: folder });
  expect({ code, err }, args.join(" ")).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
}

const PYTHON = `
import json, sys, dosimeter
adults = dosimeter.connect().dataset("adults")
plan = dosimeter.statistic("mean", "income", by="race", epsilon="0.03")
query = ${JSON.stringify(SQL)}
if sys.argv[1] == "sql":
    quote, release = adults.sql_quote(query, epsilon="0.03"), adults.sql(query, epsilon="0.03", reuse="asAccurate").release
else:
    quote, release = adults.quote(plan), adults.release(plan, reuse="asAccurate")
cells = [[row[name] for name in ("race", "low", "value", "high")] for row in release.records()]
said = {"price": quote.cost.epsilon, "key": quote.statistics[0].key, "plan": release.plan, "cells": cells}
print(json.dumps(said, default=str))
`;

const R = `
library(dosimeter)
server <- dm_connect()
plan <- dm_statistic("mean", "income", by = "race", epsilon = "0.03")
query <- ${JSON.stringify(SQL)}
if (commandArgs(TRUE)[1] == "sql") {
  quote <- dm_sql(server, query, epsilon = "0.03")
  release <- attr(dm_sql(server, query, key = "door-r-sql", epsilon = "0.03", reuse = "asAccurate"), "release")
} else {
  quote <- dm_quote(server, "adults", plan)
  release <- dm_release(server, "adults", plan, key = "door-r", reuse = "asAccurate")
}
cells <- unname(Map(list, release$race, release$low, release$value, release$high))
said <- list(price = quote$cost$epsilon, key = quote$statistics$key, plan = attr(release, "plan"), cells = cells)
cat(jsonlite::toJSON(said, auto_unbox = TRUE, digits = NA))
`;

async function saidBy(...command: readonly [string, ...string[]]): Promise<Said> {
  const { cells, ...said } = JSON.parse(await printed(command, { env }));
  return { ...said, cells: cells.map(([group, ...numbers]: readonly unknown[]) => cellText(group, ...numbers)) };
}

/** A program that prints the notices of the session, the lines of EXPLAIN and `race|low|value|high` of each row. */
async function saidOverWire(command: readonly [string, ...string[]]): Promise<Said> {
  const said = await printed(command, { env });
  const id = /release (chg_\w+)/.exec(said)?.[1] ?? "";
  const { plan, answers } = await ana.showRelease({ release: id });
  const released = new Map(answers?.[0]?.cells.map(({ group, value }) => [group.race, value]));
  const cells = said.split("\n").flatMap((line) => {
    const [group = "", low, value = "", high] = line.trim().split("|");
    if (high === undefined) return [];
    // SQL has NULL for an answer that is marked unreliable, which the release has with its mark.
    return [cellText(group, low, /\d/.test(value) ? value : released.get(group), high)];
  });
  const [, price] = /costs ε = ([\d.]+)/.exec(said) ?? [];
  return { price, key: /question (\w+)/.exec(said)?.[1], plan: unnamed(plan), cells }; // the alias, which the ends of intervals need, names the row
}

const WITH_ENDS = SQL.replace(
  "AVG(income)",
  "DP_INTERVAL_LOW(income) AS low, AVG(income) AS income, DP_INTERVAL_HIGH(income) AS high",
);

const PSYCOPG = `
import decimal, os, sys
EXPLAIN, QUERY = "EXPLAIN ${SQL}", "${WITH_ENDS}"
if sys.argv[1] == "psycopg2":
    import psycopg2
    c = psycopg2.connect("")
    heard = lambda: "".join(c.notices)
elif sys.argv[1] == "sqlalchemy":
    import sqlalchemy
    engine = sqlalchemy.create_engine("postgresql+psycopg2://")
    assert "income" in [column["name"] for column in sqlalchemy.inspect(engine).get_columns("adults")]
    with engine.connect() as free:
        assert free.execute(sqlalchemy.text("SELECT 1 FROM adults WHERE false")).all() == []
    c = engine.raw_connection()
    heard = lambda: "".join(c.notices)
else:
    import psycopg
    c, notices = psycopg.connect(""), []
    c.add_notice_handler(lambda d: notices.append(d.message_primary))
    heard = lambda: "\\n".join(notices)
k = c.cursor()
k.execute("SET dosimeter.exact = on")
k.execute("SET dosimeter.epsilon = 0.03")
k.execute(EXPLAIN)
print(*[row[0] for row in k.fetchall()], sep="\\n")
k.execute("SET dosimeter.epsilon = 0.03")
k.execute(QUERY, prepare=True) if sys.argv[1] == "psycopg" else k.execute(QUERY)
for row in k.fetchall():
    assert isinstance(row[2], (decimal.Decimal, type(None))), row
    print(*row, sep="|")
print(heard())
c.commit()
`;

const R_DBI = `
suppressMessages(library(RPostgreSQL))
c <- dbConnect(PostgreSQL())
invisible(dbSendQuery(c, "SET dosimeter.exact = on"))
invisible(dbSendQuery(c, "SET dosimeter.epsilon = 0.03"))
cat(dbGetQuery(c, "EXPLAIN ${SQL}")[[1]], sep = "\n")
rows <- dbGetQuery(c, "${WITH_ENDS}")
stopifnot(is.numeric(rows$income))
cat(sprintf("\n%s|%.15g|%.15g|%.15g", rows$race, rows$low, rows$income, rows$high), "\n")
`;

/** The planning page in a browser: the query is typed, reviewed and released by hand. */
async function saidByPage(): Promise<Said> {
  const browser = await launch();
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
    const page = await context.newPage();
    await page.goto(await demo.link("Ana Silva"));
    await page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
    const { dataset, account } = await accountAndDataset();
    await page.goto(`${demo.url}/datasets/${dataset}/plan`);
    await page.getByRole("button", { name: "SQL" }).click();
    const dialog = page.getByRole("dialog", { name: "This plan as SQL" });
    const stated = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.03)";
    await dialog.getByRole("textbox", { name: "SQL" }).fill(SQL.replace("SELECT", stated));
    await dialog.getByText("One statistic, ε 0.03 in all.").waitFor();
    await dialog.getByRole("button", { name: "Use this SQL" }).click();
    // The earlier answer is as good and free, so it is chosen before anyone says so; the price is that of a new one.
    const [, price] =
      /ε ([\d.]+)/.exec(await page.getByRole("button", { name: /^Draw a new one for ε / }).innerText()) ?? [];
    await page.getByRole("button", { name: "Review and release" }).click();
    await page.getByRole("checkbox", { name: /not read from the data/ }).check();
    await page.getByRole("button", { name: /^(Spend ε .* and release|Release, spending nothing)$/ }).click();
    await page.getByText("Receipt and exact statement").waitFor();
    const release = await ana.showRelease({ release: /chg_\w+/.exec(page.url())?.[0] ?? "" });
    const quote = await ana.quotePlan({ dataset, account, plan: release.plan });
    return { ...saidOf({ quote, release }), price, plan: unnamed(release.plan) };
  } finally {
    await browser.close();
  }
}

/** What a plan asks, without the names of its rows and what holds where nothing is said. */
function unnamed(asked: Plan): unknown {
  const { confidence: _confidence, adjacency: _adjacency, ...plan } = plainPlan(asked as never) as Plan;
  return { ...plan, statistics: plan.statistics.map(({ id: _, ...row }) => row) };
}

const reuse = "asAccurate";
const accountAndDataset = async () => {
  const { items } = await ana.listDatasets({ name: "adults" });
  return { dataset: items[0]?.id ?? "", account: items[0]?.myAccounts[0] ?? "" };
};

/** One row for each door: why it cannot be opened here, and what it says. */
const doors: Readonly<Record<string, { readonly missing: string | null; readonly ask: () => Promise<Said> }>> = {
  "the TypeScript SDK": {
    missing: null,
    async ask() {
      const asked = { ...(await accountAndDataset()), plan: { statistics: [question] } };
      return saidOf({ quote: await ana.quotePlan(asked), release: await ana.releaseAndWait({ ...asked, reuse }) });
    },
  },
  "SQL of the SDK": {
    missing: null,
    async ask() {
      const { account } = await accountAndDataset();
      const asked = { sql: SQL, account, epsilon: "0.03" };
      const { quote } = await ana.quoteSql(asked);
      return saidOf({ quote, release: (await ana.releaseSqlAndWait({ ...asked, reuse })).release });
    },
  },
  "the command line": {
    missing: null,
    async ask() {
      const rows = ["adults", "-s", "mean income epsilon=0.03 by race"];
      const quote = await commandJson("plan", "quote", ...rows);
      return saidOf({ quote, release: await commandJson("release", ...rows, "--reuse", reuse) });
    },
  },
  "SQL on the command line": {
    missing: null,
    async ask() {
      const { quote } = await commandJson("sql", SQL, "--epsilon", "0.03", "--quote");
      const { release } = await commandJson("sql", SQL, "--epsilon", "0.03", "--reuse", reuse, "--key", "door-sql");
      return saidOf({ quote, release });
    },
  },
  Python: { missing: whyNoPython, ask: () => saidBy(python, "-c", PYTHON, "plan") },
  "SQL in Python": { missing: whyNoPython, ask: () => saidBy(python, "-c", PYTHON, "sql") },
  R: { missing: whyNoR, ask: () => saidBy("Rscript", "-e", R, "plan") },
  "SQL in R": { missing: whyNoR, ask: () => saidBy("Rscript", "-e", R, "sql") },
  "the planning page": { missing: whyNoBrowser(), ask: saidByPage },
  psql: {
    missing: why.psql,
    ask: () =>
      saidOverWire([
        "bash",
        "-c",
        `psql -X -A -t -v ON_ERROR_STOP=1 -c "SET dosimeter.exact = on" -c "SET dosimeter.epsilon = 0.03" -c "EXPLAIN ${SQL}" -c "${WITH_ENDS}" 2>&1`,
      ]),
  },
  psycopg2: { missing: why.psycopg2, ask: () => saidOverWire([python, "-c", PSYCOPG, "psycopg2"]) },
  "psycopg 3": { missing: why.psycopg, ask: () => saidOverWire([python, "-c", PSYCOPG, "psycopg"]) },
  SQLAlchemy: { missing: why.sqlalchemy, ask: () => saidOverWire([python, "-c", PSYCOPG, "sqlalchemy"]) },
  "R over DBI": { missing: why.RPostgreSQL, ask: () => saidOverWire(["bash", "-c", 'Rscript -e "$0" 2>&1', R_DBI]) },
  "an AI agent": {
    missing: null,
    async ask() {
      const agent = await agentAt(demo.url, token);
      const asked = { ...(await accountAndDataset()), plan: { statistics: [question] } };
      const { said: quote } = await called(agent, "quote_plan", asked);
      const { said: release } = await called(agent, "release_plan", { ...asked, reuse, key: "door-agent" });
      await agent.close();
      return saidOf({ quote, release } as unknown as SaidByServer);
    },
  },
};

describe("one question through every door", () => {
  const spent = async () => {
    const { account } = await accountAndDataset();
    return Number((await ana.showAccount({ account })).balance.epsilon.spent);
  };
  let before: number;
  let first: Said;

  beforeAll(async () => {
    before = await spent();
    first = (await doors["the TypeScript SDK"]?.ask()) as Said;
  });

  for (const [name, { missing, ask }] of Object.entries(doors)) {
    test.skipIf(missing !== null)(named(`${name}: the same price, plan, charge and answers`, missing), async () => {
      const said = await ask();
      expect(said).toEqual(first);
      expect(said).toMatchObject({ price: "0.03", key: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(said.cells).toHaveLength(7);
      expect(await spent()).toBeCloseTo(before + 0.03, 12);
    });
  }
});

/** Prints the tables that a client sees, and `group people` of each row. */
const ASYNCPG = `
import asyncio, os, ssl, sys, asyncpg
async def ask():
    c = await asyncpg.connect(ssl=ssl.create_default_context(cafile=os.environ["PGSSLROOTCERT"]))
    print(*[row[0] for row in await c.fetch("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")])
    for row in await c.fetch(sys.argv[1]): print(*row)
    await c.close()
asyncio.run(ask())
`;
const ADBC = `
import sys, pyarrow, adbc_driver_postgresql.dbapi as adbc
with adbc.connect("postgresql://") as c, c.cursor() as k:
    print(c.adbc_get_objects(depth="tables").read_all().to_pylist())
    k.execute(sys.argv[1])
    for row in k.fetchall(): print(*row)
`;
const JUPYSQL = `
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "sql")
shell.run_line_magic("sql", "postgresql+psycopg://")
print(shell.run_line_magic("sqlcmd", "tables"))
for row in shell.run_line_magic("sql", sys.argv[1]): print(*row)
`;
const PANDAS = `
import sys, pandas, sqlalchemy
engine = sqlalchemy.create_engine("postgresql+psycopg://")
print(sqlalchemy.inspect(engine).get_table_names())
with engine.connect() as c:
    for row in pandas.read_sql(sqlalchemy.text(sys.argv[1]), c).itertuples(index=False): print(*row)
`;
/** `dbt debug`, and a model over released answers that another model selects from. */
const DBT = `
import json, os, pathlib, sys, tempfile
os.chdir(tempfile.mkdtemp())
at = {"type": "postgres", "host": "localhost", "port": int(os.environ["PGPORT"]), "user": "ana", "password": os.environ["PGPASSWORD"],
      "dbname": "dosimeter", "schema": "public", "sslmode": "verify-full", "sslrootcert": os.environ["PGSSLROOTCERT"], "threads": 1}
pathlib.Path("profiles.yml").write_text(json.dumps({"it": {"target": "it", "outputs": {"it": at}}}))
pathlib.Path("dbt_project.yml").write_text(json.dumps({"name": "it", "version": "1.0", "profile": "it", "models": {"+materialized": "ephemeral"}}))
pathlib.Path("models").mkdir()
pathlib.Path("models/people.sql").write_text(sys.argv[1].replace("ORDER BY 1", ""))
pathlib.Path("models/shown.sql").write_text("SELECT sex || ' ' || people AS line FROM {{ ref('people') }} ORDER BY 1")
from dbt.cli.main import dbtRunner
run = dbtRunner()
assert run.invoke(["debug"]).success
shown = run.invoke(["show", "-s", "shown", "--output", "json"])
assert shown.success, shown.exception
for row in shown.result.results[0].agate_table.rows: print(row[0])
print("adults")
`;
const ISQL = `
printf '[it]\nDriver=%s\nServername=localhost\nPort=%s\nDatabase=dosimeter\nUserName=ana\nPassword=%s\nSSLMode=verify-full\npqopt=sslrootcert=%s\n' \
  /usr/lib/*/odbc/${ODBC} "$PGPORT" "$PGPASSWORD" "$PGSSLROOTCERT" > "$ODBCINI"
printf 'help\n%s\n' "$1" | isql -b -d' ' it
`;
const others: Readonly<Record<string, readonly [string | null, ...(readonly string[])]>> = {
  asyncpg: [whyNoModule("asyncpg"), python, "-c", ASYNCPG],
  ADBC: [whyNoModule("adbc_driver_postgresql.dbapi", "pyarrow"), python, "-c", ADBC],
  "pandas over SQLAlchemy 2": [
    whyNoModule("pandas", "psycopg", "sqlalchemy.dialects.postgresql.psycopg"),
    python,
    "-c",
    PANDAS,
  ],
  JupySQL: [whyNoModule("sql.magic", "IPython", "psycopg"), python, "-c", JUPYSQL],
  dbt: [whyNoModule("dbt.adapters.postgres", "dbt.cli"), python, "-c", DBT],
  ODBC: [whyNoOdbc(), "sh", "-c", ISQL, "sh"],
};

describe("a client of PostgreSQL connects, browses, and asks again for nothing", () => {
  const people = "SELECT sex, COUNT(*) AS people FROM adults GROUP BY sex ORDER BY 1";
  const pays = async () =>
    Number((await ana.showAccount({ account: (await accountAndDataset()).account })).balance.epsilon.spent);
  let lines: readonly string[];
  beforeAll(async () => {
    const { account } = await accountAndDataset();
    const { tables } = await ana.releaseSqlAndWait({ sql: people, account, epsilon: "0.01", reuse });
    lines = (tables?.[0]?.rows ?? []).map((row) => row.join(" "));
  });
  for (const [name, [missing, command = "", ...args]] of Object.entries(others))
    test.skipIf(missing !== null)(named(name, missing), async () => {
      const before = await pays();
      const said = await printed([command, ...args, people], { env: { ...env, ODBCINI: join(folder, "odbc.ini") } });
      expect(said).toContain("adults");
      for (const line of lines) expect(said.replaceAll(/[ |]+/g, " ")).toContain(line);
      expect(lines).toHaveLength(2);
      expect(await pays()).toBe(before);
    });
});
