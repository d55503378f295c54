import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessible, expectNoSideways, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";

const reason = whyNoBrowser();

describe.skipIf(reason !== null)("drafts of plans", () => {
  const demo = stage(openDemo);

  async function signIn(name: string, width = 1440) {
    const visit = await demo.visit({ viewport: { width, height: 900 } });
    await visit.page.goto(await demo.host.link(name));
    await visit.page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
    return visit;
  }
  const card = (page: Page) => page.getByRole("region", { name: /^Draft/ });

  test("Ana keeps a plan, shares it with her team and talks about it with Ben, who opens it from its address", async () => {
    const ana = await signIn("Ana");
    const adults = (await demo.host.operator.listDatasets({ name: "adults" })).items[0];
    await ana.page.goto(`${demo.host.url}/datasets/${adults?.id}/plan`);
    await ana.page.getByRole("button", { name: "Count", exact: true }).click();
    await ana.page.getByRole("button", { name: "Drafts", exact: true }).click();
    await ana.page.getByText("No drafts yet").waitFor();
    await expectAccessible(ana.page);
    await ana.page.getByLabel("Keep this plan as").fill("Monthly count");
    await ana.page.getByRole("button", { name: "Save the draft" }).press("Enter");
    await card(ana.page)
      .getByText(/the plan is as it was saved/)
      .waitFor();
    await card(ana.page).getByLabel("Who reads it").selectOption({ label: "people of Public health" });

    // A change of the plan is seen, and saved when she says so.
    await ana.page.getByRole("button", { name: "Add a statistic" }).click();
    await ana.page.getByRole("row", { name: /^Statistic 2:/ }).waitFor();
    await ana.page
      .getByRole("row", { name: /^Statistic 2:/ })
      .locator('[data-label="Statistic"]')
      .press("Enter");
    await ana.page
      .getByRole("row", { name: /^Statistic 2:/ })
      .locator('[data-label="Statistic"] input[role=combobox]')
      .fill("mean");
    await ana.page.keyboard.press("Enter");
    await ana.page
      .getByRole("row", { name: /^Statistic 2:/ })
      .locator('[data-label="Variable"]')
      .press("Enter");
    await ana.page
      .getByRole("row", { name: /^Statistic 2:/ })
      .locator('[data-label="Variable"] select')
      .selectOption("age");
    await ana.page.keyboard.press("Enter");
    await card(ana.page)
      .getByText(/the plan has changed since it was saved/)
      .waitFor();
    await card(ana.page).getByRole("button", { name: "Save changes" }).click();
    await card(ana.page)
      .getByText(/the plan is as it was saved/)
      .waitFor();
    await card(ana.page).getByLabel("Your comment").fill("Enough for the report?");
    await card(ana.page).getByRole("button", { name: "Comment", exact: true }).click();
    await card(ana.page).getByRole("listitem").getByText("Enough for the report?").waitFor();
    await expectAccessible(ana.page);

    const ben = await signIn("Ben", 390);
    const address = new URL(ana.page.url());
    address.searchParams.delete("account");
    await ben.page.goto(address.href);
    await card(ben.page)
      .getByText(/By Ana Silva/)
      .waitFor();
    await ben.page.getByRole("row", { name: /^Statistic 2:/ }).waitFor();
    expect(await card(ben.page).getByRole("button", { name: "Delete" }).count()).toBe(0);
    await card(ben.page).getByLabel("Your comment").fill("Add the median.");
    await card(ben.page).getByRole("button", { name: "Comment", exact: true }).click();
    await card(ben.page).getByRole("listitem").getByText("Add the median.").waitFor();
    await expectNoSideways(ben.page);
    await expectAccessible(ben.page);

    // Who is not in the team does not see it, an admin of the instance included.
    const [draft] = (await demo.host.operator.listDrafts({ dataset: adults?.id ?? "" })).items;
    expect(draft).toBeUndefined();

    await ana.page.reload();
    await card(ana.page).getByRole("listitem").getByText("Add the median.").waitFor();
    await card(ana.page).getByRole("button", { name: "Delete" }).click();
    await ana.page.getByRole("button", { name: "Delete the draft" }).click();
    await expect.poll(() => card(ana.page).count()).toBe(0);
    await ana.page.getByRole("row", { name: /^Statistic 2:/ }).waitFor();
    expect(ana.troubles).toEqual([]);
    expect(ben.troubles).toEqual([]);
  });
});
