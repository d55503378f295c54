import { z } from "zod";
import { account, balance, ledgerStatus, room } from "../accounts/routes.ts";
import type { RouteTable } from "../route.ts";
import {
  activeRule,
  adjacency,
  blocks,
  cursor,
  decimal,
  id,
  name,
  named,
  page,
  rule,
  searched,
  time,
} from "../schema.ts";
import { secret } from "../secret.ts";

const columnType = z.string().meta({ description: "As the file says: INTEGER, DOUBLE, VARCHAR …" });

const encoding = z
  .string()
  .regex(/^[\w:.-]{1,40}$/)
  .meta({ id: "Encoding", description: "One that browsers know: utf-8, utf-16le, windows-1252, shift_jis" });

const sheet = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: "Of an Excel workbook; its first visible one when absent" });

/** Checked in full, with a path for every fault, by `checkDeclaration` of @dosimeter/query. */
const declaration = z.looseObject({}).meta({
  id: "Declaration",
  description: "Privacy unit, adjacency, contribution bounds, size and columns, as the guide describes them",
});

const codeBook = z
  .object({
    kind: z.string(),
    declaration: declaration.meta({
      description: "What it says of the table and its columns; the rest is for its owner",
    }),
    columns: z
      .array(z.looseObject({ names: z.array(z.string()).readonly() }))
      .readonly()
      .meta({
        description: "The same as the texts of a form, with every name that a column may have in the header",
      }),
  })
  .meta({ id: "CodeBook" });

export const file = z
  .object({
    id,
    name: z.string(),
    format: z.enum(["csv", "parquet"]),
    bytes: z.number().int(),
    encoding: encoding.optional().meta({ description: "How the text was written that arrived; it is kept as UTF-8" }),
    from: z
      .object({
        format: z.enum(["xlsx", "ods", "arrow", "dta", "sav", "xpt", "sas7bdat", "json"]),
        sheet: z.string().optional(),
        sheets: z.array(z.string()).readonly().optional(),
        says: codeBook.optional().meta({
          description:
            "What a file of Stata, SPSS or SAS says of its columns: labels, codes, formats. Absent in lists of files",
        }),
      })
      .optional()
      .meta({
        description:
          "What arrived, where the server made a CSV file of it: of a workbook the sheet, and the names of all its sheets",
      }),
    packed: z.enum(["zip", "gz", "zst"]).optional().meta({ description: "What it arrived in" }),
    columns: z.array(z.object({ name: z.string(), type: columnType })),
    uploadedAt: time,
    sameAs: z.array(z.object({ dataset: id, name: z.string(), population: id })).meta({
      description: "Datasets that I administer whose table has, or had, these very bytes; empty for everyone else",
    }),
  })
  .meta({ id: "File" });

const delimiter = z.enum(["comma", "semicolon", "tab", "bar", "space"]).meta({ id: "Delimiter" });

const comment = z
  .string()
  .length(1)
  .optional()
  .meta({ description: "Of a CSV file: lines that begin with this sign are no rows; there are none when absent" });

const lines = (where: string) =>
  z.coerce
    .number()
    .int()
    .min(0)
    .max(100)
    .optional()
    .meta({ description: `Of a CSV file: lines ${where} that are not kept` });

/** How the text of a file is read. */
const signs = {
  comment,
  quote: z.enum(['"', "'", "none"]).optional().meta({
    description: "Of a CSV file: what stands around a value with a delimiter in it; a double quote when absent",
  }),
};
const cut = { skip: lines("above the header"), footer: lines("below the table") };

const schema = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .meta({ description: "when absent, public of PostgreSQL and default of Trino" });

const columns = z.object({ columns: z.array(z.object({ name: z.string(), type: columnType })) });
const fileColumns = columns.extend({ says: codeBook.optional() });

const serverFile = z
  .object({
    path: z.string().meta({ description: "Below the allowed folder, which its first part names" }),
    bytes: z.number().int(),
  })
  .meta({ id: "ServerFile" });

const uploadEncoding = encoding.optional().meta({
  description:
    "Of texts; when absent found in the byte-order mark or the header line of a text, never in a value, or in what a statistical file says",
});

const importInput = z.strictObject({
  path: z.string().min(1).max(1000),
  encoding: uploadEncoding,
  ...signs,
  footer: cut.footer,
  sheet: sheet.optional(),
});

const problem = z.string().nullable().meta({ description: "Why it cannot be used; null where it can" });

const connection = z
  .object({
    name: z.string(),
    kind: z.enum(["postgres", "trino"]),
    problem: problem.meta({ description: "Why it cannot be used, or that it was not tried yet; null where it can" }),
    added: z
      .object({ url: z.string(), secret: z.string(), at: time, by: id, byName: z.string() })
      .nullable()
      .meta({ description: "By an admin, as what; null for one of the operator's" }),
  })
  .meta({ id: "Connection" });

const datasetInput = z.strictObject({
  name: name.optional().meta({ description: "The declaration's name when absent" }),
  file: id.optional().meta({
    description: "An uploaded file. Absent where the declaration's source is a table of a connection of this server",
  }),
  declaration,
  unit: name.optional().meta({
    description:
      "What one protected unit is, in words for the guarantee: person, household. From the declaration's noun, else its column, when absent",
  }),
  population: id
    .optional()
    .meta({ description: "Same people as this population: they share one ledger. A new population when absent" }),
  secondLedger: z.string().trim().min(1).max(500).optional().meta({
    description:
      "Of a table of a connection whose rows have a ledger already: why its people may have a second budget. Said on both datasets",
  }),
});

const headline = z
  .object({
    id,
    blocks,
    rule,
    activeRule,
    epsilon: decimal,
    delta: decimal,
    used: z.number(),
    balance,
    ...room,
    ...ledgerStatus,
  })
  .meta({ id: "LedgerHeadline" });

/** Who has a role on a dataset. Who holds an account on its ledger stands in the account tree. */
const access = z
  .object({ person: id, personName: z.string(), role: z.enum(["datasetAdmin", "auditor"]) })
  .meta({ id: "Access" });

const datasetSummary = z
  .object({
    id,
    name: z.string(),
    population: id,
    privacyUnit: z.string(),
    adjacency,
    myRoles: z.array(z.enum(["datasetAdmin", "auditor"])),
    myAccounts: z.array(id),
    ledger: headline.nullable().meta({ description: "null until its ledger is opened" }),
    createdAt: time,
  })
  .meta({ id: "DatasetSummary" });

const count = z.number().int();
const storedValue = z.object({ value: z.string(), rows: count });

/** As secret as the rows. */
const fit = z
  .object({
    rows: count,
    columns: z
      .array(
        z.object({
          name: z.string(),
          empty: count.meta({ description: "Rows without a value" }),
          marked: count.meta({ description: "Rows with a marker of a missing value" }),
          misfits: z
            .array(
              z.object({
                kind: z.enum(["unreadable", "outside", "offStep"]).meta({
                  description: "No value of the declared type; outside the bounds or categories; between two steps",
                }),
                rows: count,
                values: count.meta({ description: "How many different ones" }),
                frequent: z.array(storedValue).readonly().meta({ description: "Those in most rows, at most 20" }),
                range: z
                  .object({ lower: z.string(), upper: z.string() })
                  .optional()
                  .meta({ description: "The least and the most of all values, where some lie outside the bounds" }),
              }),
            )
            .readonly(),
          apart: z.array(storedValue).readonly().meta({
            description:
              "The least and the largest value within the bounds of numbers and dates, where it may stand for a missing one: far from all others, or a code such as 99 in many rows",
          }),
          within: z.object({ lower: z.string(), upper: z.string() }).optional().meta({
            description:
              "The least and the most of the numbers within the bounds, where they take a small part of them",
          }),
          marksThousands: z.literal(true).optional().meta({
            description: "All points of its numbers stand before three digits: they seem to mark thousands",
          }),
          rare: z.array(storedValue).readonly().meta({ description: "Declared categories in fewer rows, at most 20" }),
          rareCount: count,
        }),
      )
      .readonly(),
    unit: z
      .object({
        missing: count.meta({ description: "Rows that name no unit: no answer holds them" }),
        over: count.meta({ description: "Units with more rows than declared" }),
        cut: count.meta({ description: "Their rows above it" }),
        most: count.meta({ description: "The most rows of one of them" }),
      })
      .nullable(),
    broken: z
      .array(z.object({ says: z.string(), rows: count }))
      .readonly()
      .meta({ description: "What no row can be by the declaration, and how many rows are" }),
  })
  .meta({ id: "Fit" });

const dataset = datasetSummary
  .extend({
    version: z.number().int(),
    declaration,
    isFitted: z.boolean().meta({
      description: "Whether its owner was shown how rows fit before this version, or an earlier one, was declared",
    }),
    accounts: z.array(account).meta({ description: "The accounts I can spend from" }),
    lineage: z
      .object({
        rowSecurity: z.array(z.string()).meta({
          description: "Tables of which the role of the connection may see some rows only (row-level security)",
        }),
        sameRows: z
          .array(z.object({ dataset: id.nullable(), name: z.string().nullable(), reason: z.string().nullable() }))
          .meta({
            description:
              "Datasets of other ledgers that are read from the same tables, named to those who see them, and why",
          }),
      })
      .nullable()
      .meta({ description: "What the catalogue of its database says of a table of a connection; null for others" }),
  })
  .meta({ id: "Dataset" });

export const datasetsRoutes = {
  uploadFile: {
    route: "POST /v1/files",
    summary:
      "Stream a table into the data folder: CSV, Excel, Stata, SPSS, SAS transport, Parquet, Arrow or JSON, also packed; answers its column names and types, never a value",
    who: "signedIn",
    scope: "manage",
    query: z.strictObject({
      name: z.string().min(1).max(200),
      encoding: uploadEncoding,
      ...signs,
      ...cut,
      sheet: sheet.optional(),
      fit: z.enum(["seen"]).optional().meta({
        description:
          "Who sends it saw elsewhere how its rows fit a declaration: what they declare over it is marked as fitted to the data",
      }),
    }),
    stream: true,
    response: file,
    status: 201,
    errors: ["DATA_UNREADABLE", "PAYLOAD_TOO_LARGE"],
  },
  listFiles: {
    route: "GET /v1/files",
    summary: "The files I uploaded",
    who: "signedIn",
    scope: "manage",
    query: cursor,
    response: page(file),
  },
  describeFile: {
    route: "GET /v1/files/{file}/columns",
    summary:
      "Names and types from the header of a file of mine, and what a statistical file says of its columns, never a value",
    who: "signedIn",
    scope: "manage",
    query: z.strictObject({
      delimiter: delimiter
        .optional()
        .meta({ description: "Between the fields of a CSV file; what its header holds most often when absent" }),
      ...signs,
    }),
    response: fileColumns,
    errors: ["DATA_UNREADABLE"],
  },
  checkUpload: {
    route: "POST /v1/files/{file}/check",
    summary:
      "How the rows of a file fit a declaration: to the person who sent it, in the browser session in which they did, and never with a token. What they declare over it is marked as fitted to the data",
    who: "signedIn",
    scope: "manage",
    body: z.strictObject({
      declaration,
      fewerThan: z.number().int().min(1).max(1000).optional().meta({
        description:
          "A declared category in fewer rows is rare: who reads it learns about these people; 10 when absent",
      }),
    }),
    response: fit,
    errors: ["CONFLICT", "DATA_UNREADABLE"],
  },
  eraseFile: {
    route: "DELETE /v1/files/{file}",
    summary: "Delete a file that I uploaded and no dataset reads",
    who: "signedIn",
    scope: "manage",
    errors: ["CONFLICT"],
  },
  eraseUploads: {
    route: "DELETE /v1/datasets/{dataset}/uploads",
    summary:
      "Delete the uploaded tables of a dataset, of all its versions, that no other dataset reads; what was spent and every answer stays",
    who: "datasetAdmin",
    scope: "manage",
    response: z.object({ files: z.number().int().meta({ description: "How many were deleted" }) }),
    errors: ["CONFLICT"],
  },
  readCodeBook: {
    route: "POST /v1/code-books",
    summary:
      "What a code book or schema says, as a declaration to go on with: DDI, CSVW, a Table Schema, a data dictionary of REDCap, a JSON Schema, a declaration, or lines of text; at most 20 MB, and nothing of it is kept",
    who: "signedIn",
    scope: "manage",
    stream: true,
    response: codeBook,
    errors: ["PAYLOAD_TOO_LARGE"],
  },
  listServerFiles: {
    route: "GET /v1/server-files",
    summary: "Tables in the folders of the server that its operator allows; for platform admins",
    who: "platformAdmin",
    scope: "manage",
    response: z.object({ items: z.array(serverFile) }),
  },
  importFile: {
    route: "POST /v1/files/imports",
    summary: "Copy a table of an allowed folder into the data folder, as if I had uploaded it",
    who: "platformAdmin",
    scope: "manage",
    body: importInput,
    response: file,
    status: 201,
    errors: ["DATA_UNREADABLE", "PAYLOAD_TOO_LARGE"],
  },
  listConnections: {
    route: "GET /v1/connections",
    summary:
      "The databases whose tables this server can declare, which of them admins added, and the hosts that more can be added at; for platform admins",
    who: "platformAdmin",
    scope: "manage",
    response: z.object({
      items: z.array(connection),
      hosts: z.array(z.object({ host: z.string(), secrets: z.array(z.string()).readonly() })).meta({
        description:
          "Hosts that the operator allows, one that begins with *. for all below it, and the names of their secrets",
      }),
    }),
  },
  addConnection: {
    route: "POST /v1/connections",
    summary: "Name a database at a host that the operator allows, with a secret that the operator keeps for that host",
    who: "platformAdmin",
    scope: "admin",
    body: z.strictObject({
      name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/),
      url: z.string().min(1).max(500).meta({
        description: "postgres://role@host:port/database or trino://user@host:port/catalog, without a password",
      }),
      // A password that is typed here by mistake is repeated by no refusal.
      secret: secret(z.string().min(1).max(100).meta({ description: "The name of one of its host" })),
    }),
    response: connection,
    status: 201,
    errors: ["CONFLICT"],
  },
  testConnection: {
    route: "POST /v1/connections/{connection}/test",
    summary: "Sign in to a connection now: its schemas, or what to do where it cannot be used",
    who: "platformAdmin",
    scope: "admin",
    response: z.object({ problem, schemas: z.array(z.string()).readonly() }),
  },
  removeConnection: {
    route: "DELETE /v1/connections/{connection}",
    summary: "Forget a connection that an admin added and no dataset is read through",
    who: "platformAdmin",
    scope: "admin",
    errors: ["CONFLICT"],
  },
  listTables: {
    route: "GET /v1/connections/{connection}/tables",
    summary: "Names of a connection's schemas and of the tables and views in one of them, and nothing else about them",
    who: "platformAdmin",
    scope: "manage",
    query: z.strictObject({ schema }),
    response: z.object({
      schemas: z.array(z.string()).readonly(),
      tables: z.array(z.string()).readonly(),
      isWhole: z
        .boolean()
        .meta({ description: "False where there are more than 1,000 schemas or tables: the first ones are listed" }),
    }),
    errors: ["DATA_UNREADABLE"],
  },
  describeTable: {
    route: "GET /v1/connections/{connection}/columns",
    summary: "Names and types of a table's columns, never a value",
    who: "platformAdmin",
    scope: "manage",
    query: z.strictObject({
      schema,
      table: z.string().min(1).max(200),
    }),
    response: columns,
    errors: ["DATA_UNREADABLE"],
  },
  listDatasets: {
    route: "GET /v1/datasets",
    summary: "The datasets I can see, with the headline of their ledgers; those whose name is or holds a text",
    who: "signedIn",
    scope: "read",
    query: searched.extend(named),
    response: page(datasetSummary),
  },
  createDataset: {
    route: "POST /v1/datasets",
    summary: "Declare a dataset over an uploaded file and become its admin",
    who: "signedIn",
    scope: "manage",
    body: datasetInput,
    response: dataset,
    status: 201,
    errors: ["CONFLICT", "DATA_UNREADABLE", "UNKNOWN_COLUMN", "ADJACENCY_MISMATCH"],
  },
  showDataset: {
    route: "GET /v1/datasets/{dataset}",
    summary: "One dataset: its declaration, its ledger, and the accounts I can spend from",
    who: "datasetReader",
    scope: "read",
    response: dataset,
  },
  describeDataset: {
    route: "GET /v1/datasets/{dataset}/metadata",
    summary: "A dataset for catalogues, as JSON-LD with the words of DCAT-AP, DDI and schema.org: declared facts only",
    who: "datasetReader",
    scope: "read",
    response: z.record(z.string(), z.unknown()).meta({ id: "Metadata" }),
  },
  listAccess: {
    route: "GET /v1/datasets/{dataset}/access",
    summary: "Who administers and who audits a dataset",
    who: "datasetReader",
    scope: "read",
    response: z.object({ items: z.array(access) }),
  },
} as const satisfies RouteTable;
