import { launch, openDemo } from "./demo.kit.ts";

const [browser, demo] = await Promise.all([launch(), openDemo()]);
const page = await (await browser.newContext()).newPage();
await page.goto(await demo.link("Ana"));
await page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
const [dataset] = (await demo.operator.listDatasets({})).items;
const s = await page.context().newCDPSession(page);
await s.send("Network.enable");
await s.send("Network.setCacheDisabled", { cacheDisabled: true });
const names = new Map<string, string>();
let total = 0;
const rows: [number, string][] = [];
s.on("Network.responseReceived", (e) => {
  if (e.type === "Script") names.set(e.requestId, e.response.url);
});
s.on("Network.loadingFinished", (e) => {
  const n = names.get(e.requestId);
  if (n) {
    total += e.encodedDataLength;
    rows.push([e.encodedDataLength, n.replace(/.*assets\//, "")]);
  }
});
await page.goto(`${demo.url}/datasets/${dataset?.id}/plan`);
await page.getByRole("button", { name: "Add a statistic" }).waitFor();
await page.waitForLoadState("networkidle");
rows.sort((a, b) => b[0] - a[0]);
console.log((total / 1000).toFixed(0), "kB");
for (const r of rows) console.log(r[0], r[1]);
await browser.close();
await demo.close();
process.exit(0);
