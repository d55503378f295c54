import { invalid, PrivacyError } from "@dosimeter/core";
import { memoized } from "@dosimeter/core/internal";
import { type Dataset, type DatasetVersion, mayRead, type Readers, type ReleasedStatistic } from "@dosimeter/ledger";
import { combined, type Earlier, type Picked } from "@dosimeter/reuse";
import { nullIfAbsent } from "../access/absent.ts";
import { readableDataset } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import type { Call, HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { PAGE_SIZE } from "../http/page.ts";
import { inClass } from "../release/latency.ts";
import { appendRows } from "../reuse/append.ts";
import { closeBlocks } from "../reuse/close.ts";
import { originOf, promisesOf } from "../reuse/promises.ts";
import { rightsOf } from "../reuse/readers.ts";
import { questionIn } from "../reuse/stored.ts";
import { newVersion } from "../reuse/version.ts";
import { versionOf } from "../reuse/versioned-table.ts";
import { joinedId } from "../sources/tables.ts";
import { outsideRow } from "../view/charge.ts";
import { type Directory, directory } from "../view/directory.ts";
import { madeOutside } from "./declared.ts";

export const reuse = {
  async listReleased({ deps, caller, input }) {
    const dataset = await deps.database.catalog.dataset(input.dataset);
    const { cursor, limit = PAGE_SIZE, text } = input;
    const names = await directory(deps.database);
    const isOutside = cursor?.startsWith(OUTSIDE) === true;
    const { items, next } = isOutside ? NO_MORE : await released(dataset, { ...input, limit }, { caller, deps, names });
    const isAny = [input.version, input.statistic, input.column].every((filter) => filter === undefined);
    if (next !== null || !isAny) return { items, next };
    if (items.length >= limit) return { items, next: OUTSIDE };
    const after = (isOutside ? cursor.slice(OUTSIDE.length) : "") || undefined;
    const more = await madeOutside(dataset.id, { text, after, limit: limit - items.length }, caller, deps);
    return {
      items: [...items, ...more.items.map((shown) => outsideRow(shown, names))],
      next: more.next === null ? null : `${OUTSIDE}${more.next}`,
    };
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
    const allowed = await readers([dataset], caller, deps);
    const mayReadJoined = joinedReader(dataset, caller, deps);
    const [a, b] = input.of;
    const [x, y] = [
      await readable(a, { dataset, allowed, mayReadJoined, at: "body.of[0]" }, deps),
      await readable(b, { dataset, allowed, mayReadJoined, at: "body.of[1]" }, deps),
    ];
    // What this program cannot read again is refused before anyone pays for it.
    const [first, second] = [
      await opened(x, { dataset, at: "body.of[0]" }, deps),
      await opened(y, { dataset, at: "body.of[1]" }, deps),
    ];
    // Charged before the cells are counted, because even their number may depend on the data.
    await payToRead(dataset, [x, y], caller, deps);
    const of: [Picked, Picked] = [
      picked(first, { cell: a.cell, at: "body.of[0]" }),
      picked(second, { cell: b.cell, at: "body.of[1]" }),
    ];
    const { value, interval, confidence } = combined(input.operation, ...of, input.confidence ?? 0.95);
    return {
      operation: input.operation,
      value,
      interval,
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
    await deps.rates.take("refusal", caller.principal.id); // a line in the audit
    const before = await deps.database.catalog.dataset(input.dataset);
    return madeVersion(await newVersion(before, input, { caller, deps, signal: exchange.signal }), deps);
  },
  async closeBlocks({ deps, caller, input, exchange }) {
    await deps.rates.take("refusal", caller.principal.id); // a line in the audit
    return madeVersion(await closeBlocks(input, { caller, deps, signal: exchange.signal }), deps);
  },
  async appendRows({ deps, caller, input, exchange }) {
    await deps.rates.take("upload", caller.principal.id); // a copy of the whole table is written
    const before = await deps.database.catalog.dataset(input.dataset);
    const { dataset, rows } = await appendRows(before, input, { caller, deps, signal: exchange.signal });
    return { ...(await madeVersion(dataset, deps)), ...rows };
  },
} satisfies HandlersOf<"reuse">;

/** How the cursor of results made outside begins, which come after the last answer. */
const OUTSIDE = "outside ";
const NO_MORE = { items: [], next: null };

/** A page of answers that the caller may be given again. */
async function released(
  dataset: Dataset,
  { limit, cursor, ...asked }: Omit<Call<"listReleased">["input"], "limit"> & { readonly limit: number },
  { caller, deps, names }: { readonly caller: Caller; readonly deps: Deps; readonly names: Directory },
) {
  const { version, statistic: name, column, text } = asked;
  const allowed = await readers([dataset], caller, deps);
  const mayReadJoined = joinedReader(dataset, caller, deps);
  const items: ReleasedStatistic[] = [];
  let after = cursor;
  do {
    const sought = { dataset: dataset.id, version, name, column, text, readers: allowed, after, limit };
    const page = await deps.database.reuse.library(sought);
    for (const item of page.items) if (await mayReadJoined(item)) items.push(item);
    after = page.next ?? undefined;
  } while (after !== undefined && items.length < limit);
  const promises = await inClass(promisesOf(items, { dataset, readers: allowed }, deps.release));
  const rows = items.map((item) => releasedView(item, promises.get(originOf(item)) ?? [], names));
  return { items: rows, next: after ?? null };
}

/** What a new version is, said to who made it; reports that waited for it are made. */
async function madeVersion({ id, version }: Dataset, { database, afterwards, schedules }: Deps) {
  const made = (await database.catalog.versions(id)).find((each) => each.version === version);
  if (made === undefined) throw new PrivacyError("INTERNAL");
  afterwards(() => schedules.run());
  return versionView(made, await directory(database));
}

/** Whose answers about these datasets the caller may read: of their policies the stricter one holds. All are on one ledger. */
async function readers(datasets: readonly [Dataset, ...Dataset[]], caller: Caller, deps: Deps): Promise<Readers> {
  const ledger = await deps.database.ledgers.ledgerOf(datasets[0].population);
  if (ledger === null) return { principal: caller.principal.id, accounts: [] };
  return (await rightsOf(caller, { datasets: datasets.map(({ id }) => id), ledger: ledger.id }, deps)).readers;
}

/** The dataset that a released answer read columns of; null where it read none. */
const joinedOf = (found: ReleasedStatistic): Dataset["id"] | null => joinedId(questionIn(found));

/** Whether the caller may see the dataset that an answer read columns of, and answers about both. */
function joinedReader(dataset: Dataset, caller: Caller, deps: Deps): (item: ReleasedStatistic) => Promise<boolean> {
  const readersOf = memoized((id: string) => joinedReaders(id, dataset, { caller, deps }));
  return async (item) => {
    const id = joinedOf(item);
    if (id === null) return true;
    const allowed = await readersOf(id);
    return allowed !== null && mayRead(allowed, item);
  };
}

/** Whose answers about both datasets the caller may read; null where they may not see the other one. */
async function joinedReaders(
  id: string,
  dataset: Dataset,
  { caller, deps }: { readonly caller: Caller; readonly deps: Deps },
): Promise<Readers | null> {
  const other = await readableDataset(caller, id, deps).catch(nullIfAbsent);
  return other === null ? null : readers([dataset, other.dataset], caller, deps);
}

async function savingsView({ id }: Dataset, { database }: Deps) {
  return { policy: await database.reuse.policy(id), ...(await database.reuse.savings(id)) };
}

function releasedView(item: ReleasedStatistic, derivable: readonly string[], { nameOf }: Directory) {
  const { charge, row, version, key, name, column, label, request, principal, at } = item;
  return {
    kind: "released" as const,
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
    derivable,
  };
}

const versionView = ({ declaration: _, ...version }: DatasetVersion, { nameOf }: Directory) => ({
  ...version,
  createdByName: nameOf(version.createdBy),
});

/** A combination reveals both answers, so the holder of a cap pays for each of them once. */
async function payToRead(
  { id }: Dataset,
  of: readonly ReleasedStatistic[],
  caller: Caller,
  { database }: Deps,
): Promise<void> {
  const reader = caller.principal.id;
  const pays = await Promise.all(of.map((one) => sharePays([id, joinedOf(one)], database)));
  const foreign = of.findIndex(({ principal }, index) => pays[index] === true && principal !== reader);
  if (foreign >= 0)
    throw new PrivacyError("FORBIDDEN", {
      name: `body.of[${foreign}]`,
      want: "an answer of one's own: reading those of others costs a share here, through a release",
    });
  for (const { charge } of of) await database.ledgers.readUnderCaps({ charge, reader });
}

/** Whether the policy of any of these datasets has a share pay for reading. */
async function sharePays(ids: readonly (Dataset["id"] | null)[], { reuse }: Deps["database"]): Promise<boolean> {
  const policies = await Promise.all(ids.flatMap((id) => (id === null ? [] : [reuse.policy(id)])));
  return policies.some(({ price }) => price === "ownLevel");
}

/** A released answer that the caller may read now; otherwise NOT_FOUND, whether it exists or not. */
async function readable(
  { release, row }: { readonly release: string; readonly row: string },
  {
    dataset,
    allowed,
    mayReadJoined,
    at,
  }: {
    dataset: Dataset;
    allowed: Readers;
    mayReadJoined: (item: ReleasedStatistic) => Promise<boolean>;
    at: string;
  },
  { database }: Deps,
): Promise<ReleasedStatistic> {
  const [found] = await database.reuse.rows([{ release, row }]);
  if (found !== undefined && found.dataset === dataset.id && mayRead(allowed, found) && (await mayReadJoined(found)))
    return found;
  throw new PrivacyError("NOT_FOUND", { name: at });
}

/** A released answer with the tables that it is about, at their versions. */
async function opened(
  found: ReleasedStatistic,
  { dataset, at }: { dataset: Dataset; at: string },
  deps: Deps,
): Promise<Earlier> {
  const { join } = questionIn(found);
  const id = joinedOf(found);
  const other =
    id === null ? null : { dataset: await deps.database.catalog.dataset(id), version: join?.version ?? null };
  const about = await versionOf(deps, dataset, found.version, other);
  const source = await deps.release.releasedAnswers.open(found, about);
  if (source === null) throw new PrivacyError("NOT_FOUND", { name: at });
  return source;
}

/** A cell of an answer that was paid for. */
function picked(source: Earlier, { cell = 0, at }: { cell?: number | undefined; at: string }): Picked {
  if (cell >= source.noisy.length) invalid(`${at}.cell`, cell, `< ${source.noisy.length}`);
  return { source, cell };
}
