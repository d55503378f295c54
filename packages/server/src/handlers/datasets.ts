import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import { invalid, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { AddedConnection, Dataset, Ledger, Population } from "@dosimeter/ledger";
import { refuseEarlyClosing } from "@dosimeter/query/bind";
import { type Declaration, declarationJson } from "@dosimeter/query/declaration";
import type { CheckedTable, TableVersion } from "@dosimeter/query/plan";
import {
  type ConnectedTable,
  connectedSource,
  connectionKindOf,
  connectionOf,
  overFile,
  parseSource,
  type Source,
} from "@dosimeter/query/source";
import { authorise, holds, readable } from "../access/authority.ts";
import { type Caller, isOwnSession, refuseProgram } from "../access/credentials.ts";
import type { Call, Exchange, HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { pageOf } from "../http/page.ts";
import { databaseOf } from "../sources/connection-hosts.ts";
import type { Cut } from "../sources/cut-lines.ts";
import { knownEncoding } from "../sources/encoding.ts";
import type { Upload } from "../sources/files.ts";
import { type KnownConnection, operatorsName } from "../sources/known-connections.ts";
import { checkReleases } from "../sources/provenance.ts";
import type { StoredFile } from "../sources/records.ts";
import { elsewhere, others, refuseSecondLedger, refuseSecondLedgerOver, tablesOver } from "../sources/same-bytes.ts";
import {
  asJson,
  declarationOf,
  declareAt,
  declareOver,
  lineageOf,
  placeOf,
  placesOf,
  storedDeclaration,
  storedPlace,
  storedSource,
} from "../sources/tables.ts";
import { withBytes } from "../threads/web-stream.ts";
import { accountViews } from "../view/account.ts";
import { datasetSummary } from "../view/dataset.ts";
import { type Directory, directory } from "../view/directory.ts";
import { datasetMetadata } from "../view/metadata.ts";
import { holdsText, isNamed } from "./names.ts";

export const datasets = {
  async uploadFile({ deps, caller, input, exchange }) {
    const session = isOwnSession(caller) ? caller.credential.id : undefined;
    const { fit, ...sent } = input;
    const kept = await keep({ ...sent, session, bytes: exchange.bytes }, caller, { deps, exchange });
    const mark = { by: caller.principal.id, file: kept.id, digest: kept.digest };
    if (fit === "seen") await deps.database.catalog.markChecked(mark); // [M413]
    return fileView(kept, caller, { deps, isNew: true });
  },
  async listFiles({ deps, caller, input }) {
    const { items, next } = pageOf(await deps.files.filesOf(caller.principal.id), input);
    return { items: await Promise.all(items.map((file) => fileView(file, caller, { deps }))), next };
  },
  async describeFile({ deps, caller, input, exchange }) {
    const { id, format, from } = await uploadFor(input.file, caller, deps);
    const path = deps.files.pathOf(`${id}.${format}`);
    const { delimiter, comment, quote } = input;
    const separated = delimiter === undefined ? {} : { delimiter: delimiters[delimiter] };
    const reading = format === "csv" ? { ...separated, comment, quote } : {};
    const columns = await deps.inspector.inspect(
      "describe",
      { source: parseSource(overFile(reading, format, path)) },
      { person: caller.principal.id, signal: exchange.signal },
    );
    return { columns, ...present({ says: from?.says }) };
  },
  async checkUpload({ deps, caller, input, exchange }) {
    refuseProgram(caller, "is shown this");
    const { database, files, inspector } = deps;
    const by = caller.principal.id;
    const file = await files.file(input.file, by);
    if (file.session !== caller.credential.id)
      throw new PrivacyError(
        "FORBIDDEN",
        { name: "file", want: "a file that you sent in this browser session" },
        "how a file fits is shown in the browser session that sent it: send it again here",
      );
    await refuseOthersVersion(file, by, database);
    if (declareAt(input.declaration, file.name) !== null)
      invalid(
        "declaration.source",
        input.declaration.source,
        "an upload: of a table of a connection, release a profile, which its ledger pays",
      );
    await deps.rates.take("upload", by);
    const end = deps.checking(by);
    if (end === null)
      throw new PrivacyError(
        "RATE_LIMITED",
        { seconds: 10 },
        "a check of yours still runs; try again when it has ended",
      );
    try {
      const declaration = declareOver(input.declaration, nameIn(input.declaration), file, files);
      const { fewerThan = RARE } = input;
      await database.catalog.markChecked({ by, file: file.id, digest: file.digest }); // first: a refusal may depend on rows
      const fit = await inspector.inspect("fit", { declaration, fewerThan }, { person: by, signal: exchange.signal });
      await files.file(input.file, by); // not erased meanwhile
      return fit;
    } finally {
      end();
    }
  },
  async eraseFile({ deps, caller, input }) {
    const { files, database } = deps;
    const { id, format } = await files.file(input.file, caller.principal.id);
    await files.refuseHeld(id);
    const file = `${id}.${format}`;
    if (!(await database.catalog.discardUpload({ file })))
      throw new PrivacyError(
        "CONFLICT",
        { name: "file", want: "a file that no dataset reads" },
        "a dataset reads this file: its admin erases the uploads of a dataset",
      );
    await files.erase(file);
    return undefined;
  },
  async eraseUploads({ deps, caller, input }) {
    const { id: dataset } = await deps.database.catalog.dataset(input.dataset);
    const files = await deps.database.catalog.eraseUploads({
      by: caller.principal.id,
      dataset,
      isGivenUp: (charge) => deps.queue.progress(charge).failed,
    });
    let erased = 0;
    for (const file of files) if (await deps.files.erase(file)) erased += 1;
    return { files: erased };
  },
  async readCodeBook({ deps, caller, exchange }) {
    await deps.rates.take("upload", caller.principal.id);
    return deps.codebookReader.read(exchange, caller.principal.id);
  },
  async listServerFiles({ deps }) {
    return { items: await deps.folders.list() };
  },
  async importFile({ deps, caller, input, exchange }) {
    const path = await deps.folders.find(input.path);
    if (input.encoding !== undefined && knownEncoding(input.encoding).startsWith("utf-16"))
      // Read so, a text of one byte a letter has no line ends, and its rows would be shown as its header.
      invalid("body.encoding", input.encoding, "absent for UTF-16: such a file begins with a byte-order mark");
    const kept = await withBytes(path, (bytes) =>
      keep({ ...input, name: basename(path), bytes }, caller, { deps, exchange }),
    );
    return fileView(kept, caller, { deps, isNew: true });
  },

  async listConnections({ deps }) {
    const names = await directory(deps.database);
    const problems = deps.reach.problems();
    const items = (await deps.connections.all()).map(({ name, kind, problem, added }) => ({
      name,
      kind,
      problem: problem ?? (Object.hasOwn(problems, name) ? (problems[name] ?? null) : UNTRIED),
      added: added === null ? null : addedView(added, names),
    }));
    return { items, hosts: deps.connections.choices };
  },
  async addConnection({ deps, caller, input }) {
    const url = await deps.connections.check(input);
    await deps.rates.take("test", caller.principal.id); // every server signs in to it
    const { name, secret } = input;
    const added = await deps.database.shared.addConnection({
      by: caller.principal.id,
      name,
      url,
      secret,
      isRead: isReadThrough(name),
      isSame: (other) => databaseOf(other) === databaseOf(url),
    });
    deps.afterwards(async () => void deps.reach.look());
    const kind = connectionKindOf(url, "url");
    return { name, kind, problem: UNTRIED, added: addedView(added, await directory(deps.database)) };
  },
  async testConnection({ deps, caller, input, exchange }) {
    await deps.rates.take("test", caller.principal.id);
    const { connection } = input;
    const { kind, problem } = await connectionNamed(connection, deps);
    if (problem !== null) return { problem, schemas: [] };
    try {
      const source = connectedSource(kind, { connection, table: "" });
      const by = { person: caller.principal.id, signal: exchange.signal };
      const { schemas } = await deps.inspector.inspect("list", { source }, by);
      return { problem: null, schemas };
    } catch (error) {
      if (!(error instanceof PrivacyError && error.code === "DATA_UNREADABLE")) throw error;
      return { problem: error.message, schemas: [] };
    }
  },
  async removeConnection({ deps, caller, input: { connection: name } }) {
    const known = (await deps.connections.all()).find((one) => one.name === name);
    if (known?.added === null) throw operatorsName(name);
    await deps.database.shared.removeConnection({ by: caller.principal.id, name, isRead: isReadThrough(name) });
    deps.afterwards(async () => void deps.reach.look());
    return undefined;
  },
  async listTables({ deps, caller, input, exchange }) {
    return deps.inspector.inspect(
      "list",
      { source: await sourceAt({ ...input, table: "" }, deps) },
      { person: caller.principal.id, signal: exchange.signal },
    );
  },
  async describeTable({ deps, caller, input, exchange }) {
    const columns = await deps.inspector.inspect(
      "describe",
      { source: await sourceAt(input, deps) },
      { person: caller.principal.id, signal: exchange.signal },
    );
    return { columns };
  },

  async listDatasets({ deps, caller, input }) {
    const { catalog, ledgers } = deps.database;
    const named = (await catalog.names()).filter(
      ({ name }) => holdsText(name, input.text ?? "") && isNamed(name, input.name),
    );
    const { items, next } = pageOf(await readable(caller, named, deps), input);
    const own = await ledgers.accountsOf(caller.principal.id);
    return { items: await Promise.all(items.map((dataset) => datasetSummary(dataset, caller, deps, own))), next };
  },

  async createDataset({ deps, caller, input, exchange }) {
    const { database, inspector } = deps;
    const by = caller.principal.id;
    const name = input.name ?? nameIn(input.declaration);
    const { declaration, digest, file, stored, through } = await tableIn(input, name, caller, deps);
    refuseEarlyClosing(declaration, Date.now() / 1000);
    await refuseSecondName(name, caller, deps);
    const isUpload = through === null;
    const sameBytes = await tablesOver([digest], caller, database);
    if (isUpload) refuseSecondLedger(input.population, sameBytes.mine);
    const joined = input.population === undefined ? null : await populationFor(input, declaration, name, caller, deps);
    await checkReleases(declaration, joined?.id ?? null, database);
    const checking = { declaration, salt: randomBytes(32).toString("hex"), isNew: true };
    const version = await inspector.inspect("check", checking, { person: by, signal: exchange.signal });
    const same = isUpload ? null : await tablesOver([digest, ...(version.lineage?.bases ?? [])], caller, database);
    if (same !== null) refuseSecondLedgerOver(input.population, same, input.secondLedger);
    const population = joined ?? (await populationFor(input, declaration, name, caller, deps));
    if (file !== null) await deps.files.declared(file);
    const dataset = await database.catalog.createDataset({
      by,
      population: population.id,
      name,
      ...stored(version),
      sameBytes:
        same === null ? others(population.id, sameBytes.theirs) : elsewhere(population.id, same).map(({ id }) => id),
      through,
    });
    await database.people.grantRole({ by, principal: by, role: "datasetAdmin", object: dataset.id });
    return datasetView(dataset, { ...caller, roles: await database.people.rolesOf(by) }, deps);
  },

  async listAccess({ deps, input }) {
    const { database } = deps;
    const { id } = await database.catalog.dataset(input.dataset);
    const names = await directory(database);
    const items = (await database.people.roleBindings(id)).filter(({ until }) => until === null);
    return {
      items: items.map(({ principal, role }) => ({
        person: principal,
        personName: names.nameOf(principal),
        role: role === "datasetAdmin" ? ("datasetAdmin" as const) : ("auditor" as const),
      })),
    };
  },
  async showDataset({ deps, caller, input }) {
    return datasetView(await deps.database.catalog.dataset(input.dataset), caller, deps);
  },

  async describeDataset({ deps: { database }, input, exchange }) {
    const dataset = await database.catalog.dataset(input.dataset);
    const ledger = await database.ledgers.ledgerOf(dataset.population);
    return datasetMetadata(
      { ...declarationOf(dataset), name: dataset.name },
      {
        address: `${exchange.origin}/datasets/${dataset.id}`,
        version: dataset.version,
        createdAt: dataset.createdAt,
        promise: ledger?.sentence ?? null,
      },
    );
  },
} satisfies HandlersOf<"datasets">;

const isReadThrough =
  (name: string) =>
  (declaration: Dataset["declaration"]): boolean =>
    connectionOf(declarationOf({ declaration }).source) === name;

/** A category in fewer rows says something about those few. */
const RARE = 10;

/** CONFLICT once someone else has declared a later version of a table over this upload: it is theirs to answer for. */
async function refuseOthersVersion(
  { id, format }: StoredFile,
  by: Dataset["createdBy"],
  { catalog }: Deps["database"],
): Promise<void> {
  for (const dataset of new Set((await catalog.sourcesWith(`${id}.${format}`)).map((source) => source.id)))
    if ((await catalog.versions(dataset)).at(-1)?.createdBy !== by)
      throw new PrivacyError(
        "CONFLICT",
        { name: "file", want: "a file whose dataset has no later version by someone else" },
        "someone else has declared a later version of its dataset: send the table again",
      );
}

const UNTRIED = "not tried yet";

const addedView = ({ name: _, ...added }: AddedConnection, { nameOf }: Directory) => ({
  ...added,
  byName: nameOf(added.by),
});

async function sourceAt(table: ConnectedTable, deps: Deps): Promise<Source> {
  return connectedSource((await connectionNamed(table.connection, deps)).kind, table);
}

async function connectionNamed(name: string, { connections }: Deps): Promise<KnownConnection> {
  const named = (await connections.all()).find((one) => one.name === name);
  if (named === undefined) throw new PrivacyError("NOT_FOUND", { name: "connection" });
  return named;
}

/** The caller's own upload, or a table of a connection. Only platform admins declare the latter: a connection reaches a whole database. */
async function tableIn(input: Call<"createDataset">["input"], name: string, caller: Caller, deps: Deps) {
  const { files, database } = deps;
  const placed = declareAt(input.declaration, name);
  if (placed !== null) {
    await authorise("platformAdmin", caller, {}, deps);
    const stored = (version: CheckedTable) => ({
      declaration: asJson(declarationJson(placed)),
      source: storedPlace(placed, version, input.secondLedger),
    });
    const connection = connectionOf(placed.source) ?? "";
    const added = (await database.shared.connections()).find((one) => one.name === connection) ?? null;
    return { declaration: placed, digest: placeOf(placed), file: null, stored, through: { name: connection, added } };
  }
  if (input.file === undefined)
    invalid("body.file", undefined, "an uploaded file, or a declaration over a table of a connection");
  const file = await uploadFor(input.file, caller, deps);
  const declaration = declareOver(input.declaration, name, file, files);
  const stored = (version: TableVersion) => ({
    declaration: storedDeclaration(declaration, file),
    source: storedSource(file, version),
  });
  return { declaration, digest: file.digest, file: file.id, stored, through: null };
}

const delimiters = { comma: ",", semicolon: ";", tab: "\t", bar: "|", space: " " } as const;

async function keep(
  {
    skip,
    footer,
    ...upload
  }: Pick<Upload, "name" | "session" | "bytes" | "encoding" | "comment" | "quote" | "sheet"> & Cut,
  caller: Caller,
  { deps, exchange }: { readonly deps: Deps; readonly exchange: Exchange },
) {
  const by = { person: caller.principal.id, signal: exchange.signal };
  await deps.rates.take("upload", by.person);
  return deps.files.save({
    ...upload,
    owner: by.person,
    cut: { skip, footer },
    signal: exchange.signal,
    describe: (source) => deps.inspector.inspect("describe", { source }, by),
  });
}

/** The caller's own, or one whose declaration was handed to them. NOT_FOUND. */
export async function uploadFor(file: string, { principal }: Caller, { files, database }: Deps): Promise<StoredFile> {
  const isHanded = await database.drafts.hasUpload({ owner: principal.id, file });
  return files.file(file, isHanded ? null : principal.id);
}

/** What a statistical file says is long, and shown once: when it arrives. */
export async function fileView(
  { owner: _, session: __, broughtBy: ___, broughtBytes: ____, digest, from, ...file }: StoredFile,
  caller: Caller,
  { deps, isNew = false }: { readonly deps: Deps; readonly isNew?: boolean },
) {
  const { mine } = await tablesOver([digest], caller, deps.database);
  const shown = from && (isNew ? from : { ...from, says: undefined });
  return {
    ...file,
    ...present({ from: shown }),
    sameAs: mine.map(({ id, name, population }) => ({ dataset: id, name, population })),
  };
}

/** Names must differ only where the caller sees both datasets: a refusal must not reveal a hidden one. */
async function refuseSecondName(name: string, caller: Caller, deps: Deps): Promise<void> {
  for (const other of await deps.database.catalog.names())
    if (other.name === name && (await holds("datasetReader", caller, { dataset: other.id }, deps)))
      throw new PrivacyError("CONFLICT", { name: "body.name", got: name, want: "a name that none of yours has" });
}

async function datasetView(dataset: Dataset, caller: Caller, deps: Deps) {
  const { database } = deps;
  const ledger = await database.ledgers.ledgerOf(dataset.population);
  const accounts = ledger === null ? [] : await spendable(ledger, caller, deps);
  return {
    ...(await datasetSummary(dataset, caller, deps)),
    version: dataset.version,
    declaration: dataset.declaration as Record<string, unknown>,
    isFitted: dataset.isFitted,
    accounts: await accountViews(accounts, caller, await directory(database), deps),
    lineage: await lineageView(dataset, caller, deps),
  };
}

/** What the catalogue of its database says of a table of a connection. Another dataset is named to those who see it. */
async function lineageView(dataset: Dataset, caller: Caller, deps: Deps) {
  const { lineage, secondLedger } = lineageOf(dataset);
  if (lineage === undefined) return null;
  const others = elsewhere(dataset.population, await tablesOver(placesOf(dataset), caller, deps.database));
  const sameRows = others.map(async (other) => {
    const isSeen = await holds("datasetReader", caller, { dataset: other.id }, deps);
    const reason = lineageOf(other).secondLedger ?? secondLedger ?? null;
    return { dataset: isSeen ? other.id : null, name: isSeen ? other.name : null, reason };
  });
  return { rowSecurity: lineage.rowSecurity, sameRows: await Promise.all(sameRows) };
}

async function spendable(ledger: Ledger, { principal }: Caller, { database }: Deps) {
  return (await database.ledgers.accountsOf(principal.id)).filter((account) => account.ledger === ledger.id);
}

function nameIn(declaration: Readonly<Record<string, unknown>>): string {
  const { name } = declaration;
  if (typeof name !== "string" || name.trim() === "")
    invalid("body.name", undefined, "given here or in the declaration");
  return name.trim();
}

/** A new population, or one whose datasets this person administers. */
async function populationFor(
  input: Call<"createDataset">["input"],
  { adjacency, privacyUnit, unitNoun }: ReturnType<typeof declareOver>,
  name: string,
  caller: Caller,
  deps: Deps,
): Promise<Population> {
  const { catalog } = deps.database;
  if (input.population === undefined) {
    const words = input.unit ?? unitNoun?.one ?? (privacyUnit === "row" ? `row of ${name}` : privacyUnit.column);
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
  for (const { declaration } of others) refuseOtherUnit((declaration as Partial<Declaration>).privacyUnit, privacyUnit);
  return population;
}

/** Where one table protects rows and another the people of a column, a person's rows in the first would not be one neighbour. */
function refuseOtherUnit(first: Declaration["privacyUnit"] | undefined, second: Declaration["privacyUnit"]): void {
  if (first === undefined || (first === "row") === (second === "row")) return;
  invalid(
    "declaration.privacyUnit",
    second,
    first === "row"
      ? '"row", as in the other tables of these people'
      : "a column that names the person, as in the other tables of these people",
  );
}
