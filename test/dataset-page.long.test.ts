import type { Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessible, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";

const reason = whyNoBrowser();

describe.skipIf(reason !== null)("the dataset page", () => {
  const demo = stage(openDemo);

  async function datasetAs(name: string, width = 1440) {
    const { page, context, troubles } = await signedIn(demo, name, { viewport: { width, height: 900 } });
    await page.goto(`${demo.url}/datasets`);
    await page.getByRole("link", { name: "adults", exact: true }).click();
    await page.getByRole("heading", { name: "Released answers" }).waitFor();
    return {
      page,
      context,
      troubles,
      open: (tab: string) => page.getByRole("tab", { name: tab, exact: true }).click(),
    };
  }

  test("an analyst’s overview fits one screen: the budget, the guarantee, the answers and what to do next", async () => {
    const { page, troubles } = await datasetAs("Ana");
    await page.getByText("protects one person · about 20,000 people").waitFor();
    await page
      .getByRole("img", { name: /^Budget of Public health › Ana Silva\. Of ε 1: spent ε 0\.35, free/ })
      .waitFor();
    await page.getByText("About 6 more like your last").waitFor();
    await page
      .getByText(/^Whatever anyone asks, no one learns much more about one person than ε = 5 allows\.$/)
      .waitFor();
    const released = page.getByRole("region", { name: "Released answers" });
    await released.getByRole("img", { name: /^Mean of Income a year by Highest schooling\. / }).waitFor();
    await released.getByRole("link", { name: "Count", exact: true }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(900);
    await expectAccessible(page);

    // The address names the tab; arrow keys open the next one, and the browser goes back.
    await page.getByRole("tab", { name: "Overview", selected: true }).press("ArrowRight");
    await page.getByRole("rowheader", { name: "income" }).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe("?tab=columns");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Columns");
    await page.reload();
    await page.getByRole("tab", { name: "Columns", selected: true }).waitFor();
    await page.goBack();
    await page.getByRole("tab", { name: "Overview", selected: true }).waitFor();
    expect(troubles).toEqual([]);
  });

  test.each(["Ana", "Dana"])(
    "for %s the overview takes at most 25 requests, and nothing on it moves while it loads",
    async (name) => {
      const { page } = await datasetAs(name);
      await page.waitForLoadState("networkidle"); // what the first load still asks for is no part of the second
      const requests: string[] = [];
      page.on("request", (request) => requests.push(new URL(request.url()).pathname));
      await page.addInitScript(`
      window.shift = 0;
      new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) shift += one.value; })
        .observe({ type: "layout-shift", buffered: true });`);
      await page.reload();
      await page.getByRole("heading", { name: "Released answers" }).waitFor();
      await page.waitForLoadState("networkidle");
      expect(requests.length, requests.join(" ")).toBeLessThanOrEqual(25);
      expect(await page.evaluate("shift")).toBeLessThanOrEqual(0.02);
    },
  );

  test("it says what was promised and spent with the certificate, and every accountant next to AGENT's", async () => {
    const { page, troubles, open } = await datasetAs("Ana");
    const guarantee = page.getByRole("region", { name: "The guarantee" });
    await guarantee.getByText("Exact statement").click();
    await guarantee.getByText(/^Promised: \(5, 0\.000001\)-DP .* spent so far: a loss of at most ε = 0\.6 /).waitFor();
    await guarantee.getByText("Spent: M51").waitFor();
    await guarantee.getByRole("link", { name: "Verify" }).click();
    const reports = page.getByRole("region", { name: "Totals by accountant" });
    await reports.getByRole("rowheader", { name: /Rényi/ }).waitFor();
    await reports.getByRole("img", { name: /Every accountant’s total over time/ }).waitFor();
    await reports.getByRole("region", { name: "As AGENT reports it" }).waitFor();
    await reports.getByLabel("Of", { exact: true }).selectOption({ label: "Public health › Ana Silva" });
    await reports.getByText("can learn as much as the total").waitFor();
    await reports.getByText(/^Total of 2 charges/).waitFor();
    await reports.getByLabel("δ of the totals").fill("2");
    await reports.getByText("This is “2”, must be a number of at least 0 and below 1.").waitFor();
    await reports.getByLabel("δ of the totals").fill("1e-13");
    await reports.getByText(/^Total of 2 charges at δ = 10⁻¹³/).waitFor();
    await reports.getByLabel("δ of the totals").fill("");
    const on = await reports.getByLabel("δ of the totals").evaluate(async (input) => {
      const seen: boolean[] = [];
      const see = async () => {
        document.body.append(document.createElement("i"));
        await new Promise((drawn) => setTimeout(drawn, 20));
        seen.push(document.activeElement === input);
      };
      const around = input.parentElement;
      around?.parentElement?.insertBefore(around, around.nextSibling);
      await see();
      (input as HTMLInputElement).blur();
      await see();
      return seen;
    });
    expect(on, "the focus stays on what is moved, and nothing brings it back to what was left").toEqual([true, false]);
    await open("Budget");
    // The number of the overview.
    await page.getByText("About 6 more like your last").waitFor();
    // What she has nothing to do in has no tab; its address opens it all the same.
    const tabs = async () => (await page.getByRole("tab").allInnerTexts()).join(" ");
    expect(await tabs()).toBe("Overview Columns Budget");
    await page.goto(`${demo.url}/datasets/adults?tab=governance`);
    const access = page.getByRole("region", { name: "Access", exact: true });
    await access.getByText(/as far as you can see/).waitFor();
    await access.getByRole("row", { name: /^Public health divides it/ }).waitFor();
    expect(await tabs()).toBe("Overview Columns Budget Governance");
    expect(await access.getByText("Ben Okafor").count(), "whose account is nobody's business").toBe(0);
    await expectAccessible(page);
    expect(troubles).toEqual([]);
  });

  test("the tree is walked with the arrow keys, and quota is transferred between branches", async () => {
    const { page, open } = await datasetAs("Dana");
    await open("Budget");
    const cell = (name: RegExp) => page.getByRole("button", { name });
    await cell(/^Public health: 0\.6 of 2 spent/).focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toMatch(/^Labour/);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const chosen = page.getByRole("region", { name: "Public health › Ana Silva" });
    await chosen.getByText("Budget ε").waitFor();
    await cell(/^Labour economics/).click();
    await page.getByRole("region", { name: "Labour economics" }).getByRole("button", { name: "Change" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Give some of it to another budget").check();
    await dialog.getByLabel("To", { exact: true }).selectOption({ label: "Public health › Ben Okafor" });
    await dialog.getByLabel("ε", { exact: true }).fill("0.5");
    await dialog.getByRole("button", { name: "Transfer" }).click();
    await cell(/^Public health: 0\.6 of 2\.5 spent/).waitFor();
    await cell(/^Ben Okafor: 0\.25 of 1\.1 spent/).waitFor();

    // A boundary is moved by keys and by dragging; both show before and after, and one button makes it so.
    const boundary = page.getByRole("separator", { name: "Boundary between Public health and Labour economics" });
    const value = () => boundary.getAttribute("aria-valuenow");
    const moved = page.getByRole("region", { name: "Moved boundary" });
    expect(await value()).toBe("2.5");
    await boundary.press("ArrowRight");
    await boundary.press("ArrowRight");
    await moved
      .getByRole("listitem")
      .filter({ hasText: /Public health.*2\.5.*→.*2\.7/ })
      .waitFor();
    expect(await value()).toBe("2.7");
    await boundary.press("Home");
    expect(await value(), "what is spent or given on stays").toBe("2.3");
    await boundary.press("Escape");
    await moved.waitFor({ state: "detached" });
    await boundary.hover();
    const at = await boundary.boundingBox();
    await page.mouse.down();
    await page.mouse.move((at?.x ?? 0) + 6 - 100, (at?.y ?? 0) + 10, { steps: 4 });
    await page.mouse.up();
    const less = Number(await value());
    expect(less).toBeLessThan(2.5);
    await expectAccessible(page);
    await moved.getByRole("button", { name: /^Move ε \S+ from Public health to Labour economics$/ }).click();
    await moved.waitFor({ state: "detached" });
    await cell(new RegExp(`^Public health: 0\\.6 of ${String(less).replace(".", "\\.")} spent`)).waitFor();
  });

  test("a lifetime is raised with a reason; the page shows the sentence before, and the versions after", async () => {
    const { page, open } = await datasetAs("Dana");
    await open("Governance");
    await page.getByRole("button", { name: "Raise the lifetime" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("ε", { exact: true }).first().fill("6");
    await dialog.getByText(/no unconditional sentence exists/).waitFor();
    await dialog.getByText("Help me choose ε").click();
    await dialog.getByText("How sensitive is the data?").waitFor();
    await dialog.getByLabel("Why").fill("a second wave of questions");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Ask for it" }).click();
    // The demo's other platform admin cannot sign in: either no other person could have agreed, or one must.
    await page
      .getByText(/a second wave of questions/)
      .first()
      .waitFor();
  });

  test("the lines of the ledger can be filtered, and the switch shows every account before and after", async () => {
    const { page, context, open } = await datasetAs("Dana");
    await open("Ledger");
    const lines = page.getByRole("region", { name: "Ledger", exact: true });
    await lines.getByLabel("What", { exact: true }).selectOption({ label: "opened" });
    await expect.poll(() => lines.getByRole("rowheader").count()).toBe(1);
    await lines.getByLabel("What", { exact: true }).selectOption({ label: "everything" });
    await lines.getByLabel("Who", { exact: true }).selectOption({ label: "Ben Okafor" });
    await expect.poll(() => lines.getByRole("rowheader").count()).toBe(1);
    await lines.getByText("Every change on this ledger and every refusal").click();
    await lines.getByRole("row", { name: /Dana Ortiz opened a ledger/ }).waitFor();
    await page.getByRole("button", { name: "Recompute in this browser" }).click();
    await page.getByRole("heading", { name: "It adds up" }).waitFor();
    await page.route("**/v1/ledgers/*/export", async (route) => {
      const response = await route.fetch();
      const forged = (await response.text()).replace(/("table":"entry".*?)250000000000/, "$1200000000000");
      await route.fulfill({ response, body: forged });
    });
    await page.getByRole("button", { name: "Recompute in this browser" }).click();
    await page.getByRole("heading", { name: "It does not add up" }).waitFor();
    await page.getByText(/charges less ε than its events cost/).waitFor();
    await open("Governance");
    await page.getByText("Rule, overbooking, freezing").click();
    await page.getByRole("link", { name: /What a switch/ }).click();
    await page.getByRole("heading", { level: 1, name: "Switch to the tight rule" }).waitFor();
    await page.getByRole("rowheader", { name: "Ana Silva" }).waitFor();
    expect(await page.getByRole("button", { name: "Switch once and for good" }).isDisabled()).toBe(true);
    await expectAccessible(page);

    // The server goes away under an open page, or from behind its proxy, or the network does, and comes back. Each page has
    // something to ask for: no list of the first two is here yet, and that of the third is older than five seconds.
    const region = page.locator("#root > [role=status]");
    const refuseAll = (answer: (route: Route) => Promise<void>) => ({
      leave: () => context.route("**/v1/**", answer),
      comeBack: () => context.unroute("**/v1/**"),
    });
    for (const [place, back, { leave, comeBack }] of [
      ["Releases", page.getByRole("table"), refuseAll((route) => route.abort())],
      [
        "Teams",
        page.getByRole("main").getByRole("link", { name: "Public health", exact: true }),
        refuseAll((route) => route.fulfill({ status: 502, contentType: "text/html", body: "Bad Gateway" })),
      ],
      [
        "Datasets",
        page.getByRole("main").getByRole("link", { name: "adults", exact: true }),
        { leave: () => context.setOffline(true), comeBack: () => context.setOffline(false) },
      ],
    ] as const) {
      expect(await region.textContent(), "a region that is read when it is filled").toBe("");
      await leave();
      await page.getByRole("link", { name: place, exact: true }).click();
      await region.filter({ hasText: "has not answered since" }).waitFor();
      await comeBack();
      await expect.poll(() => region.textContent()).toBe("");
      await back.first().waitFor();
    }
  });

  test("it fits a phone", async () => {
    const { page } = await datasetAs("Ana", 390);
    for (const [tab, seen] of [
      ["Columns", page.getByRole("rowheader", { name: "income" })],
      ["Budget", page.getByRole("heading", { name: "Saved by reuse" })],
      ["Governance", page.getByRole("heading", { name: "Amendments" })],
      ["Ledger", page.getByRole("region", { name: "As AGENT reports it" })],
    ] as const) {
      await page.goto(`${demo.url}/datasets/adults?tab=${tab.toLowerCase()}`);
      await seen.waitFor();
      await expectNoSideways(page);
      await expectAccessible(page);
    }
    await page.getByRole("rowheader", { name: "Line 4", exact: true }).waitFor();
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("link", { name: "Plan a release" }).isVisible(), "paper is not clicked").toBe(false);
    expect(await page.getByRole("button", { name: /^Download/ }).count()).toBe(0);
    await page.emulateMedia({ media: "screen" });
    await page.goto(`${demo.url}/datasets/dat_nothing`);
    await page.getByRole("heading", { level: 1, name: "Dataset" }).waitFor();
    await page.getByText("NOT_FOUND").waitFor();
    await page.getByRole("link", { name: "Go home" }).click();
    await page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
    await page.goto(`${demo.url}/audit`);
    await page.getByRole("heading", { name: /Only admins and auditors of the platform read these lines/ }).waitFor();
  });
});
