import type { Client } from "@dosimeter/client";
import type { Browser, Cookie, Page } from "playwright-core";
import { forgetPlans } from "./browser.kit.ts";
import { openDemo, openFresh, openPlatform } from "./demo.kit.ts";

export const WIDTHS = [1440, 390] as const;
export const heightOf = (width: number): number => (width < 800 ? 844 : 900);

/** A demo with people and releases, a platform with one admin, and one without. */
export async function openStates() {
  const [demo, platform, fresh] = await Promise.all([openDemo(), openPlatform("Ada Admin"), openFresh()]);
  const owner = await ownerOf(platform.operator);
  const close = async () => void (await Promise.all([demo, platform, fresh].map((place) => place.close())));
  return { demo, platform, fresh, owner, sessions: new Map<string, readonly Cookie[]>(), close };
}

/** A person with a dataset whose lifetime budget is not decided. */
async function ownerOf(operator: Client): Promise<{ readonly person: string; readonly dataset: string }> {
  const { id: person } = await operator.createPerson({ name: "Olga Owner" });
  const { id: file } = await operator.uploadFile({
    name: "wards.csv",
    content: new TextEncoder().encode("age,ward\n41,A\n"),
  });
  const columns = {
    age: { type: "integer", lower: 0, upper: 110 },
    ward: { type: "category", categories: ["A", "B"] },
  };
  const declaration = { privacyUnit: "row", columns };
  const { id: dataset } = await operator.createDataset({ file, name: "wards", declaration });
  await operator.grantRole({ person, role: "datasetAdmin", object: { kind: "dataset", id: dataset } });
  return { person, dataset };
}

type Places = Awaited<ReturnType<typeof openStates>>;

/** Brings a page with no past to the state. */
type State = (page: Page, places: Places) => Promise<void>;

/** A page of its own, in a browser context without motion. */
export async function pageOf(browser: Browser, width: number): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: heightOf(width) }, reducedMotion: "reduce" });
  return context.newPage();
}

/** Nothing is loading any more. */
async function loaded(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForLoadState("networkidle");
  await page.waitForFunction(() => document.querySelector(".mantine-Skeleton-root") === null);
}

const open =
  (path: string, place: "demo" | "fresh" = "demo"): State =>
  async (page, places) => {
    await page.goto(places[place].url + path);
    await loaded(page);
  };

/** Signs a person in through a link, once: later pages have the cookie that it gave. */
async function signIn(page: Page, { sessions }: Places, person: string, link: () => Promise<string>): Promise<void> {
  const known = sessions.get(person);
  if (known !== undefined) return page.context().addCookies([...known]);
  await page.goto(await link());
  await page.getByRole("heading", { level: 1, name: /^Welcome/ }).waitFor();
  sessions.set(person, await page.context().cookies());
}

/** At `path` as the person of the demo whose name begins with `name`. */
const as =
  (name: string, path = "/", then?: (page: Page) => Promise<void>): State =>
  async (page, places) => {
    const { demo } = places;
    await signIn(page, places, name, () => demo.link(name));
    await page.goto(`${demo.url}/explore`);
    await forgetPlans(page);
    await page.goto(demo.url + path);
    await loaded(page);
    await then?.(page);
    await loaded(page);
  };

const asAdmin =
  (path = "/"): State =>
  async (page, places) => {
    const { platform } = places;
    await signIn(page, places, "Ada", () => platform.link("Ada"));
    await page.goto(platform.url + path);
    await loaded(page);
  };

const asOwner: State = async (page, places) => {
  const { platform, owner } = places;
  await signIn(page, places, owner.person, () => platform.linkOf(owner.person));
  await page.goto(`${platform.url}/datasets/${owner.dataset}/open`);
  await loaded(page);
};

const tab = (key: string): State => as("Dana", `/datasets/adults?tab=${key}`);

/** Three rows: a suggestion, and two that are chosen in the table. */
async function plan(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Count", exact: true }).click();
  const rows = [
    { Statistic: "mean", Variable: "age" },
    { Statistic: "histogram", Variable: "education" },
  ];
  for (const [index, choices] of rows.entries()) {
    await page.getByRole("button", { name: "Add a statistic" }).click();
    for (const [heading, value] of Object.entries(choices)) {
      const row = page.getByRole("row", { name: new RegExp(`^Statistic ${index + 2}:`) });
      const cell = row.locator(`[data-label="${heading}"]`);
      await cell.press("Enter");
      if (heading === "Statistic") await cell.locator("input[role=combobox]").fill(value);
      else await cell.locator("select").selectOption(value);
      await page.keyboard.press("Enter");
    }
  }
  await page.getByText("fits", { exact: true }).waitFor();
}

/** One row for more than there is. */
async function planTooMuch(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Count", exact: true }).click();
  const share = page.getByRole("row", { name: /^Statistic 1:/ }).locator('[data-label="Share of ε"]');
  await share.press("F2");
  await share.locator("input").fill("400");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /does not fit$/ }).waitFor();
}

const planDetails = async (page: Page): Promise<void> => {
  await plan(page);
  await page.getByRole("button", { name: "Details" }).first().click();
};

/** The newest release whose title has this word. */
const release = (word: string): State =>
  as("Ana", "/releases", async (page) => {
    await page
      .getByRole("link", { name: new RegExp(word) })
      .first()
      .click();
    await page.getByText("Receipt and exact statement").waitFor();
  });

/** 27 states of the pages, by name. */
export const states = {
  landing: open("/"),
  "sign-in": open("/sign-in"),
  "first-admin": open("/", "fresh"),
  "home-analyst": as("Ana"),
  "home-steward": as("Dana"),
  "home-empty": asAdmin(),
  datasets: as("Ana", "/datasets"),
  "dataset-overview": as("Ana", "/datasets/adults"),
  "dataset-columns": tab("columns"),
  "dataset-budget": tab("budget"),
  "dataset-ledger": tab("ledger"),
  "dataset-governance": tab("governance"),
  "plan-empty": as("Ana", "/datasets/adults/plan"),
  plan: as("Ana", "/datasets/adults/plan", plan),
  "plan-over-budget": as("Ana", "/datasets/adults/plan", planTooMuch),
  "plan-details": as("Ana", "/datasets/adults/plan", planDetails),
  "release-scalar": release("Count"),
  "release-chart": release("Histogram"),
  requests: as("Ana", "/requests"),
  team: as("Lea", "/teams/Public health"),
  people: asAdmin("/people"),
  "new-dataset": asAdmin("/datasets/new"),
  "open-ledger": asOwner,
  audit: asAdmin("/audit"),
  accountants: open("/explore/accountants"),
  "privacy-at-risk": open("/explore/privacy-at-risk"),
  "not-found": as("Ana", "/no-such-page"),
} as const satisfies Record<string, State>;
