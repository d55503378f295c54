import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { launch } from "../test/demo.kit.ts";
import { openStates, pageOf, states } from "../test/states.kit.ts";
const folder = "/tmp/pics17a";
await mkdir(folder, { recursive: true });
const [browser, places] = await Promise.all([launch(), openStates()]);
const demo = places.demo;
const settle = async (page) => { await page.waitForLoadState("networkidle"); await page.waitForTimeout(400); };
for (const width of [1440, 390] as const) {
  const shot = async (page, name) => { await page.screenshot({ path: join(folder, `${name}-${width}.png`), fullPage: true }); console.log(name, width); };
  const guard = async (name, body) => { try { await body(); } catch (e) { console.log("FAILED", name, width, String(e).slice(0, 400)); } };
  for (const name of ["plan-details", "release-scalar", "home-analyst", "open-ledger"] as const)
    await guard(name, async () => { const page = await pageOf(browser, width); await states[name](page, places); await settle(page); await shot(page, name); await page.context().close(); });
  const page = await pageOf(browser, width);
  page.on("console", (m) => { if (m.type() === "error") console.log("console", page.url(), m.text()); });
  await page.goto(`${demo.url}/datasets/adults/plan`); await settle(page); await shot(page, "signed-out-link"); 
  await page.goto(await demo.link("Dana")); await settle(page);
  await guard("activity", async () => { await page.goto(`${demo.url}/activity`); await settle(page); await shot(page, "activity"); });
  await guard("public", async () => {
    const { items } = await demo.operator.listDatasets({});
    const { population } = await demo.operator.showLedger({ ledger: items.find((i) => i.name === "adults").ledger.id });
    await demo.operator.publishGuarantee?.({ ledger: items.find((i) => i.name === "adults").ledger.id }).catch((e) => console.log(String(e)));
    await page.goto(`${demo.url}/public/${population}`); await settle(page); await shot(page, "public"); });
  await guard("commutes", async () => { await page.goto(`${demo.url}/explore/plan`).catch(() => 0); });
  await guard("editor", async () => {
    await page.goto(`${demo.url}/datasets/new`); await settle(page);
    await page.locator('input[type="file"]').first().setInputFiles({ name: "homes.csv", mimeType: "text/csv", buffer: Buffer.from("person,age,city,income,since\n1,40,A,3000,2020-01-01\n") });
    await settle(page); await page.waitForTimeout(1500); await shot(page, "editor"); 
    console.log("overflow", await page.evaluate(() => [...document.querySelectorAll("table.grid")].map((t) => [t.scrollWidth, t.parentElement?.clientWidth])));
  });
  const ana = await pageOf(browser, width);
  ana.on("console", (m) => { if (m.type() === "error") console.log("console", ana.url(), m.text()); });
  await ana.goto(await demo.link("Ana")); await settle(ana);
  await guard("catalogue", async () => {
    await ana.goto(`${demo.url}/catalog`); await settle(ana); await shot(ana, "catalog");
    await ana.getByRole("link", { name: "Ask for budget on commutes" }).click(); await settle(ana);
    console.log(ana.url());
    await ana.locator("summary", { hasText: "ε" }).first().click().catch(() => 0); await ana.waitForTimeout(500);
    await shot(ana, "catalog-dataset");
    await ana.goto(`${demo.url}/catalog/commutes`); await settle(ana); console.log(ana.url(), await ana.title());
  });
  await guard("releases", async () => { await ana.goto(`${demo.url}/releases`); await settle(ana); await shot(ana, "releases"); });
  await guard("search", async () => { await ana.goto(`${demo.url}/search?text=schooling`); await settle(ana); await shot(ana, "search"); });
  await page.context().close(); await ana.context().close();
}
await browser.close(); await places.close();
