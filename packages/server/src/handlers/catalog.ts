import { printableText } from "@dosimeter/core/internal";
import type { ListedDataset } from "@dosimeter/ledger";
import type { Declaration } from "@dosimeter/query/declaration";
import { holds, listedFor } from "../access/authority.ts";
import type { HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { pageOf } from "../http/page.ts";
import { shownBlocks } from "../view/blocks.ts";
import { type Directory, directory } from "../view/directory.ts";
import { holdsText } from "./names.ts";

export const catalog = {
  async listCatalog({ deps, caller, input }) {
    const { database } = deps;
    const listed = (await listedFor(caller, deps)).filter(({ name }) => holdsText(name, input.text ?? ""));
    const { items, next } = pageOf(listed, input);
    const names = await directory(database);
    return { items: await Promise.all(items.map((item) => listedView(item, names, deps))), next };
  },
  async showCatalogDataset({ deps, caller, input }) {
    const { database } = deps;
    const { id, name, population, createdAt, declaration } = await database.catalog.dataset(input.dataset);
    const listing = await database.catalog.listing(id);
    const names = await directory(database);
    return {
      ...(await listedView({ id, name, population, createdAt, ...listing }, names, deps)),
      columns: listing.showsColumns ? columnsOf(declaration as Partial<Declaration>) : null,
      isVisible: await holds("datasetReader", caller, { dataset: id }, deps),
    };
  },
  async showListing({ deps, input }) {
    const { catalog: operations } = deps.database;
    return operations.listing((await operations.dataset(input.dataset)).id);
  },
  async setListing({ deps, caller, input }) {
    const { dataset, ...listing } = input;
    const { catalog: operations } = deps.database;
    const { id } = await operations.dataset(dataset);
    return operations.setListing({ by: caller.principal.id, dataset: id, ...listing });
  },
} satisfies HandlersOf<"catalog">;

/** What the admins of a dataset say of it, and who they are; nothing of its answers or rows, and of its ledger the blocks alone. */
async function listedView(
  { id, name, description, population }: ListedDataset,
  { nameOf, person }: Directory,
  { database }: Pick<Deps, "database">,
) {
  const blocks = (await database.ledgers.ledgerOf(population))?.blocks ?? null;
  const stewards = (await database.people.roleBindings(id)).filter(({ role }) => role === "datasetAdmin");
  return {
    id,
    name,
    description,
    privacyUnit: (await database.catalog.population(population)).privacyUnit,
    ...shownBlocks({ blocks }),
    stewards: stewards
      .filter(({ principal }) => person(principal)?.removedAt === null)
      .map((one) => nameOf(one.principal)),
  };
}

/** Names, types and words as declared, as far as they can be shown: no bound, no category and no source. */
const columnsOf = ({ columns = {} }: Partial<Declaration>) =>
  Object.entries(columns).map(([name, { type, label = null, description = null }]) => ({
    name: printableText(name),
    type,
    label: label === null ? null : printableText(label),
    description: description === null ? null : printableText(description),
  }));
