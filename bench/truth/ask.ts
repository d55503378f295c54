import type { Client, Quote, Release } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { headroomOf, savedPlan } from "@dosimeter/planner";
import { declarationOf } from "../../apps/web/src/api/declaration.ts";
import {
  edited,
  openWorkbench,
  readyPlan,
  rowsOf as rowsOfBench,
  type Workbench,
  withNewRow,
} from "../../apps/web/src/plan/workbench.ts";
import { type Judged, judge } from "./judge.ts";
import { type Meant, questionsOf } from "./questions.ts";
import type { Table } from "./tables.ts";

/** A person in a browser session, who declares and asks. */
export interface Asker {
  readonly client: Client;
  readonly person: string;
}

/** A lifetime in which every question has its first price. */
const BUDGET = { epsilon: "5", delta: "0.000001" };

/** All questions as the plan page asks them: what is common to many tables first, each batch in one plan at first prices. */
export async function answersOf(
  { asker, table }: { readonly asker: Asker; readonly table: Table },
  dataset: string,
  meant: Meant,
): Promise<readonly Judged[]> {
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
