import { randomBytes } from "node:crypto";
import { PrivacyError } from "@dosimeter/core";
import type { Dataset, Ledger, Population } from "@dosimeter/ledger";
import { authorise, holds } from "../authority.ts";
import type { Call, HandlersOf } from "../call.ts";
import type { Caller } from "../credentials.ts";
import type { Deps } from "../deps.ts";
import { pageOf } from "../page.ts";
import { declareOver, storedDeclaration, storedSource } from "../tables.ts";
import { accountViews } from "../view/account.ts";
import { datasetSummary } from "../view/dataset.ts";
import { directory } from "../view/directory.ts";

export const datasets = {
  async uploadFile({ deps, caller, input, exchange }) {
    const describe = (source: Parameters<typeof deps.engine.describe>[0]) =>
      deps.engine.describe(source, exchange.signal);
    const { owner: _, ...file } = await deps.files.save({
      name: input.name,
      owner: caller.principal.id,
      bytes: exchange.bytes,
      describe: async (source) => (await describe(source)).map(({ name, type }) => ({ name, type })),
    });
    return file;
  },
  async listFiles({ deps, caller, input }) {
    const { items, next } = pageOf(await deps.files.filesOf(caller.principal.id), input);
    return { items: items.map(({ owner: _, ...file }) => file), next };
  },

  async listDatasets({ deps, caller, input }) {
    const visible: Dataset[] = [];
    for (const dataset of await deps.books.catalog.datasets())
      if (await holds("datasetReader", caller, { dataset: dataset.id }, deps)) visible.push(dataset);
    const { items, next } = pageOf(visible, input);
    return { items: await Promise.all(items.map((dataset) => datasetSummary(dataset, caller, deps))), next };
  },

  async createDataset({ deps, caller, input, exchange }) {
    const { books, files, engine } = deps;
    const by = caller.principal.id;
    const file = await files.file(input.file, by);
    const name = input.name ?? nameIn(input.declaration);
    if ((await books.catalog.datasets()).some((other) => other.name === name))
      throw new PrivacyError("CONFLICT", { name: "body.name", got: name, want: "a name that no other dataset has" });
    const declaration = declareOver(input.declaration, name, file, files);
    const salt = randomBytes(32).toString("hex");
    const version = await engine.check(declaration, { salt, signal: exchange.signal });
    const population = await populationFor(input, declaration, name, caller, deps);
    const dataset = await books.catalog.createDataset({
      by,
      population: population.id,
      name,
      declaration: storedDeclaration(declaration, file),
      source: storedSource(file, version),
    });
    await books.people.grantRole({ by, principal: by, role: "datasetAdmin", object: dataset.id });
    return datasetView(dataset, { ...caller, roles: await books.people.rolesOf(by) }, deps);
  },

  async showDataset({ deps, caller, input }) {
    return datasetView(await deps.books.catalog.dataset(input.dataset), caller, deps);
  },
} satisfies HandlersOf<"datasets">;

async function datasetView(dataset: Dataset, caller: Caller, deps: Deps) {
  const { books } = deps;
  const ledger = await books.ledgers.ledgerOf(dataset.population);
  const accounts = ledger === null ? [] : await spendable(ledger, caller, deps);
  return {
    ...(await datasetSummary(dataset, caller, deps)),
    version: dataset.version,
    declaration: dataset.declaration as Record<string, unknown>,
    accounts: await accountViews(accounts, caller, await directory(books), deps),
  };
}

async function spendable(ledger: Ledger, { principal }: Caller, { books }: Deps) {
  return (await books.ledgers.accountsOf(principal.id)).filter((account) => account.ledger === ledger.id);
}

function nameIn(declaration: Readonly<Record<string, unknown>>): string {
  const { name } = declaration;
  if (typeof name !== "string" || name.trim() === "")
    throw new PrivacyError("INVALID_PARAMETER", { name: "body.name", want: "given here or in the declaration" });
  return name.trim();
}

/** A new population, or one whose datasets this person administers: nobody else may attach a table to it. */
async function populationFor(
  input: Call<"createDataset">["input"],
  { adjacency, privacyUnit }: ReturnType<typeof declareOver>,
  name: string,
  caller: Caller,
  deps: Deps,
): Promise<Population> {
  const { catalog } = deps.books;
  if (input.population === undefined) {
    const words = input.unit ?? (privacyUnit === "row" ? `row of ${name}` : privacyUnit.column);
    return catalog.createPopulation({ by: caller.principal.id, name, privacyUnit: words, adjacency });
  }
  const population = await catalog.population(input.population);
  const others = await catalog.datasetsOf(population.id);
  if (others.length === 0) throw new PrivacyError("NOT_FOUND", { name: "population" });
  for (const { id } of others) await authorise("datasetAdmin", caller, { dataset: id }, deps);
  if (population.adjacency !== adjacency)
    throw new PrivacyError("ADJACENCY_MISMATCH", {
      name: "declaration.adjacency",
      got: adjacency,
      want: population.adjacency,
    });
  return population;
}
