import { expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { ORIGIN } from "../instance.kit.ts";

const fixture = fixtureOf();
const where = "age >= 18 and sex = 'f'";
const plan = {
  statistics: [
    { id: "people", statistic: "count", where, epsilon: "0.05" },
    { id: "pay", statistic: "mean", column: "salary", groupBy: ["sex"], epsilon: "0.05" },
  ],
};
const confirmed = ["people", "18", "'f'", "pay"];
const released = async (asked: object = plan) =>
  fixture.as.member.releaseAndWait({
    dataset: fixture.dataset,
    account: fixture.memberAccount,
    plan: asked as never,
  });
const open = async (url: string | null, init: RequestInit = {}) => fixture.instance.fetch(new Request(url ?? "", init));
const asPage = { headers: { accept: "text/html,*/*" } };

test("an admin who has read each typed value publishes a page that names no one and that any page may frame", async () => {
  const { as, people, memberAccount, teamAccount, team } = fixture;
  const { id: release, receipt } = await released();
  await as.member.labelRelease({ release, title: "For Bob & Co.", note: "asked by Bob" });
  expect(await as.datasetAdmin.showPublication({ release })).toMatchObject({
    isPublic: false,
    url: null,
    values: confirmed,
  });
  for (const some of [{}, { confirmed: confirmed.slice(1) }, { confirmed: [...confirmed, "x"] }])
    await expect(as.datasetAdmin.publishRelease({ release, ...some })).rejects.toMatchObject({
      code: "INVALID_PARAMETER",
      message: expect.stringContaining("people, 18, 'f', pay"),
    });
  const title = "Women & men </script><b>";
  const made = await as.datasetAdmin.publishRelease({ release, title, days: 30, confirmed });
  expect(made).toMatchObject({ isPublic: true, isIndexed: false, title });
  expect(made.url).toMatch(new RegExp(`^${ORIGIN}/public/answers/pub_[0-9a-z]{32}$`));
  expect(await as.datasetAdmin.showPublication({ release })).toEqual({ ...made, url: null });

  const page = await open(made.url, asPage);
  const html = await page.text();
  expect(page.status).toBe(200);
  for (const text of [
    "Women &amp; men &lt;/script&gt;&lt;b&gt;",
    receipt?.guarantee ?? "-",
    receipt?.answersHash ?? "-",
  ])
    expect(html).toContain(text);
  for (const one of ["Bob", "member", release, ...Object.values(people), memberAccount, teamAccount, team])
    expect(html, one).not.toContain(one);
  const [, ld = ""] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? [];
  expect(JSON.parse(ld)).toMatchObject({ "@type": ["Dataset", "dcat:Dataset"], name: title, url: made.url });
  expect(html.match(/<script/g)).toHaveLength(1);
  const header = (name: string) => page.headers.get(name);
  expect(header("content-security-policy")).toBe(
    "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; frame-ancestors *",
  );
  expect(["x-frame-options", "set-cookie", "content-disposition"].map(header)).toEqual([null, null, null]);
  expect(["cache-control", "x-robots-tag", "content-type", "cross-origin-resource-policy"].map(header)).toEqual([
    ...["no-cache", "noindex", "text/html; charset=utf-8", "cross-origin"],
  ]);
  expect((await open(made.url, { method: "HEAD" })).status).toBe(200);

  const pictures = await Promise.all(
    ["", "?row=pay", "?row=s2", "?row=none"].map((row) =>
      open(`${made.url}/chart${row}`).then(async (one) => [one.status, await one.text()]),
    ),
  );
  expect(pictures.map(([status]) => status)).toEqual([200, 200, 404, 404]);
  for (const [, refusal] of pictures.slice(2))
    expect(refusal, "looked up before it is printed").toContain("no answer of that name");
  for (const [, svg] of pictures.slice(0, 2)) expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  // No other address may be framed.
  const { headers } = await open(`${ORIGIN}/v1/health`);
  expect(headers.get("x-frame-options")).toBe("DENY");
});

test("a new link ends the one before; an ended one is the same 404 as one that never was, also where it was shown already", async () => {
  const { as } = fixture;
  const { id: release } = await released({ statistics: [{ statistic: "count", epsilon: "0.02" }] });
  const [first, second] = [
    await as.datasetAdmin.publishRelease({ release }),
    await as.datasetAdmin.publishRelease({ release, isIndexed: true }),
  ];
  expect((await open(first.url)).status).toBe(404);
  const shown = await open(second.url);
  expect([shown.status, shown.headers.get("x-robots-tag")]).toEqual([200, "all"]);
  expect(await shown.text()).not.toContain("noindex");
  await as.datasetAdmin.unpublishRelease({ release });
  await as.datasetAdmin.unpublishRelease({ release });
  const gone = await Promise.all(
    [second.url, `${ORIGIN}/public/answers/pub_0`, `${second.url}/chart`].map(async (url) => {
      const answer = await open(url, asPage);
      return [answer.status, answer.headers.get("content-type"), await answer.text()];
    }),
  );
  expect(gone[0]).toEqual(gone[1]);
  expect(gone[0]?.[0]).toBe(404);
  expect(gone[0]?.[2]).toContain("<p>nothing is public here: the link is wrong, was ended, or is over.</p>");
  expect(gone[2]?.slice(0, 2)).toEqual([404, "application/problem+json"]);
  expect(await as.datasetAdmin.showPublication({ release })).toMatchObject({ isPublic: false, expiresAt: null });
});

test("what one cap has no room for is refused, by the cap that lacks it", async () => {
  const { as, ledger, people } = fixture;
  const holder = { kind: "person", id: people.stranger } as const;
  const { id } = await as.datasetAdmin.createAccount({ ledger, holder, kind: "cap", epsilon: "0.19" });
  const spent = async () => (await as.stranger.showAccount({ account: id })).balance;
  const before = await spent();
  const { id: release } = await released({ statistics: [{ statistic: "count", epsilon: "0.1" }] });
  await expect(as.datasetAdmin.publishRelease({ release })).rejects.toMatchObject({ code: "QUOTA_EXHAUSTED" });
  expect(await spent()).toEqual(before);
  expect(await as.datasetAdmin.showPublication({ release })).toMatchObject({ isPublic: false, changedAt: null });
});
