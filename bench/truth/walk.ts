import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import type { DuckDBConnection } from "@duckdb/node-api";
import { declare } from "../../apps/web/src/new-dataset/declare.ts";
import { type Draft, draftOf, tableOf } from "../../apps/web/src/new-dataset/draft.ts";
import { type Finding, findingsOf } from "../../apps/web/src/new-dataset/mends.ts";
import { remarksOn } from "../../apps/web/src/new-dataset/remarks.ts";
import { type Asker, answersOf } from "./ask.ts";
import { filled } from "./draft-of-table.ts";
import type { Judged } from "./judge.ts";
import { columnSql, type Mistake } from "./mistakes.ts";
import { type Facts, name } from "./table-facts.ts";
import type { Table } from "./tables.ts";

/** kept: the steward declares all the same. corrected: by the ways out that the page offers. checked: nothing is asked. */
export type Way = "kept" | "corrected" | "checked";

/** What one declaration of one table led to. */
export interface Walked {
  readonly table: string;
  readonly mistake: string;
  readonly way: Way;
  /** Where the mistake was said before anything was paid, and how; absent: nowhere. */
  readonly found?: { readonly by: "form" | "check" | "refusal"; readonly says: string };
  readonly answers: readonly Judged[];
  /** Why there are no answers. */
  readonly ended?: string;
}

/** All that does not depend on the mistake. */
export interface Case {
  readonly asker: Asker;
  readonly table: Table;
  readonly raw: DuckDBConnection;
  readonly facts: Facts;
  readonly file: string;
}

const FEWER_THAN = 10;
/** A check shows the most frequent values: who corrects it checks again, until it shows no more. */
const MAX_ROUNDS = 8;

/** The file of a mistake. A column that is left out tells it from the others, as no two datasets have the same bytes. */
async function bytesOf(
  { raw, file, table, facts }: Case,
  mistake: Mistake,
  way: string,
): Promise<Uint8Array<ArrayBuffer>> {
  if (mistake.name === "right") return new Uint8Array(await readFile(file));
  const out = join(tmpdir(), `truth-${process.pid}.csv`);
  const columns = [...new Set([...Object.keys(facts.columns), ...(table.unit === undefined ? [] : [table.unit])])];
  const fields = columns.map((column) => `${columnSql(column, mistake).stored} AS ${name(column)}`);
  await raw.run(
    `COPY (SELECT ${fields.join(", ")}, '' AS ${name(`${mistake.name}, ${way}`)} FROM raw ORDER BY "row number") TO '${out}' (HEADER, DELIMITER '${mistake.delimiter ?? ","}')`,
  );
  const bytes = new Uint8Array(await readFile(out));
  await rm(out);
  return bytes;
}

/** A value apart is another finding than another value. */
const nameOf = ({ id, values }: Finding): string =>
  id.endsWith(" apart") ? [id, ...values.map(({ value }) => value)].join(" ") : id;

/** The page's findings: those that the right declaration has too say nothing about a mistake. */
const saidOf = (findings: readonly Finding[]): readonly string[] =>
  findings.map(
    ({ id, text, values }) =>
      `${id}: ${text} ${values.map(({ value, note }) => `${value}${note === undefined ? "" : ` (${note})`}`).join("; ")}`,
  );

/** The way out of each finding that a careful person takes: what stands for a missing value is marked, else the first that is offered. */
function corrected(draft: Draft, findings: readonly Finding[]): Draft {
  const taken = findings.flatMap(({ mends, values }) => {
    const marks = values.filter(({ value }) => /^(n\/?a|-9)$/i.test(value)).flatMap((value) => value.mends.slice(-1));
    return marks.length > 0
      ? marks
      : mends.length > 0
        ? mends.slice(0, 1)
        : values.flatMap((value) => value.mends.slice(0, 1));
  });
  return taken.reduce((before, { does }) => does(before), draft);
}

export async function walk(
  of: Case,
  mistake: Mistake,
  way: Way,
  usual: ReadonlySet<string>,
): Promise<Walked & { readonly ids: readonly string[] }> {
  const {
    asker: { client },
    table,
    facts,
  } = of;
  const base = { table: table.name, mistake: mistake.name, way, answers: [], ids: [] };
  const file = await client.uploadFile({ name: `${table.name}.csv`, content: await bytesOf(of, mistake, way) });
  const reading = tableOf(file).reading;
  let draft = {
    ...mistake.declares(filled(draftOf(file), table, facts)),
    name: `${table.name}, ${mistake.name}, ${way}`,
  };
  const declared = declare(draft, reading);
  if (declared.declaration === undefined)
    return {
      ...base,
      found: { by: "form", says: declared.problems.map(({ fault }) => fault).join(" ") },
      ended: "not declared",
    };
  const remarks = draft.columns
    .filter((column) => column.name === mistake.column)
    .flatMap((column) => remarksOn(column))
    .map(({ text }) => text);
  let found: Walked["found"] = remarks.length === 0 ? undefined : { by: "form", says: remarks.join(" ") };
  let { declaration } = declared;
  let ids: string[] = [];
  let dataset: string;
  try {
    const findings = async (): Promise<readonly Finding[]> => {
      const asked = { file: file.id, declaration: declaration as never, fewerThan: FEWER_THAN };
      return findingsOf(await client.checkUpload(asked), draft, FEWER_THAN).flatMap((each) => each.findings);
    };
    const first = await findings();
    const isUnusual = (finding: Finding): boolean => !usual.has(nameOf(finding));
    ids = first.map(nameOf);
    let unusual = first.filter(isUnusual);
    if (unusual.length > 0) found ??= { by: "check", says: saidOf(unusual).join(" | ").slice(0, 600) };
    if (way === "checked" && found !== undefined) return { ...base, ids, found };
    for (let round = 0; way === "corrected" && unusual.length > 0 && round < MAX_ROUNDS; round += 1) {
      const before = draft;
      draft = corrected(draft, unusual);
      if (draft === before) break;
      const again = declare(draft, reading);
      if (again.declaration === undefined)
        return {
          ...base,
          ids,
          ...(found === undefined ? {} : { found }),
          ended: `corrected into ${again.problems.map(({ fault }) => fault).join(" ")}`,
        };
      declaration = again.declaration;
      unusual = (await findings()).filter(isUnusual);
    }
    ({ id: dataset } = await client.createDataset({ file: file.id, declaration: declaration as never }));
  } catch (error) {
    if (!(error instanceof PrivacyError)) throw error;
    return { ...base, ids, found: found ?? { by: "refusal", says: error.message }, ended: error.message };
  }
  const answers = way === "checked" ? [] : await answersOf(of, dataset, { raw: of.raw, mistake });
  return { ...base, ids, ...(found === undefined ? {} : { found }), answers };
}
