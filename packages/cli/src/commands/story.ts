import type { Entry, Ledger, Release } from "@dosimeter/client";
import { casesText, PrivacyError } from "@dosimeter/core";
import { answersToShow } from "@dosimeter/query/answer";
import type { Demo } from "@dosimeter/server";
import { listOf, pathOf } from "../find.ts";
import { accountColumns, amount, ledgerFacts, short } from "../show/columns.ts";
import { showQuote } from "../show/quote.ts";
import { say, sayFacts, sayTable } from "../terminal/output.ts";
import { paint, progressBar, type Terminal } from "../terminal/terminal.ts";

const question = {
  statistics: [{ id: "income", statistic: "mean", column: "income", groupBy: ["education"], epsilon: "0.1" }],
};
const tooMuch = { statistics: [{ statistic: "count", epsilon: "1.5" }] };
const small = { statistics: [{ statistic: "count", where: "age >= 65", epsilon: "0.02" }] };

/** The result for `--json`. */
interface Summary {
  readonly releases: number;
  /** How many intervals hold the truth, of `told` answers shown next to it. */
  readonly held: number;
  readonly told: number;
  readonly refusal: { readonly code: string; readonly largestEpsilon: string } | null;
  readonly left: string | null;
  readonly verified: boolean;
}

/** The tour, step by step: declare, open, share, quote, release, read again, be refused, use up, verify. */
export async function tellStory(terminal: Terminal, folder: string): Promise<Summary> {
  const { openInstance, seedDemo } = await import("@dosimeter/server");
  const instance = await openInstance({ folder });
  try {
    const door = { url: "http://localhost", fetch: instance.fetch };
    say(terminal, heading(terminal, "20,000 synthetic Californians, in a folder that is thrown away"));
    const steps = progressBar(terminal, "making the demo", 5);
    let done = 0;
    const { operatorToken, createDemoPerson } = instance;
    const onStep = () => {
      done += 1;
      steps(done);
    };
    const demo = await seedDemo({ door, operatorToken, createDemoPerson }, { onStep });
    await tellTree(terminal, demo);
    const { held, told } = await tellRelease(terminal, demo);
    const refusal = await tellRefusal(terminal, demo);
    await tellUsingUp(terminal, demo);
    const { verified, releases, left } = await tellEnd(terminal, demo);
    return { releases, held, told, refusal, left, verified };
  } finally {
    await instance.close();
  }
}

function heading(terminal: Terminal, text: string): string {
  return `\n${paint(terminal, "bold", text)}`;
}

async function tellTree(terminal: Terminal, { as, ledger }: Demo): Promise<void> {
  say(terminal, heading(terminal, "Dana owns the data. She opened the ledger, and gave budgets to two teams"));
  say(terminal, (await as.dana.showLedger({ ledger })).guarantee.sentence);
  const accounts = await listOf(as.dana.all("listAccounts", { ledger }));
  await sayTable(
    terminal,
    accounts.toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1)),
    accountColumns.filter(({ heading }) => heading !== "id" && heading !== "status"),
  );
}

async function tellRelease(terminal: Terminal, demo: Demo): Promise<{ readonly held: number; readonly told: number }> {
  const { ana } = demo.as;
  const asked = { dataset: demo.adults, account: demo.accounts.ana, plan: question };
  say(terminal, heading(terminal, "Ana asks what the mean income by schooling would cost; that reads no data"));
  await showQuote(terminal, await ana.quotePlan(asked));
  say(terminal, heading(terminal, "She pays. Next to her answers: the true means, which only a demo can show"));
  const release = await ana.releaseAndWait(asked, { idempotencyKey: "story-1" });
  const compared = await besideTruth(release);
  await sayTable(terminal, compared, [
    { heading: "education", cell: ({ education }) => education },
    { heading: "answer", cell: ({ value }) => String(Math.round(value)), right: true },
    { heading: casesText(0.95), cell: ({ from, to }) => `${Math.round(from)} … ${Math.round(to)}`, right: true },
    { heading: "truth", cell: ({ truth }) => String(Math.round(truth)), right: true },
    { heading: "held", cell: ({ isHeld }) => (isHeld ? "yes" : "no") },
  ]);
  say(terminal, heading(terminal, "She asks again under the same key: the same answers, at no cost"));
  const before = await leftOf(demo);
  const again = await ana.releaseAndWait(asked, { idempotencyKey: "story-1" });
  const same = JSON.stringify(again.answers) === JSON.stringify(release.answers);
  say(
    terminal,
    `ε left before ${before}, after ${await leftOf(demo)}; ${same ? "every digit is the same" : "the answers differ"}.`,
  );
  return { held: compared.filter(({ isHeld }) => isHeld).length, told: compared.length };
}

/** Each answer with the mean of the same people, incomes clamped to the declared bounds. */
async function besideTruth(release: Release) {
  const { adultsDeclaration, syntheticPeople, DEMO_PEOPLE } = await import("@dosimeter/server");
  const { lower = 0, upper = 0 } = adultsDeclaration.columns.income ?? {};
  const people = syntheticPeople(DEMO_PEOPLE);
  return (answersToShow(release) ?? []).flatMap(({ cells }) =>
    cells.map(({ group, value, interval: [from, to] }) => {
      const education = String(group.education);
      const incomes = people.filter((person) => person.education === education).map(({ income }) => income);
      const truth = incomes.reduce((sum, income) => sum + Math.min(upper, Math.max(lower, income)), 0) / incomes.length;
      return { education, value, from, to, truth, isHeld: from <= truth && truth <= to };
    }),
  );
}

async function tellRefusal(terminal: Terminal, demo: Demo): Promise<Summary["refusal"]> {
  say(terminal, heading(terminal, "She wants more than she has"));
  const asked = { dataset: demo.adults, account: demo.accounts.ana, plan: tooMuch };
  const { refusal } = await demo.as.ana.quotePlan(asked);
  if (refusal === null) return null;
  say(terminal, `${refusal.detail} [${refusal.code}]`);
  return { code: refusal.code, largestEpsilon: refusal.largestEpsilon };
}

async function tellUsingUp(terminal: Terminal, demo: Demo): Promise<void> {
  const steps = Math.floor(Number(await leftOf(demo)) / Number(small.statistics[0]?.epsilon) + 1e-9);
  say(terminal, heading(terminal, `So she spends the rest on ${steps} small counts`));
  const bar = progressBar(terminal, "releasing", steps);
  const asked = { dataset: demo.adults, account: demo.accounts.ana, plan: small };
  for (let step = 1; step <= steps; step += 1) {
    await demo.as.ana.releaseAndWait(asked, { idempotencyKey: `story-small-${step}` });
    bar(step);
  }
  try {
    await demo.as.ana.releaseAndWait(asked, { idempotencyKey: "story-one-too-many" });
  } catch (error) {
    if (!(error instanceof PrivacyError)) throw error;
    say(terminal, `One more: ${error.message} [${error.code}]`);
  }
}

async function tellEnd(terminal: Terminal, demo: Demo): Promise<Pick<Summary, "verified" | "releases" | "left">> {
  const { dana } = demo.as;
  const entries = await listOf(dana.all("listEntries", { ledger: demo.ledger }));
  say(terminal, heading(terminal, "The ledger has it all"));
  await showLedger(terminal, await dana.showLedger({ ledger: demo.ledger }), entries);
  const { ok } = await demo.as.aud.verify();
  say(
    terminal,
    heading(terminal, ok ? "Audrey, the auditor, has recomputed every line: it adds up" : "It does not add up"),
  );
  const releases = entries.filter(({ kind }) => kind === "charge").length;
  return { verified: ok, releases, left: await leftOf(demo) };
}

async function leftOf({ as, accounts }: Demo): Promise<string | null> {
  return (await as.ana.showAccount({ account: accounts.ana })).balance.epsilon.left;
}

async function showLedger(terminal: Terminal, ledger: Ledger, entries: readonly Entry[]): Promise<void> {
  sayFacts(terminal, ledgerFacts(terminal, ledger));
  say(terminal, `\n${paint(terminal, "bold", "Every line, oldest first")}`);
  await sayTable(
    terminal,
    entries.toSorted((a, b) => a.number - b.number),
    [
      { heading: "line", cell: ({ number }) => String(number), right: true },
      { heading: "at", cell: ({ at }) => at.replace(/\.\d+Z$/, "Z") },
      { heading: "what", cell: ({ kind }) => kind },
      { heading: "who", cell: ({ personName }) => personName ?? "" },
      { heading: "cost ε", cell: ({ cost }) => (cost === null ? "" : amount(cost.epsilon)), right: true },
      { heading: "cost δ", cell: ({ cost }) => (cost === null ? "" : cost.delta), right: true },
      { heading: "cost μ²", cell: ({ cost }) => (cost === null ? "" : short(cost.mu2, "up")), right: true },
      { heading: "μ² left", cell: ({ remainingMu2After }) => short(remainingMu2After, "down"), right: true },
      { heading: "hash", cell: ({ hash }) => hash.slice(0, 12) },
    ],
  );
}
