import type { Account, Client, Dataset, DatasetSummary, Release } from "@dosimeter/client";
import { invalid, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { paged } from "./paged.ts";
import { WAIT_SECONDS } from "./wait-for-release.ts";

/** A dataset by its id or name; an id wins. NOT_FOUND for one that I do not see, INVALID_PARAMETER for a name that several have. */
export async function datasetOf(client: Client, nameOrId: string): Promise<Dataset> {
  if (nameOrId.startsWith("dat_")) {
    const byId = await client.showDataset({ dataset: nameOrId }).catch((error: unknown) => {
      if (error instanceof PrivacyError && error.code === "NOT_FOUND") return null;
      throw error;
    });
    if (byId !== null) return byId;
  }
  const { items } = await client.listDatasets({ name: nameOrId });
  const [named, second] = items;
  if (second !== undefined) invalid("dataset", nameOrId, `one of the ids ${items.map(({ id }) => id).join(", ")}`);
  return client.showDataset({ dataset: named?.id ?? nameOrId });
}

/** The account that pays: the one that is named, or the only one that may. */
export async function payerOf(
  client: Client,
  { account, dataset }: { readonly account?: string | undefined; readonly dataset?: string | undefined },
): Promise<string> {
  if (account !== undefined) return account;
  const { items } = await client.listMyAccounts();
  const mine = items.filter(
    ({ mine: { mayRelease }, status, datasets, datasetNames }) =>
      mayRelease &&
      status === "active" &&
      (dataset === undefined || datasets.includes(dataset) || datasetNames.includes(dataset)),
  );
  const [only, second] = mine;
  if (only !== undefined && second === undefined) return only.id;
  if (only === undefined) throw new PrivacyError("FORBIDDEN", {}, "no budget yet: ask for some with budget");
  return invalid("account", undefined, `one of ${mine.map(({ id, path }) => `${id} (${path.join("/")})`).join(", ")}`);
}

export const accountLine = ({ id, path, datasetNames, status, expiresAt, ...budget }: Account): object => ({
  id,
  path: path.join("/"),
  pays: datasetNames,
  ...budgetLine(budget),
  ...(status === "active" ? {} : { status }),
  ...(expiresAt === null ? {} : { until: expiresAt }),
});

/** spent + promised + free = of. */
const budgetLine = ({
  balance: { epsilon },
  promised,
  free,
}: Pick<Account, "balance" | "promised" | "free">): object => ({
  free: free.epsilon,
  ...(promised === "0" ? {} : { promised }),
  spent: epsilon.spent,
  of: epsilon.cap,
});

export const datasetLine = ({ id, name, privacyUnit, ledger, myAccounts }: DatasetSummary): object => ({
  name,
  id,
  protects: privacyUnit,
  ...(ledger === null ? {} : budgetLine(ledger)),
  ...(ledger?.status === "frozen" ? { frozen: ledger.over ?? "no charges" } : {}),
  mayAsk: myAccounts.length > 0,
});

/** Values of one column that are shown; find with its tool describe_dataset shows all. */
const MAX_VALUES = 30;

/** A column as it was declared, without what goes on for pages. */
export function columnLine(name: string, declared: unknown): object {
  const all = typeof declared === "object" && declared !== null ? Object.entries(declared) : [];
  return {
    name,
    ...Object.fromEntries(
      all.map(([key, value]) =>
        Array.isArray(value) && value.length > MAX_VALUES
          ? [key, [...value.slice(0, MAX_VALUES), `… ${value.length - MAX_VALUES} more`]]
          : [key, value],
      ),
    ),
  };
}

interface Beside {
  /** Of its answers. */
  readonly page?: number | undefined;
  readonly tables?: object | undefined;
  readonly notes?: readonly string[];
}

/** A release, a page of its answers, and where they are not there yet how to ask again. */
export function releaseLines(found: Release, { page, tables, notes = [] }: Beside = {}): object {
  const { id, stage, epsilon, failure } = found;
  const answers = answersOf(found);
  return {
    release: id,
    stage,
    epsilon,
    ...(failure === null ? {} : { failure }),
    ...present({ tables }),
    ...(answers === undefined ? {} : { answers: paged(answers, page) }),
    ...(notes.length === 0 ? {} : { notes }),
    ...(stage === "done" || failure !== null
      ? {}
      : { next: { tool: "find", arguments: { release: id, wait: WAIT_SECONDS } } }),
  };
}

/** One line for each answer: its group, its value, its interval. Undefined until they are there. */
const answersOf = ({ answers }: Release): readonly object[] | undefined =>
  answers?.flatMap(({ id, label, confidence, cells, notes, table }) => [
    { id, label, in: confidence, ...(notes.length === 0 ? {} : { notes }) },
    ...(table === undefined
      ? cells.map(({ group, bin, value, interval: [low, high], unreliable }) => [
          ...Object.values(group),
          ...(bin === undefined ? [] : [bin.label]),
          value,
          low,
          high,
          ...(unreliable ? ["unreliable"] : []),
        ])
      : [
          {
            syntheticTable: "its rows are free: dosimeter://releases/{id}",
            columns: table.columns.map(({ name }) => name),
          },
        ]),
  ]);
