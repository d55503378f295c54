import { invalid, PrivacyError } from "@dosimeter/core";
import type { AccountId, Dataset } from "@dosimeter/ledger";
import { planOfSql, readSql, rowsOfTable, type SqlCell, type SqlPlan, type SqlTable } from "@dosimeter/query";
import { readableDataset } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import type { Call, HandlersOf } from "../http/call.ts";
import type { Deps } from "../instance/deps.ts";
import { versionOf } from "../release/quote.ts";
import { releases } from "./releases.ts";

/** SQL becomes a plan; quotes and releases of it are those of any plan. */
export const sql = {
  async quoteSql({ deps, caller, input, exchange }) {
    const { planned, request, dataset } = await plannedOf(input, caller, deps);
    const people = input.people === undefined ? {} : { people: input.people };
    const quote = await releases
      .quotePlan({ deps, caller, exchange, input: { ...request, ...people } })
      .catch(planned.atItsPlace);
    return { dataset, plan: request.plan, notes: [...planned.notes], quote };
  },

  async releaseSql({ deps, caller, input, exchange }) {
    const { planned, request, dataset } = await plannedOf(input, caller, deps);
    const { key, wait } = input;
    const release = await releases
      .createRelease({ deps, caller, exchange, input: { ...request, key, ...(wait === undefined ? {} : { wait }) } })
      .catch(planned.atItsPlace);
    const { answers } = release;
    const tables = answers === null ? null : planned.tables.map((table) => shown(table, answers));
    return { dataset, plan: request.plan, notes: [...planned.notes], tables, release };
  },
} satisfies HandlersOf<"sql">;

const shown = (table: SqlTable, answers: Parameters<typeof rowsOfTable>[1]) => ({
  columns: table.columns.map(({ name }) => name),
  rows: rowsOfTable(table, answers).map((row) => row.map(plainCell)),
});

const plainCell = (cell: SqlCell) => (typeof cell === "object" && cell !== null ? [...cell] : cell);

type Sql = Pick<Call<"quoteSql">["input"], "sql" | "account" | "epsilon" | "rho" | "delta" | "reuse" | "asOf">;

/** Characters of SQL that take as long to read as a quote. */
const CHARACTERS_OF_A_TOKEN = 2000;

/** What the text asks for, and the request that asks the same as a plan. */
async function plannedOf(input: Sql, caller: Caller, deps: Deps) {
  deps.rates.check("quote", caller.principal.id); // before any work
  await deps.rates.take("quote", caller.principal.id, input.sql.length / CHARACTERS_OF_A_TOKEN);
  const query = readSql(input.sql);
  const found = await datasetOf(query.dataset.name, input.account, caller, deps);
  const { declaration } = await versionOf(deps.release, found, input.asOf ?? null);
  const planned = planOfSql(query, declaration, input);
  refuseWithoutPrice(planned);
  const { account, reuse, asOf } = input;
  const plan = planned.plan as unknown as Call<"quotePlan">["input"]["plan"];
  const request = {
    dataset: found.id,
    account,
    plan,
    ...(reuse === undefined ? {} : { reuse }),
    ...(asOf === undefined ? {} : { asOf }),
  };
  return { planned, request, dataset: found.id };
}

function refuseWithoutPrice({ unpriced }: Pick<SqlPlan, "unpriced">): void {
  if (unpriced > 0)
    invalid(
      "epsilon",
      undefined,
      `stated as a total that ${unpriced === 1 ? "one aggregate takes" : `${unpriced} aggregates share evenly`}: the argument epsilon, or OPTIONS(epsilon = …) in the query`,
    );
}

/** The dataset of that name or id on the ledger of the account; one that the caller may not see is not there. */
async function datasetOf(name: string, account: AccountId, caller: Caller, deps: Deps): Promise<Dataset> {
  const { ledger } = await deps.database.ledgers.account(account);
  const wanted = name.normalize("NFC");
  const all = await deps.database.catalog.names();
  const exact = all.filter((each) => each.name === wanted || each.id === name);
  const named = exact.length > 0 ? exact : all.filter((each) => each.name.toLowerCase() === wanted.toLowerCase());
  const found: Dataset[] = [];
  for (const { id } of named) {
    const seen = await readableDataset(caller, id, deps).catch(absent);
    if (seen?.ledger?.id === ledger) found.push(seen.dataset);
  }
  const [only, ...others] = found;
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
      `${found.length} datasets are called ${JSON.stringify(name)}; name one by its id: ${found.map(({ id }) => id).join(", ")}`,
    );
  return only;
}

function absent(error: unknown): null {
  if (error instanceof PrivacyError && error.code === "NOT_FOUND") return null;
  throw error;
}
