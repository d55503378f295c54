import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessible, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";

const reason = whyNoBrowser();
const ADMIN = "Dana";

describe.skipIf(reason !== null)("quotas in the browser", () => {
  const demo = stage(openDemo);

  async function datasetAs(name: string, width = 1440) {
    const { page, context, troubles } = await signedIn(demo, name, { viewport: { width, height: 900 } });
    await page.goto(`${demo.url}/datasets`);
    await page.getByRole("link", { name: "adults", exact: true }).click();
    await page.getByRole("tab", { name: "Budget" }).click();
    await page.getByRole("heading", { name: "Budgets" }).waitFor();
    return { page, context, troubles };
  }

  const row = (page: Page, name: string) => page.locator(".tree-row").filter({ hasText: name });

  test("an account is opened, given more, taken back from, frozen and closed", async () => {
    const { page, troubles } = await datasetAs(ADMIN);
    const dialog = page.getByRole("dialog");
    const change = async (who: string, choice: string, button: string, epsilon?: string) => {
      await page.getByRole("button", { name: `Change the budget of ${who}` }).click();
      await dialog.getByLabel(choice).check();
      if (epsilon !== undefined) await dialog.getByLabel("ε", { exact: true }).fill(epsilon);
      await dialog.getByRole("button", { name: button, exact: true }).click();
    };
    await page.getByRole("button", { name: "Give budget to …" }).click();
    await dialog.getByLabel("For", { exact: true }).selectOption({ label: "Audrey Chen" });
    await dialog.getByLabel("ε", { exact: true }).fill("0.1");
    await dialog.getByRole("button", { name: "Give budget" }).click();
    await dialog.getByText("QUOTA_UNAVAILABLE").waitFor();
    await dialog.getByRole("button", { name: "Back" }).click();
    await change("Labour economics", "Take some back", "Take back", "0.5");
    await row(page, "Labour economics").getByText("of 2.5").waitFor();
    await page.getByRole("button", { name: "Give budget to …" }).click();
    await dialog.getByLabel("For", { exact: true }).selectOption({ label: "Audrey Chen" });
    await dialog.getByLabel("ε", { exact: true }).fill("0.1");
    await dialog.getByRole("button", { name: "Give budget" }).click();
    await row(page, "Audrey Chen").getByText("of 0.1").waitFor();

    await change("Audrey Chen", "Give it more", "Give", "0.05");
    await row(page, "Audrey Chen").getByText("of 0.15").waitFor();
    await change("Audrey Chen", "Take some back", "Take back", "9");
    await dialog.getByText("QUOTA_UNAVAILABLE").waitFor();
    await dialog.getByLabel("ε", { exact: true }).fill("0.1");
    await dialog.getByRole("button", { name: "Take back", exact: true }).click();
    await row(page, "Audrey Chen").getByText("of 0.05").waitFor();
    await change("Audrey Chen", "Freeze: refuse new charges for now", "Freeze");
    await row(page, "Audrey Chen").getByText("frozen").waitFor();
    await change("Audrey Chen", "Close for good", "Close the budget");
    await row(page, "Audrey Chen").getByText("closed").waitFor();
    expect(await row(page, "Audrey Chen").getByRole("button").count(), "there is no way back").toBe(0);
    expect(troubles.filter((trouble) => !trouble.includes("409"))).toEqual([]);
  });

  test("an analyst sees no way to change quotas; the dialogs are accessible and fit a phone", async () => {
    const ana = await datasetAs("Ana");
    expect(await ana.page.getByRole("button", { name: /^Change the budget/ }).count()).toBe(0);
    expect(await ana.page.getByRole("button", { name: "Give budget to …" }).count()).toBe(0);
    await ana.page.getByText("Each row shows what the row above gave out.").waitFor();
    expect(await ana.page.getByText("Drag the line between two boxes").count()).toBe(0);
    await ana.context.close();
    const { page } = await datasetAs(ADMIN, 390);
    await page.getByText("Drag the line between two boxes").waitFor();
    for (const name of [/^Change the budget/, "Give budget to …"]) {
      const opener = page.getByRole("button", { name }).first();
      await opener.press("Enter");
      await page.getByRole("dialog").getByRole("button", { name: "Back" }).waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.matches("input, select"))).toBe(true);
      await expectNoSideways(page);
      await expectAccessible(page);
      await page.keyboard.press("Escape");
      await expect
        .poll(() => opener.evaluate((it) => it === document.activeElement), { message: "the focus is back" })
        .toBe(true);
    }
  });
});
