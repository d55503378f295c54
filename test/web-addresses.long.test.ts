import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";

const reason = whyNoBrowser();

describe.skipIf(reason !== null)("addresses that can be read", () => {
  const demo = stage(openDemo);

  test("a dataset is at its name; an address with its id becomes that one, and leaves no step behind", async () => {
    const { page, troubles } = await signedIn(demo, "Ana");
    const link = page.getByRole("main").getByRole("link", { name: "adults", exact: true });
    await expect.poll(() => link.getAttribute("href"), { message: "on the home page" }).toBe("/datasets/adults");
    await page.getByRole("link", { name: "Datasets", exact: true }).click();
    await heading(page, "Datasets").waitFor();
    await expect.poll(() => link.getAttribute("href")).toBe("/datasets/adults");
    await link.click();
    await heading(page, "adults").waitFor();
    await expect.poll(() => pathOf(page)).toBe("/datasets/adults");
    await page.reload();
    await heading(page, "adults").waitFor();
    await page.getByRole("link", { name: "Plan a release" }).click();
    await page.waitForURL(/\/datasets\/adults\/plan\?account=/);
    await page.reload();
    await page.getByRole("button", { name: "Count", exact: true }).waitFor();
    expect(page.url()).toMatch(/\/datasets\/adults\/plan\?account=/);

    const id = await idOf(page, "datasets", "adults");
    await page.goto(`${demo.url}/teams`);
    await heading(page, "Teams").waitFor();
    await page.goto(`${demo.url}/datasets/${id}`);
    await page.waitForURL(`${demo.url}/datasets/adults`);
    await heading(page, "adults").waitFor();
    await page.goBack();
    await page.waitForURL(`${demo.url}/teams`);
    expect(troubles).toEqual([]);
  });

  test("an address with a name survives a sign-in, and one of another person's thing says what an absent one says", async () => {
    const { page, context } = await demo.visit();
    await page.goto(`${demo.url}/datasets/adults/released`);
    await page.waitForURL(/sign-in\?next=%2Fdatasets%2Fadults%2Freleased/);
    await context.close();
    const ana = await signedIn(demo, "Ana");
    await open(ana.page, "teams", "hers");
    const ben = await signedIn(demo, "Ben");
    const said = [];
    for (const path of ["/teams/hers", "/teams/nobodys", "/datasets/nothing", "/datasets/nothing/plan"]) {
      await ben.page.goto(demo.url + path);
      await heading(ben.page, "Page not found").waitFor();
      said.push(await ben.page.getByRole("main").innerText());
    }
    expect(new Set(said).size).toBe(1);
  });

  test("names with spaces, dots, signs and other scripts are addresses; those of a path, a page or an id are not", async () => {
    const { page, troubles } = await signedIn(demo, "Ana");
    for (const name of ["two words", "Größe 100 %", "データ?#", "v1.2.csv", "new", "tem_look", "a/b"]) {
      const id = await open(page, "teams", name);
      await page.goto(`${demo.url}/teams`);
      await page.getByRole("main").getByRole("link", { name, exact: true }).click();
      await heading(page, name).waitFor();
      const isName = !["new", "tem_look", "a/b"].includes(name);
      await expect.poll(() => pathOf(page)).toBe(`/teams/${isName ? encodeURIComponent(name) : id}`);
      await page.reload();
      await heading(page, name).waitFor();
      await expect.poll(() => pathOf(page)).toBe(`/teams/${isName ? encodeURIComponent(name) : id}`);
    }
    expect(troubles).toEqual([]);
  });

  test("a name that two have leads to both, and each keeps its id", async () => {
    const ids = [];
    for (const name of ["Ana", "Ben"]) {
      const { page, context } = await signedIn(demo, name);
      ids.push(await open(page, "teams", "pair"));
      await context.close();
    }
    const { page } = await signedIn(demo, "Lea");
    const { items } = await demo.host.operator.listPeople({ limit: 200 });
    const lea = items.find(({ name }) => name === "Lea Park")?.id ?? "";
    for (const team of ids) await demo.host.operator.addMember({ team, person: lea });
    await page.goto(`${demo.url}/teams/pair`);
    await page.waitForURL(/\/search\?text=pair/);
    const links = page.getByRole("main").getByRole("link", { name: "pair" });
    await links.nth(1).waitFor();
    const found = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    expect(found.toSorted()).toEqual(ids.map((id) => `/teams/${id}`).toSorted());
    await links.first().click();
    await heading(page, "pair").waitFor();
    expect(ids.map((id) => `/teams/${id}`)).toContain(pathOf(page));
  });
});

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true });

const pathOf = (page: Page) => new URL(page.url()).pathname;

/** Opens a team as the person who is signed in. */
const open = (page: Page, kind: "teams", name: string): Promise<string> =>
  page.evaluate(
    async ([path, body]) => {
      const headers = { "content-type": "application/json", "x-dosimeter": "1" };
      const answer = await fetch(path, { method: "POST", headers, body });
      if (!answer.ok) throw new Error(await answer.text());
      return ((await answer.json()) as { readonly id: string }).id;
    },
    [`/v1/${kind}`, JSON.stringify({ name })] as const,
  );

const idOf = (page: Page, kind: string, name: string): Promise<string> =>
  page.evaluate(
    async (path) =>
      ((await (await fetch(path)).json()) as { readonly items: { readonly id: string }[] }).items[0]?.id ?? "",
    `/v1/${kind}?name=${encodeURIComponent(name)}`,
  );
