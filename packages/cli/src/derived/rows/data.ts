import { sayDataset } from "../../show/dataset.ts";
import { sayQuotedSchedule, saySchedule } from "../../show/schedule.ts";
import { appended, declared, replaced } from "../bring.ts";
import type { Rows } from "../row.ts";

export const reading = {
  "--sheet <name>": "of an Excel workbook (default: its first visible one)",
  "--encoding <name>":
    "of its texts: utf-8, windows-1252, shift_jis … (default: what the file says, or its beginning shows)",
  "--skip <lines>": "of a CSV file: lines above its header that are not kept",
  "--footer <lines>": "of a CSV file: lines below its table that are not kept",
};
const bringing = {
  ...reading,
  "--unchecked": "do not read it here first to show how its rows fit, as is done on a terminal",
  "--fitted": "you saw how it fits, as `dataset check` shows it: what is declared over it is marked so",
};
const TABLE =
  "CSV, Excel, Stata, SPSS, SAS transport, Parquet, Arrow or JSON on this machine, also packed, or the id that `dataset import` gave";
export const DECLARATION =
  "YAML or JSON, or the text of it: '{privacyUnit: {column: who}, contribution: {rows: 1}, columns: {who: {type: integer}}}'; docs/declaration.md has every field";
const columns = ["name", "format", "bytes", "id"];
const draft = {
  columns: ["draft=id", "name", "by=ownerName", "shared with=teamName", "changed=changedAt"],
  tables: { said: ["by=byName", "at", "text"], "plan.statistics": ["statistic", "column", "ε=epsilon", "ρ=rho"] },
} as const;
const savings = [
  ...["offered to=policy.visibility", "a share pays=policy.price", "answers reused=answers"],
  ...["saved ε=epsilon", "saved μ²=muSquared"],
];
const dashboard = {
  columns: ["dashboard=id", "name", "team=teamName"],
  tables: { parts: ["kind", "name", "state", "release=from"] },
} as const;
const parts = {
  flags: { readers: "person", parts: "part" },
  finds: { readers: "people" },
  helps: {
    readers: "who else sees it; may come several times",
    parts: "'{kind: release, id: chg_…}' or a report by its schedule; several, in order",
  },
} as const;
const publication = ["public=isPublic", "title", "until=expiresAt", "typed values=values"];
const schedule = { shows: saySchedule } as const;

/** Datasets and their files, released answers, drafts, and reports that come by themselves. */
export const dataRows = {
  uploadFile: { by: "dataset add" },
  listFiles: { command: "dataset files", summary: "the files that I brought", columns },
  describeFile: {
    command: "dataset file",
    summary: "names and types from the header of a file of mine, never a value",
    flags: { delimiter: "delimiter" },
  },
  checkUpload: { by: "dataset check" },
  readCodeBook: { by: "code-book" },
  eraseFile: { command: "dataset forget", summary: "delete a file of mine that no dataset reads" },
  eraseUploads: {
    command: "dataset erase",
    summary: "delete the uploaded tables of a dataset for good; what was spent and every answer stays",
    asks: "The uploaded tables of all its versions are deleted for good.",
    says: ({ files }) => `Deleted: ${files}.`,
  },
  listServerFiles: {
    command: "dataset tables",
    summary: "tables in the folders of the server that its operator allows; for platform admins",
    columns: ["table=path", "bytes"],
  },
  importFile: {
    command: "dataset import",
    summary: "copy a table of an allowed folder, as `dataset tables` lists it, as if I had brought it",
    args: ["path"],
    columns,
  },
  listConnections: {
    command: "connection list",
    summary: "the databases whose tables can be declared: of the operator's file, and those that admins added",
    columns: [
      "connection=name",
      "kind",
      "address=added.url",
      "secret=added.secret",
      "added by=added.byName",
      "problem",
    ],
    tables: { hosts: ["more can be added at=host", "with the secrets=secrets"] },
    after: ({ hosts }) =>
      hosts.length === 0 ? "The operator lists no hosts in DOSIMETER_CONNECTION_HOSTS: none can be added." : null,
  },
  addConnection: {
    command: "connection add",
    args: ["name", "url"],
    flags: { secret: "secret" },
    helps: {
      name: "what declarations call it",
      secret: "what the operator calls the password or token, as `dosimeter connection` lists it",
    },
    says: ({ name, added }) => `Added ${added?.url} as ${name}. To sign in to it: dosimeter check connection ${name}`,
  },
  removeConnection: { command: "connection remove" },
  listTables: { command: "connection tables", columns: ["schemas", "tables", "all are listed=isWhole"] },
  describeTable: { command: "connection columns", args: ["connection", "table"] },
  listDatasets: {
    command: "dataset list",
    summary: "the datasets that I can see",
    columns: [
      ...[
        "dataset=name",
        "protects=privacyUnit",
        "blocks=ledger.blocks.every",
        "ε=ledger.epsilon",
        "δ=ledger.delta",
        "rule=ledger.rule",
      ],
      ...["used=ledger.used", "ledger=ledger.status", "over=ledger.over", "id"],
    ],
  },
  createDataset: {
    command: "dataset add",
    summary: "bring a table and declare it",
    args: ["file"],
    flags: { population: "same-people-as" },
    finds: { population: "population" },
    helps: {
      file: `${TABLE} (default: the source that the declaration names)`,
      declaration: DECLARATION,
      name: "what it is called (default: as the declaration says, else the file)",
      population: "the same people as in this dataset, by name or id: they share one ledger",
    },
    more: bringing,
    build: declared,
    shows: sayDataset,
  },
  describeDataset: { command: "dataset metadata", says: (metadata) => JSON.stringify(metadata, null, 2) },
  showDataset: { command: "dataset show", shows: sayDataset },
  listAccess: { command: "dataset access", columns: ["who=personName", "role"] },

  listCatalog: {
    command: "dataset catalog",
    summary: "the datasets that I cannot see and may ask for; with a name, what its admins say of it",
    columns: ["dataset=name", "protects=privacyUnit", "blocks=blocks.every", "ask=stewards", "about=description", "id"],
  },
  showCatalogDataset: { command: "dataset catalog", finds: { dataset: "listed" } },
  showListing: {
    command: "dataset listing",
    summary: "whether people who cannot see a dataset find it in the catalogue, and what it says there",
  },
  setListing: {
    command: "dataset listing",
    flags: { showsColumns: "columns" },
    helps: {
      isListed: "list it: its name, what it protects and who its admins are",
      showsColumns: "list the names, types and descriptions of its columns too",
      description: "what people read before they ask",
    },
  },

  listReleased: {
    command: "reuse list",
    flags: { version: "of-version" },
    columns: [
      "statistic=label",
      "gives=derivable",
      "version",
      "released=at",
      "by",
      "from=release",
      "row",
      "outside=charge",
    ],
  },
  showReuse: { command: "reuse show", columns: savings },
  setReusePolicy: {
    command: "reuse policy",
    args: ["dataset", "visibility"],
    usual: { price: "free" },
    columns: savings,
  },
  combineReleased: {
    command: "reuse combine",
    summary: "the sum, difference or ratio of two released cells, for free",
    args: ["dataset", "operation"],
    helps: {
      operation: "what is taken of them",
      of: "'{release: chg_…, row: s1}', with cell: where a row has several; twice",
    },
  },
  listVersions: { command: "dataset versions", columns: ["version", "since=createdAt", "by=createdByName"] },
  createVersion: {
    command: "dataset version",
    summary: "new rows of the same people, or another declaration: same ledger, nothing is reused across versions",
    args: ["dataset", "file"],
    helps: { file: `${TABLE} (default: the same rows)`, declaration: `${DECLARATION} (default: as before)` },
    more: bringing,
    build: replaced,
    says: ({ version }, { dataset }) =>
      `Version ${version} of ${dataset}: same people, same ledger, nothing reused from before.`,
  },
  appendRows: {
    command: "dataset append",
    args: ["dataset", "file"],
    helps: { file: TABLE, block: "the period that the rows belong to, such as 2024-01; others are dropped" },
    more: bringing,
    build: appended,
    says: ({ version, added, dropped }, { dataset, block }) =>
      `Version ${version} of ${dataset}: ${added} ${added === 1 ? "row" : "rows"} of ${block} came${
        dropped === 0 ? "" : `; ${dropped} ${dropped === 1 ? "row" : "rows"} of other blocks or without a date dropped`
      }.`,
  },
  closeBlocks: {
    command: "dataset close",
    args: ["dataset", "block"],
    summary: "close a block and all before it, where blocks are closed by hand: reports that waited for it are made",
    says: ({ version }, { dataset, block }) => `Version ${version} of ${dataset}: closed up to ${block}.`,
  },

  listDrafts: {
    command: "draft list",
    columns: ["draft=id", "name", "by=ownerName", "shared with=teamName", "comments", "changed=changedAt"],
  },
  saveDraft: { command: "draft save", args: ["dataset"], ...draft },
  showDraft: {
    command: "draft show",
    summary: "one draft with its comments; --only plan prints its plan, for plan quote and release",
    ...draft,
  },
  changeDraft: { command: "draft change", ...draft },
  deleteDraft: { command: "draft delete", asks: "The draft and its comments are deleted." },
  listUnfinished: {
    command: "draft unfinished",
    summary: "plans and declarations that I typed on a page and did not finish",
    columns: ["draft=id", "kind", "name", "changed=changedAt"],
  },
  saveUnfinished: { without: "the page keeps what is typed there; on the command line a declaration is a file" },
  changeUnfinished: { without: "the page keeps what is typed there; on the command line a declaration is a file" },
  handDeclaration: { command: "dataset hand", args: ["draft", "person"] },
  commentDraft: { command: "draft comment", args: ["draft", "text"], ...draft },

  quotePlan: { by: "plan quote" },
  createRelease: { by: "release" },
  listReleases: {
    command: "release list",
    args: ["dataset"],
    columns: ["release=id", "charged=chargedAt", "state", "title", "line=entry", "by=byName", "as=byKind"],
  },
  showRelease: { by: "release show" },
  labelRelease: { command: "release label", columns: ["title", "note"] },
  releaseReport: { by: "report" },
  showPublication: {
    command: "release published",
    summary: "whether a release is public, and what people typed into its plan",
    columns: publication,
  },
  publishRelease: {
    command: "release publish",
    flags: { isIndexed: "indexed" },
    helps: {
      title: "what its page is called (default: what it asks)",
      isIndexed: "let search engines list it",
      confirmed: "a value of `release published` that says nothing about one person; may come several times",
    },
    asks: "Everyone who has the link reads it. It counts against every cap of the ledger, and nothing gives that back.",
    columns: ["link=url", ...publication],
  },
  unpublishRelease: { command: "release unpublish" },
  listDashboards: { command: "dashboard list", columns: ["dashboard=id", "name", "by=ownerName", "team=teamName"] },
  saveDashboard: { command: "dashboard create", args: ["name"], ...dashboard, ...parts },
  showDashboard: { command: "dashboard show", ...dashboard },
  changeDashboard: { command: "dashboard change", ...dashboard, ...parts },
  deleteDashboard: { command: "dashboard delete" },
  showPublicAnswer: { without: "a page for browsers" },
  showPublicChart: { without: "a picture for pages" },
  syntheticRows: { without: "a command makes the rows itself, any number of them" },
  askSyntheticRows: { without: "a command counts the rows that it makes itself" },
  retryRelease: { by: "release retry" },
  watchRelease: { without: "a command waits with showRelease" },
  quoteSql: { by: "sql" },
  releaseSql: { by: "sql" },
  verify: { by: "verify" },

  listSchedules: {
    command: "report schedules",
    columns: [
      "schedule=id",
      "name",
      "by=ownerName",
      "latest",
      "horizon",
      "every",
      "status",
      "next=next.block",
      "at=next.at",
    ],
  },
  createSchedule: {
    command: "report schedule",
    summary: "release a plan whenever a period is over, over the latest ones, from a budget that is set aside now",
    args: ["dataset"],
    flags: { recipients: "tell" },
    finds: { account: "aside" },
    ...schedule,
  },
  quoteSchedule: {
    command: "report schedule",
    flag: "quote",
    summary: "say what it would take, and change nothing",
    args: ["dataset"],
    finds: { account: "aside" },
    shows: sayQuotedSchedule,
  },
  showSchedule: { by: "report series" },
  setSchedule: [
    {
      command: "report pause",
      summary: "make no reports until it is taken up again",
      fixed: { status: "paused" },
      ...schedule,
    },
    {
      command: "report resume",
      summary: "take it up again: the reports that were missed are made, in order",
      fixed: { status: "active" },
      ...schedule,
    },
  ],
  endSchedule: {
    command: "report end",
    summary: "make no more reports; what was set aside and not spent goes back",
    asks: "It makes no more reports.",
    ...schedule,
  },
  retryReport: { command: "report retry", ...schedule },
} as const satisfies Partial<Rows>;
