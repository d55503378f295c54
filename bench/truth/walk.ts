import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client, Quote, Release } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { headroomOf, savedPlan } from "@dosimeter/planner";
import type { DuckDBConnection } from "@duckdb/node-api";
import { declarationOf } from "../../apps/web/src/api/datasets.ts";
import { declare } from "../../apps/web/src/new-dataset/declare.ts";
import { type Draft, draftOf, tableOf } from "../../apps/web/src/new-dataset/draft.ts";
import { type Finding, findingsOf } from "../../apps/web/src/new-dataset/mends.ts";
import { remarksOn } from "../../apps/web/src/new-dataset/remarks.ts";
import {
  edited,
  openWorkbench,
  readyPlan,
  rowsOf as rowsOfBench,
  type Workbench,
  withNewRow,
} from "../../apps/web/src/plan/workbench.ts";
import { filled } from "./draft-of-table.ts";
import { type Judged, judge } from "./judge.ts";
import { columnSql, type Mistake } from "./mistakes.ts";
import { type Meant, questionsOf } from "./questions.ts";
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

/** A person in a browser session, who declares and asks. */
export interface Asker {
  readonly client: Client;
  readonly person: string;
}

/** All that does not depend on the mistake. */
export interface Case {
  readonly asker: Asker;
  readonly table: Table;
  readonly raw: DuckDBConnection;
  readonly facts: Facts;
  readonly file: string;
}

/** The budget that the page offers first. */
const BUDGET = { epsilon: "5", delta: "0.000001" };
const FEWER_THAN = 10;

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
  try {
    const fit = await client.checkUpload({ file: file.id, declaration: declaration as never, fewerThan: FEWER_THAN });
    const findings = findingsOf(fit, draft, FEWER_THAN).flatMap((each) => each.findings);
    ids = findings.map(nameOf);
    const unusual = findings.filter((finding) => !usual.has(nameOf(finding)));
    if (unusual.length > 0) found ??= { by: "check", says: saidOf(unusual).join(" | ").slice(0, 600) };
    if (way === "checked" && found !== undefined) return { ...base, ids, found };
    if (way === "corrected") {
      draft = corrected(draft, unusual);
      const again = declare(draft, reading);
      if (again.declaration === undefined)
        return {
          ...base,
          ids,
          ...(found === undefined ? {} : { found }),
          ended: `corrected into ${again.problems.map(({ fault }) => fault).join(" ")}`,
        };
      declaration = again.declaration;
    }
    const { id: dataset } = await client.createDataset({ file: file.id, declaration: declaration as never });
    const answers = way === "checked" ? [] : await answersOf(of, dataset, { raw: of.raw, mistake });
    return { ...base, ids, ...(found === undefined ? {} : { found }), answers };
  } catch (error) {
    if (!(error instanceof PrivacyError)) throw error;
    return { ...base, ids, found: found ?? { by: "refusal", says: error.message }, ended: error.message };
  }
}

/** All questions as the plan page asks them: what is common to many tables first, each batch in one plan at first prices. */
async function answersOf({ asker, table }: Case, dataset: string, meant: Meant): Promise<readonly Judged[]> {
  const { client, person } = asker;
  const { id: ledger } = await client.openLedger({ dataset, ...BUDGET });
  await client.createAccount({ ledger, holder: { kind: "person", id: person }, epsilon: BUDGET.epsilon });
  const declaration = declarationOf(await client.showDataset({ dataset }));
  const questions = questionsOf(table, declaration ?? { columns: {} });
  const judged: Judged[] = [];
  for (let first = 0; first < questions.length; first += BATCH) {
    const asked = questions.slice(first, first + BATCH);
    const { release, quotes, rows, left } = await released(
      client,
      dataset,
      asked.map(({ asks }) => asks),
    );
    for (const [at, question] of asked.entries()) {
      const id = rows[at] ?? "";
      const answer = release?.answers?.find((each) => each.id === id);
      if (answer === undefined)
        judged.push({
          question: question.name,
          cells: 0,
          held: 0,
          marked: 0,
          said: "nothing",
          misses: [],
          absent: left[at] ?? "no answer",
        });
      else
        judged.push(
          judge(question.name, {
            answer,
            quote: quotes.find((each) => each.id === id),
            words: release?.words,
            exact: await question.exact(meant),
          }),
        );
    }
  }
  return judged;
}
const BATCH = 4;

/** One plan of the page: rows at their first prices, earlier answers taken where they serve, then released. */
async function released(client: Client, dataset: string, asks: readonly Readonly<Record<string, string>>[]) {
  const shown = await client.showDataset({ dataset });
  const declaration = declarationOf(shown);
  const [account] = shown.accounts;
  if (declaration === null || account === undefined) throw new Error("a declaration and an account");
  const headroom = headroomOf(shown, account, { hasBlocks: false });
  let bench: Workbench = openWorkbench(declaration, "0");
  bench = {
    ...bench,
    draft: { ...bench.draft, delta: "0", accountant: "addition", headroom, follows: true, reason: "a report" },
  };
  const rows: (string | undefined)[] = [];
  for (const settings of asks) {
    try {
      rows.push(`s${bench.nextId}`);
      bench = withNewRow(bench, settings);
    } catch (error) {
      if (!(error instanceof PrivacyError)) throw error;
      rows[rows.length - 1] = undefined;
    }
  }
  const left = rows.map((id) => rowsOfBench(bench).find((row) => row.id === id)?.fault?.message);
  const request = () => {
    const plan = readyPlan(bench, rowsOfBench(bench));
    const saved = savedPlan(bench.draft, declaration) as { statistics: unknown };
    const reuse = Object.fromEntries((plan?.statistics ?? []).map(({ id = "" }) => [id, "asAccurate"]));
    return plan === null ? null : { dataset, account: account.id, plan: saved as never, reuse };
  };
  const asked = request();
  if (asked === null) return { release: null, quotes: [], rows, left };
  const quote = await client.quotePlan(asked);
  const isServed = ({ reuse: { chosen, offers } }: Quote["statistics"][number]) =>
    offers.some(({ id, kind }) => id === chosen && kind !== "refined");
  bench = edited(bench, {
    kind: "owned",
    ids: quote.statistics.filter(isServed).map(({ id }) => id),
    known: Object.fromEntries(quote.statistics.map(({ id, known }) => [id, known])) as never,
  });
  const again = request();
  if (again === null) return { release: null, quotes: [], rows, left };
  const final = await client.quotePlan(again);
  if (!final.admitted)
    return {
      release: null,
      quotes: final.statistics,
      rows,
      left: rows.map(() => `not admitted: ${final.refusal?.detail}`),
    };
  const reuse = Object.fromEntries(final.statistics.map(({ id, reuse: { chosen } }) => [id, chosen ?? "fresh"]));
  const { id } = await client.createRelease({ ...again, reuse });
  let release: Release = await client.showRelease({ release: id, wait: 20 });
  while (release.stage !== "done" && release.failure === null)
    release = await client.showRelease({ release: id, wait: 20 });
  return { release, quotes: final.statistics, rows, left };
}
