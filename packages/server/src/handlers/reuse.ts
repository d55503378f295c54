import { invalid, PrivacyError } from "@dosimeter/core";
import { type Dataset, type DatasetVersion, mayRead, type Readers, type ReleasedStatistic } from "@dosimeter/ledger";
import { combined, type Picked } from "@dosimeter/query";
import type { Caller } from "../access/credentials.ts";
import type { HandlersOf } from "../http/call.ts";
import { PAGE_SIZE } from "../http/page.ts";
import type { Deps } from "../instance/deps.ts";
import { inClass } from "../reuse/latency.ts";
import { originOf, promisesOf } from "../reuse/promises.ts";
import { rightsOf } from "../reuse/readers.ts";
import { newVersion } from "../reuse/version.ts";
import { tableOf } from "../sources/tables.ts";
import { type Directory, directory } from "../view/directory.ts";

export const reuse = {
  async listReleased({ deps, caller, input }) {
    const { database } = deps;
    const dataset = await database.catalog.dataset(input.dataset);
    const allowed = await readers(dataset, caller, deps);
    const { items, next } = await database.reuse.library({
      dataset: dataset.id,
      version: input.version,
      name: input.statistic,
      column: input.column,
      text: input.text,
      readers: allowed,
      after: input.cursor,
      limit: input.limit ?? PAGE_SIZE,
    });
    const names = await directory(database);
    const promises = await inClass(promisesOf(items, { dataset, readers: allowed }, deps.release));
    return { items: items.map((item) => releasedView(item, promises.get(originOf(item)) ?? [], names)), next };
  },

  async showReuse({ deps, input }) {
    return savingsView(await deps.database.catalog.dataset(input.dataset), deps);
  },

  async setReusePolicy({ deps, caller, input }) {
    const dataset = await deps.database.catalog.dataset(input.dataset);
    const { visibility, price } = input;
    await deps.database.reuse.setPolicy({ by: caller.principal.id, dataset: dataset.id, visibility, price });
    return savingsView(dataset, deps);
  },

  async combineReleased({ deps, caller, input }) {
    const dataset = await deps.database.catalog.dataset(input.dataset);
    const allowed = await readers(dataset, caller, deps);
    const [a, b] = input.of;
    const [x, y] = [
      await readable(a, { dataset, allowed, at: "body.of[0]" }, deps),
      await readable(b, { dataset, allowed, at: "body.of[1]" }, deps),
    ];
    // Charged first, because even the number of cells may depend on the data.
    await payToRead(dataset, [x, y], caller, deps);
    const of: [Picked, Picked] = [
      await picked(x, { dataset, cell: a.cell, at: "body.of[0]" }, deps),
      await picked(y, { dataset, cell: b.cell, at: "body.of[1]" }, deps),
    ];
    const { value, interval, confidence } = combined(input.operation, ...of, input.confidence ?? 0.95);
    return {
      operation: input.operation,
      value,
      interval: [interval[0], interval[1]] as [number | null, number | null],
      confidence,
      cost: { epsilon: "0" },
    };
  },

  async listVersions({ deps, input }) {
    const { database } = deps;
    const dataset = await database.catalog.dataset(input.dataset);
    const names = await directory(database);
    return { items: (await database.catalog.versions(dataset.id)).map((version) => versionView(version, names)) };
  },

  async createVersion({ deps, caller, input, exchange }) {
    const { database } = deps;
    const before = await database.catalog.dataset(input.dataset);
    const after = await newVersion(before, input, { caller, deps, signal: exchange.signal });
    const all = await database.catalog.versions(after.id);
    const made = all.find(({ version }) => version === after.version);
    if (made === undefined) throw new PrivacyError("INTERNAL");
    return versionView(made, await directory(database));
  },
} satisfies HandlersOf<"reuse">;

async function readers(dataset: Dataset, caller: Caller, deps: Deps): Promise<Readers> {
  const ledger = await deps.database.ledgers.ledgerOf(dataset.population);
  if (ledger === null) return { principal: caller.principal.id, accounts: [] };
  return (await rightsOf(caller, { datasets: [dataset.id], ledger: ledger.id }, deps)).readers;
}

async function savingsView({ id }: Dataset, { database }: Deps) {
  const { visibility, price } = await database.reuse.policy(id);
  const { answers, epsilon, muSquared, kinds } = await database.reuse.savings(id);
  return { policy: { visibility, price }, answers, epsilon, muSquared, kinds: { ...kinds } };
}

function releasedView(item: ReleasedStatistic, derivable: readonly string[], { nameOf }: Directory) {
  const { charge, row, version, key, name, column, label, request, principal, at } = item;
  return {
    release: charge,
    row,
    version,
    key,
    statistic: name,
    column,
    label,
    request: request as Record<string, unknown>,
    by: nameOf(principal),
    at,
    derivable: [...derivable],
  };
}

const versionView = ({ version, createdAt, createdBy }: DatasetVersion, { nameOf }: Directory) => ({
  version,
  createdAt,
  createdBy,
  createdByName: nameOf(createdBy),
});

/** A combination reveals both answers, so the holder of a cap pays for each of them once. */
async function payToRead(
  { id }: Dataset,
  of: readonly ReleasedStatistic[],
  caller: Caller,
  { database }: Deps,
): Promise<void> {
  const reader = caller.principal.id;
  const { price } = await database.reuse.policy(id);
  const foreign = price === "ownLevel" ? of.findIndex(({ principal }) => principal !== reader) : -1;
  if (foreign >= 0)
    throw new PrivacyError("FORBIDDEN", {
      name: `body.of[${foreign}]`,
      want: "an answer of one's own: reading those of others costs a share here, through a release",
    });
  for (const { charge } of of) await database.ledgers.readUnderCaps({ charge, reader });
}

/** A released answer that the caller may read now; otherwise NOT_FOUND, whether it exists or not. */
async function readable(
  { release, row }: { readonly release: string; readonly row: string },
  { dataset, allowed, at }: { dataset: Dataset; allowed: Readers; at: string },
  { database }: Deps,
): Promise<ReleasedStatistic> {
  const [found] = await database.reuse.rows([{ release, row }]);
  if (found !== undefined && found.dataset === dataset.id && mayRead(allowed, found)) return found;
  throw new PrivacyError("NOT_FOUND", { name: at });
}

/** A cell of an answer that was paid for. */
async function picked(
  found: ReleasedStatistic,
  { dataset, cell = 0, at }: { dataset: Dataset; cell?: number | undefined; at: string },
  { database, files, release: { releasedAnswers } }: Deps,
): Promise<Picked> {
  const then = await database.catalog.datasetAt(dataset.id, found.version);
  const { declaration } = tableOf(then, files);
  const source = await releasedAnswers.open(found, { dataset: dataset.id, version: found.version, declaration });
  if (source === null) throw new PrivacyError("NOT_FOUND", { name: at });
  if (cell >= source.noisy.length) invalid(`${at}.cell`, cell, `< ${source.noisy.length}`);
  return { source, cell };
}
