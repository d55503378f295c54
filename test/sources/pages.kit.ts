import type { Locator, Page } from "playwright-core";
import type { SourceDocument } from "./row.kit.ts";

/** A sentence of a document, and what a person sees of it on a page. */
export interface PageRow {
  readonly document: SourceDocument;
  readonly line: number;
  /** As in the row of the walk without a browser. */
  readonly says: string;
  readonly look: (at: Visitor) => Promise<string>;
  readonly seen: string;
}

/** Someone with a browser: signed in, with a plan on the demo's adults, whose threshold is 0.15, and a dataset whose ledger is not open. */
export interface Visitor {
  readonly page: Page;
  /** Opens a page of Explore. */
  explore(path: string): Promise<void>;
  /** A page of the dataset *adults*. */
  adults(part: "/plan" | "?tab=budget" | "?tab=ledger"): Promise<void>;
  /** The page that opens a ledger. */
  newLedger(): Promise<void>;
}

const pageRowsOf =
  (document: SourceDocument) =>
  (line: number, says: string, seen: string, look: PageRow["look"]): PageRow => ({ document, line, says, seen, look });

/** The text of an element, without the breaks of its layout. */
const textOf = async (of: Locator): Promise<string> => (await of.innerText()).replaceAll(/\s+/g, " ").trim();
/** The value next to a name in a list of facts. */
const fact = (page: Page, name: string): Promise<string> =>
  textOf(page.locator("dt").getByText(name, { exact: true }).locator("xpath=following-sibling::dd[1]").first());
const settledAs = async (of: Locator, wanted: RegExp): Promise<string> => {
  await of.filter({ hasText: wanted }).first().waitFor();
  return textOf(of.filter({ hasText: wanted }).first());
};

const commit = async (input: Locator, text: string): Promise<void> => {
  await input.fill(text);
  await input.press("Enter");
};
/** A cell of the plan's grid. */
const cell = (page: Page, statistic: number, key: string): Locator =>
  page.getByRole("row", { name: new RegExp(`^Statistic ${statistic}:`) }).locator(`[data-key="${key}"]`);
const type = async (page: Page, statistic: number, key: string, text: string): Promise<void> => {
  await cell(page, statistic, key).press("F2");
  await commit(cell(page, statistic, key).locator("input"), text);
};
const choose = async (page: Page, statistic: number, key: string, value: string): Promise<void> => {
  await cell(page, statistic, key).press("F2");
  await cell(page, statistic, key).locator("select").selectOption(value);
  await page.keyboard.press("Enter");
};
const shares = async (page: Page): Promise<string> =>
  (await page.locator('[data-key="share"]').allInnerTexts()).join(" ");

/** The census example with its five statistics. */
async function example({ page, explore }: Visitor): Promise<Page> {
  await explore("plan");
  await page.getByRole("button", { name: /^Five statistics/ }).click();
  await cell(page, 5, "share").waitFor();
  return page;
}
const classic = (page: Page): Promise<void> => page.getByRole("button", { name: "Classic columns" }).click();

const agent = pageRowsOf("agent");
const fdp = pageRowsOf("fdp");
const risk = pageRowsOf("risk");
const psi = pageRowsOf("psi");

const choosing: readonly PageRow[] = [
  agent(
    7,
    "determines the tradeoff between safeguarding the privacy of individual data points and preserving",
    "within ± 3 in 95 of 100 cases",
    async ({ page, explore }) => {
      await explore("epsilon");
      const chart = page.getByRole("img", { name: /^Error of a count/ });
      const name = /within ± \S+ in 95 of 100 cases/;
      await chart.waitFor();
      return name.exec((await chart.getAttribute("aria-label")) ?? "")?.[0] ?? "not said";
    },
  ),
  agent(75, "consider the following", "4 steps; 10 % becomes at most 24 %", async ({ page, explore }) => {
    await explore("epsilon");
    const steps = page.getByRole("heading", { name: /^\d · / });
    await steps.nth(3).waitFor();
    return `${await steps.count()} steps; 10 % becomes ${await fact(page, "A 10 % suspicion becomes")}`;
  }),
  agent(
    97,
    "consider the following factors",
    "ε 2.2, ε 0.5, ε 2.2, ε 0.0298, ε 0.5, ε 0.5",
    async ({ page, explore }) => {
      await explore("epsilon");
      const moved = page.locator(".shift strong");
      await moved.nth(5).waitFor();
      return (await moved.allInnerTexts()).join(", ");
    },
  ),
  agent(31, "zCDP Composition (when rho=True)", "2.25, exactly 2.24597", async ({ page, explore }) => {
    await explore("accountants");
    await page.getByLabel(/^CSV with a heading/).fill("rho,count\n0.001,100\n");
    await page.getByLabel("Budget ε").fill("5");
    await page.getByText("100 spends in 1 line").waitFor();
    return `${await fact(page, "reported ε")}, exactly ${await page
      .getByTitle(/^2\.245/)
      .first()
      .getAttribute("title")
      .then((title) => Number(title).toPrecision(6))}`;
  }),
  agent(
    67,
    "The diagram below presents an example of Privacy Budget distribution",
    "Public health: 0.6 › Ana Silva: 0.35",
    async ({ page, adults }) => {
      await adults("?tab=budget");
      const spent = / of \S+ spent/;
      const team = page.getByRole("button", { name: /^Public health: / });
      const member = page.getByRole("button", { name: /Ana Silva: / });
      const said = async (of: Locator) => ((await of.getAttribute("aria-label")) ?? "").split(spent)[0];
      return `${await said(team)} › ${await said(member)}`;
    },
  ),
  agent(55, "High values of epsilon (Usually", "0.15 of 0.15, basic; typed 1", async ({ page, explore, adults }) => {
    await explore("epsilon"); // a page that asks for no report
    const report = () => page.waitForResponse((answer) => /ledgers\/[^/]+\/report/.test(answer.url()));
    const own = report();
    await adults("?tab=ledger");
    const { threshold, agent } = await (await own).json();
    const field = page.getByLabel("This report adds up above");
    const shown = `${await field.getAttribute("placeholder")} of ${threshold}, ${agent.method}`;
    const other = report();
    await field.fill("1");
    return `${shown}; typed ${(await (await other).json()).threshold}`;
  }),
  agent(
    121,
    "choose δ\\delta not greater than the inverse of the dataset size",
    "δ = 0.01 is above 1/n = 0.001",
    async ({ page, newLedger }) => {
      await newLedger();
      await page.getByLabel("ε", { exact: true }).fill("1");
      await page.getByLabel("δ", { exact: true }).fill("0.01");
      return (await settledAs(page.locator("main p"), /above 1\/n/)).split(":")[0] ?? "";
    },
  ),
];

const curves: readonly PageRow[] = [
  fdp(68, "pure_dp()  # View the skeleton points", "(0.2689, 0.2689)", async ({ page, explore }) => {
    await explore("trade-offs");
    await commit(page.getByLabel("Type I error α"), "0.37");
    const row = page.getByRole("row", { name: /^\(1,0\)-DP/ });
    await row.getByRole("cell", { name: "0.2318" }).waitFor();
    return textOf(row.getByRole("cell").first());
  }),
  fdp(
    39,
    "states that a randomised mechanism",
    "δ = 0 is pure ε-differential privacy: there is no fixed disclosure risk. P(M(S) ∈ E) ≤ e^ε·P(M(S′) ∈ E) + δ",
    async ({ page, explore }) => {
      await explore("trade-offs");
      await page.getByRole("button", { name: "What is (ε, δ)-differential privacy?" }).click();
      return (await textOf(page.locator(".help-card"))).replace(/^.*(δ = 0 is[^.]+\. )(P\(M\(S\)[^;]+).*$/, "$1$2");
    },
  ),
  risk(
    79,
    "Analytical bound on the empirical risk to achieve a privacy level",
    "0.518356",
    async ({ page, explore }) => {
      await explore("privacy-at-risk?panel=sensitivity&ratio=1.2&samples=15000");
      return fact(page, "Risk");
    },
  ),
  risk(
    99,
    "There are various functions that satisfy these constraints",
    "83,081.05; 84,434.41",
    async ({ page, explore }) => {
      await explore("privacy-at-risk?panel=compensation&bias=100");
      const corrected = await settledAs(page.locator("main dd"), /83,081\.05/);
      await page.getByLabel("Equation (8) with a bias").selectOption("printed");
      return `${corrected}; ${await settledAs(page.locator("main dd"), /84,434\.41/)}`;
    },
  ),
  risk(
    69,
    "Figure 4 shows the plot of number of samples",
    "Samples for an empirical distribution",
    async ({ page, explore }) => {
      await explore("privacy-at-risk?panel=sensitivity");
      const chart = page.getByRole("img", { name: /samples/i }).first();
      await chart.waitFor();
      return ((await chart.getAttribute("aria-label")) ?? "").split(". ")[0] ?? "";
    },
  ),
];

const grid: readonly PageRow[] = [
  psi(8, "Provide metadata", "10 80 5; Each of the 7 answers will be within ± 30 in 95 of 100 cases.", async (at) => {
    const page = await example(at);
    await classic(page);
    await type(page, 3, "lower", "10");
    await type(page, 3, "upper", "80");
    await type(page, 3, "granularity", "5");
    await choose(page, 5, "column", "age");
    await type(page, 5, "bins", "7");
    const bounds = ["lower", "upper", "granularity"].map((key) => textOf(cell(page, 3, key)));
    return `${(await Promise.all(bounds)).join(" ")}; ${await settledAs(page.locator(".plan-foot span"), /the 7 answers/)}`;
  }),
  psi(12, "Control apportioning of privacy budget", "0.4 0.15 0.15 0.15 0.15", async (at) => {
    const page = await example(at);
    await type(page, 1, "share", "0.4");
    await cell(page, 5, "share").filter({ hasText: "0.15" }).waitFor();
    return shares(page);
  }),
  psi(
    18,
    "Census California Public Use Micro Sample (PUMS) Dataset",
    "Split a budget over statistics of “California census sample” and see every error before anything is read. Only the declaration is used. Columns only: it has no rows, so nothing can be released from it.",
    async ({ page, explore }) => {
      await explore("plan");
      return textOf(page.getByText(/Columns only/).first());
    },
  ),
  psi(
    20,
    "Variable\tType\tStatistic\tUpper Bound\tLower Bound\tGranularity\tNumber of bins\tEpsilon\tAccuracy\tHold",
    "Variable, Type, Statistic, Upper bound, Lower bound, Granularity, Number of bins, Epsilon, Accuracy, Beta, Hold, X",
    async (at) => {
      const page = await example(at);
      await classic(page);
      return (await page.getByRole("columnheader").locator("span").allTextContents()).join(", ");
    },
  ),
  psi(
    20,
    "Type",
    "age is one of 0, 1, 2, 3, 4, 5 … now; The statistic needs numbers, and age is one of 0, 1, 2, 3, 4, 5 …; back 0.2 0.2 0.2 0.2 0.2",
    async (at) => {
      const page = await example(at);
      await classic(page);
      await choose(page, 1, "type", "category");
      const said = await settledAs(page.locator(".notice"), /rows wait/);
      const why = await settledAs(page.locator(".fault"), /needs numbers/);
      await page.getByRole("button", { name: "Undo" }).first().click();
      await cell(page, 1, "type").filter({ hasText: "integer" }).waitFor();
      return `${said.split(";")[0]}; ${why}; back ${await shares(page)}`;
    },
  ),
  psi(25, "Epsilon:", "This is “0”, must be a number above 0 and at most 1,000,000. ± 1,000", async (at) => {
    const page = await example(at);
    const epsilon = page.getByLabel("ε for this plan");
    await commit(epsilon, "0");
    const refused = await settledAs(
      page.locator("main p, main div"),
      /^This is “0”, must be a number above 0 and at most 1,000,000\.$/,
    );
    await commit(epsilon, "0.000001");
    await cell(page, 4, "error").filter({ hasText: "1,000" }).waitFor();
    return `${refused} ± ${await textOf(cell(page, 4, "error"))}`;
  }),
  psi(29, "Beta:", "0.07, 0.07", async (at) => {
    const page = await example(at);
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    const beta = page.getByLabel("β, chance of a larger error");
    await commit(beta, "0.07");
    const said = await beta.inputValue();
    await page.keyboard.press("Escape");
    await classic(page);
    await cell(page, 1, "beta").filter({ hasText: "0.07" }).waitFor();
    return `${said}, ${await textOf(cell(page, 1, "beta"))}`;
  }),
  psi(
    31,
    "Secrecy of the Sample:",
    "Functioning ε 2.9, δ 10⁻⁵; Secrecy of the sample and its functioning ε are not settings of this plan",
    async (at) => {
      const page = await example(at);
      await page.getByText(/^Advanced: is this table/).click();
      for (const statement of await page.getByRole("checkbox").all()) await statement.check();
      await commit(page.getByLabel("Secret sample of how many?"), "10000");
      const functioning = await settledAs(page.locator("main p"), /^Functioning ε/);
      await at.adults("/plan");
      await page.getByRole("button", { name: "Settings", exact: true }).click();
      await page.getByText("Secrecy of the sample", { exact: true }).click();
      await page.getByRole("link", { name: "Try both in Explore › Plan" }).waitFor();
      return `${functioning.split(";")[0]}; ${(await settledAs(page.locator("main p"), /^Secrecy of the sample/)).split(":")[0]}`;
    },
  ),
  psi(20, "Epsilon\tAccuracy", "0.6 takes ε 0.5; ε 0.5 gives 0.6", async (at) => {
    const page = await example(at);
    const plain = async (of: Locator, wanted: string) => {
      await of.filter({ hasText: wanted }).waitFor();
      return textOf(of);
    };
    await type(page, 1, "error", "0.6");
    const price = await plain(cell(page, 1, "share"), "0.5");
    await type(page, 1, "share", "0.5");
    return `0.6 takes ε ${price}; ε 0.5 gives ${await plain(cell(page, 1, "error"), "0.6")}`;
  }),
  psi(21, "X", "share held; 0.2 0.267 0.267 0.267", async (at) => {
    const page = await example(at);
    await cell(page, 1, "share").press("Space");
    await cell(page, 1, "hold").filter({ hasText: "share held" }).waitFor();
    await cell(page, 5, "remove").press("Enter");
    await cell(page, 4, "share").filter({ hasText: "0.267" }).waitFor();
    return `${(await textOf(cell(page, 1, "hold"))).replace("Hold: ", "")}; ${await shares(page)}`;
  }),
  psi(
    20,
    "Upper Bound\tLower Bound\tGranularity",
    "Upper must exceed lower: 100 is not above 200. No ε up to 1,000,000 reaches an error of 1e-9.",
    async (at) => {
      const page = await example(at);
      await classic(page);
      const fault = page.locator(".plan-grid .fault");
      await type(page, 1, "lower", "200");
      const bound = await settledAs(fault, /Upper must exceed/);
      await type(page, 3, "error", "0.000000001");
      return `${bound} ${await settledAs(fault, /No ε up to/)}`;
    },
  ),
  psi(49, "Interactivity", "ε for this plan. 5 errors changed", async (at) => {
    const page = await example(at);
    await commit(page.getByLabel("ε for this plan"), "2");
    return (await settledAs(page.getByRole("status"), /^ε for this plan\./)).split(";")[0] ?? "";
  }),
];

const onDataset: readonly PageRow[] = [
  psi(27, "Delta:", "δ 0.00000002, read-only; δ, the chance of failure", async ({ page, adults }) => {
    await adults("/plan");
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    const delta = page.getByLabel("δ, from the budget");
    const value = await delta.inputValue();
    await page.getByRole("button", { name: "What is δ, the chance of failure?" }).first().click();
    return `δ ${value}, ${(await delta.isEditable()) ? "editable" : "read-only"}; ${await textOf(page.locator(".help-card strong"))}`;
  }),
  psi(35, "Submit", "count; Spend ε 0.1 and release; receipt of ε 0.1", async ({ page, adults }) => {
    await adults("/plan");
    await page.getByRole("button", { name: "Count", exact: true }).click();
    await commit(page.getByLabel("ε for this plan"), "0.1");
    await page.getByText("fits", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Review and release" }).click();
    const asked = page.getByRole("dialog").getByRole("rowheader");
    await asked.first().waitFor();
    const plan = await asked.allInnerTexts();
    const spend = page.getByRole("button", { name: /^Spend/ });
    const button = await textOf(spend);
    await spend.click();
    await page.getByRole("heading", { name: "Receipt and exact statement" }).click();
    return `${plan}; ${button}; receipt of ε ${await fact(page, "ε spent")}`;
  }),
];

/** Every row of the walk that names a page, as it is seen there. */
export const pageRows: readonly PageRow[] = [...choosing, ...curves, ...grid, ...onDataset];
