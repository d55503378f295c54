import type { SqlRelease } from "@dosimeter/client";
import { invalid, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { AccountId, Dataset } from "@dosimeter/ledger";
import type { Answer } from "@dosimeter/query/answer";
import { boundSteps, planOver } from "@dosimeter/query/bind";
import type { Declaration } from "@dosimeter/query/declaration";
import type { Plan } from "@dosimeter/query/statistics";
import { joinOf, readSql, type SqlPlan, sqlPlanSteps, tableSteps } from "@dosimeter/sql-text";
import { nullIfAbsent } from "../access/absent.ts";
import { readableDataset } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import type { Call, HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { inSlices } from "../measuring/slices.ts";
import { requestOf, type StoredRequest } from "../release/request.ts";
import { versionOf } from "../reuse/versioned-table.ts";
import { planAsked, planView } from "../view/plan.ts";
import { releases } from "./releases.ts";

/** SQL becomes a plan; quotes and releases of it are those of any plan. */
export const sql = {
  async quoteSql({ deps, caller, input, exchange }) {
    const { planned, request, dataset } = await plannedOf(input, caller, deps);
    const people = input.people === undefined ? {} : { people: input.people };
    const quote = await releases
      .quotePlan({ deps, caller, exchange, input: { ...request, ...people } })
      .catch(planned.atItsPlace);
    const columns = planned.tables.map((table) =>
      table.columns.map((column) => ({ name: column.name, type: typeOf(column) })),
    );
    return { dataset, plan: request.plan, notes: planned.notes, columns, quote };
  },

  async releaseSql({ deps, caller, input, exchange }) {
    const { key, wait, purpose } = input;
    const more = { ...present({ wait, purpose }) };
    const before = await deps.database.releases.chargeByKey({ principal: caller.principal.id, key });
    const asked = await plannedOf(input, caller, deps, before === null ? null : requestOf(before));
    const { planned, request, dataset } = asked;
    if (input.dataset !== undefined && input.dataset !== dataset)
      throw new PrivacyError(
        "CONFLICT",
        { name: "dataset", want: dataset },
        `FROM names ${dataset} now, which is not the dataset that was quoted; ask for a quote again`,
      );
    const release = await releases
      .createRelease({ deps, caller, exchange, input: { ...request, key, ...more } })
      .catch(planned.atItsPlace);
    // What the answers mean is said by the version that they are about, also where a newer one came in between.
    const about =
      release.version === asked.version && release.joined?.version === asked.joined
        ? asked
        : await plannedOf(input, caller, deps, {
            dataset,
            version: release.version,
            ...(release.joined === null ? {} : { joined: release.joined.version }),
          });
    // Its window is the one that was charged, whatever its words mean by now.
    const { window } = planAsked(release.plan);
    const plan = { ...about.planned.plan, ...present({ window }) };
    const made = { ...about.planned, plan };
    const tables =
      release.answers === null
        ? null
        : await tablesOf(made, { ...about, answers: release.answers, isExact: input.exact });
    return { dataset, plan: request.plan, notes: about.planned.notes, tables, release };
  },
} satisfies HandlersOf<"sql">;

/** What a cell of a column is in JSON: a date is a text. */
const typeOf = ({
  kind,
  isText,
}: SqlPlan["tables"][number]["columns"][number]): "number" | "boolean" | "list" | "text" =>
  isText !== true && (kind === "number" || kind === "boolean" || kind === "list") ? kind : "text";

type Table = NonNullable<SqlRelease["tables"]>[number];
type Answers = NonNullable<SqlRelease["release"]["answers"]>;

interface Answered {
  readonly declaration: Declaration;
  readonly answers: Answers;
  readonly isExact?: boolean | undefined;
}

async function tablesOf({ plan, tables }: SqlPlan, { declaration, answers, isExact }: Answered) {
  const bounded = await inSlices(boundSteps(planOver(plan, declaration, Date.now() / 1000), declaration));
  const made: Table[] = [];
  for (const table of tables) {
    const { rows, notes } = await inSlices(
      tableSteps(table, answers as unknown as readonly Answer[], bounded, present({ isExact })),
    );
    made.push({ columns: table.columns.map(({ name }) => name), rows: rows as Table["rows"], notes });
  }
  return made;
}

type Sql = Pick<
  Call<"quoteSql">["input"],
  "sql" | "account" | "epsilon" | "rho" | "delta" | "reuse" | "asOf" | "window"
>;

/** Characters of SQL that take as long to read as a quote. */
const CHARACTERS_OF_A_TOKEN = 2000;

/** What the text asks for, and the request that asks the same as a plan; of a charge, at the version that it is about. */
async function plannedOf(
  input: Sql,
  caller: Caller,
  deps: Deps,
  charged: Pick<StoredRequest, "dataset" | "version" | "joined"> | null = null,
) {
  deps.rates.check("quote", caller.principal.id); // before any work
  await deps.rates.take("quote", caller.principal.id, input.sql.length / CHARACTERS_OF_A_TOKEN);
  const query = readSql(input.sql);
  const found = await datasetOf(query.dataset.name, input.account, caller, deps);
  const before = charged?.dataset === found.id ? charged : null;
  const joined = joinOf(query);
  const other = joined === undefined ? null : await datasetOf(joined.name, input.account, caller, deps);
  const { declaration, version } = await versionOf(
    deps.release,
    found,
    before?.version ?? input.asOf ?? null,
    other === null ? null : { dataset: other, version: before?.joined ?? null },
  );
  const window = input.window as Plan["window"];
  const planned = await inSlices(sqlPlanSteps(query, declaration, { ...input, window }));
  refuseWithoutPrice(planned);
  const { account, reuse, asOf } = input;
  const plan = planView(planned.plan);
  const request = {
    dataset: found.id,
    account,
    plan,
    ...present({ reuse, asOf }),
  };
  const { joinable = {} } = declaration;
  return { planned, request, dataset: found.id, declaration, version, joined: joinable[other?.id ?? ""]?.version };
}

function refuseWithoutPrice({ unpriced }: Pick<SqlPlan, "unpriced">): void {
  if (unpriced > 0)
    invalid(
      "epsilon",
      undefined,
      `stated as a total that ${unpriced === 1 ? "one aggregate takes" : `${unpriced} aggregates share evenly`}: the argument epsilon, or OPTIONS(epsilon = …) in the query`,
    );
}

/**
 * The dataset of that id, or else of that name, on the ledger of the account: no dataset elsewhere can take its place.
 * One that the caller may not see is not there.
 */
async function datasetOf(name: string, account: AccountId, caller: Caller, deps: Deps): Promise<Dataset> {
  const { database } = deps;
  const { ledger } = await database.ledgers.account(account);
  const { population } = await database.ledgers.ledger(ledger);
  const wanted = name.normalize("NFC");
  const seen: Dataset[] = [];
  for (const { id } of await database.catalog.datasetsOf(population)) {
    const readable = await readableDataset(caller, id, deps).catch(nullIfAbsent);
    if (readable !== null) seen.push(readable.dataset);
  }
  const alike = [
    seen.filter(({ id }) => id === name),
    seen.filter((each) => each.name === wanted),
    seen.filter((each) => each.name.toLowerCase() === wanted.toLowerCase()),
  ];
  const [only, ...others] = alike.find((found) => found.length > 0) ?? [];
  if (only === undefined)
    throw new PrivacyError(
      "NOT_FOUND",
      { name: "sql", got: name },
      `dataset ${JSON.stringify(name)}: not found on the ledger of this account, or not visible to you`,
    );
  if (others.length > 0)
    throw new PrivacyError(
      "CONFLICT",
      { name: "sql", got: name },
      `${others.length + 1} datasets are called ${JSON.stringify(name)}; name one by its id: ${[only, ...others].map(({ id }) => id).join(", ")}`,
    );
  return only;
}
