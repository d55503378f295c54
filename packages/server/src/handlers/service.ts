import type { Found } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { type Charge, type Dataset, nameFrom } from "@dosimeter/ledger";
import { planColumns } from "@dosimeter/query/answer";
import type { Declaration } from "@dosimeter/query/declaration";
import { holds, listedFor, readable, readsAudit } from "../access/authority.ts";
import { type Caller, hoursFromNow, PROVISION } from "../access/credentials.ts";
import { lookedThrough, releaseReaderOf } from "../access/readable-releases.ts";
import type { HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { aboutReleases } from "../view/about-releases.ts";
import { tokenView } from "../view/credential.ts";
import { madeTitle, titleOf } from "../view/release.ts";
import { holdsText } from "./names.ts";
import { visibleTeams } from "./teams.ts";
import { DAYS } from "./tokens.ts";

/** The most results of each kind. */
const MAX_FOUND = 8;

/** A single letter is in every declaration. */
const MIN_COLUMN_TEXT = 2;

/** Everything that this person can see or may ask for, and whose name contains the text or whose id equals it. */
async function search(text: string, caller: Caller, deps: Deps): Promise<readonly Found[]> {
  const fits = ({ id, name }: { readonly id: string; readonly name: string }) => id === text || holdsText(name, text);
  const { people, catalog } = deps.database;
  const found: Found[] = [];
  const take = <T extends { readonly id: string; readonly name: string }>(
    visible: readonly T[],
    show: (one: T) => Omit<Found, "id" | "name">,
  ) => {
    for (const one of visible.filter(fits).slice(0, MAX_FOUND))
      found.push({ id: one.id, name: one.name, ...show(one) });
  };
  // Only what this person may see is looked through: the time says nothing about the rest.
  const visible = await readable(caller, await catalog.names(), deps);
  take(visible, ({ id }) => ({
    kind: "dataset",
    hint: "dataset",
    path: `/datasets/${id}`,
  }));
  take(await listedFor(caller, deps), ({ id }) => ({
    kind: "listing",
    hint: "dataset that you may ask for",
    path: `/catalog/${id}`,
  }));
  if (text.length >= MIN_COLUMN_TEXT)
    found.push(...columnsIn(await catalog.datasetsWith({ text, among: visible.map(({ id }) => id) }), text));
  take(await visibleTeams(caller, deps.database), ({ id, closedAt }) => ({
    kind: "team",
    hint: closedAt === null ? "team" : "closed team",
    path: `/teams/${id}`,
  }));
  take(await people.principals(), ({ kind, removedAt }) => ({
    kind: "person",
    hint: removedAt === null ? (kind === "user" ? "person" : kind) : "removed",
    path: "/people",
  }));
  found.push(...(await foundReleases(text, caller, deps)));
  for (const [prefix, who, subject, path] of byId)
    if (text.startsWith(prefix) && (await holds(who, caller, { [subject]: text }, deps)))
      found.push({ kind: subject, id: text, name: text, hint: subject, path: path(text) });
  return found;
}

/** How many of the newest releases a search looks through. */
const SEARCHED = 200;

/** Releases that this person may read, newest first, whose title, note, columns or labels of columns contain the text. */
async function foundReleases(text: string, caller: Caller, deps: Deps): Promise<readonly Found[]> {
  const { releases, catalog } = deps.database;
  const reads = releaseReaderOf(caller, deps);
  const { items } = await releases.releases({ ...(await lookedThrough(caller, deps)), limit: SEARCHED });
  const readable: Charge[] = [];
  for (const item of items) if (await reads(item)) readable.push(await releases.chargeOf(item.charge));
  const aboutOf = await aboutReleases(readable, deps);
  const fitting = readable.filter((charge) => {
    const about = aboutOf(charge);
    const { label, request, declaration } = about;
    const words = [label?.title, label?.note, madeTitle(charge, about)];
    const columns = planColumns(request.plan).flatMap((name) => [name, declaration.columns[name]?.label]);
    return [...words, ...columns].some((word) => word != null && holdsText(word, text));
  });
  const names = new Map((await catalog.names()).map(({ id, name }) => [id, name]));
  return fitting.slice(0, MAX_FOUND).map((charge) => ({
    kind: "release",
    id: charge.id,
    name: titleOf(charge, aboutOf(charge)),
    hint: `release · ${names.get(charge.dataset) ?? ""}`,
    path: `/releases/${charge.id}`,
  }));
}

/** Columns are public once their dataset is visible; their values are not. */
function columnsIn(datasets: readonly Dataset[], text: string): readonly Found[] {
  const found = datasets.flatMap(({ id, name: dataset, declaration }) =>
    Object.entries((declaration as Partial<Declaration>).columns ?? {})
      .filter(([name, { label = "" }]) => [name, label].some((word) => holdsText(word, text)))
      .map(([name, { label }]) => ({
        kind: "column" as const,
        id,
        name: label ?? name,
        hint: `column ${label === undefined ? "" : `${name} `}of ${dataset}`,
        path: `/datasets/${id}`,
      })),
  );
  return found.slice(0, MAX_FOUND);
}

const byId = [
  ["chg_", "releaseReader", "release", (id: string) => `/releases/${id}`],
  ["req_", "requestReader", "request", () => "/requests"],
] as const;

export const service = {
  async health({ deps }) {
    const demo = (await deps.ready()) && (await deps.demoIsOn());
    return { status: "ok", version: deps.version, demo };
  },
  async ready({ deps, caller }) {
    if (!(await deps.ready())) throw new PrivacyError("NOT_READY");
    if (caller === null || !readsAudit(caller.roles)) return { ready: true };
    const sources = Object.entries(deps.reach.problems()).map(([name, problem]) => ({ name, problem }));
    const frozen = (await deps.database.ledgers.frozen()).map(({ missing: _, ...known }) => known);
    return { ready: true, sources, frozen };
  },
  async testMail({ deps, caller }) {
    const { id, email } = caller.principal;
    if (deps.mailer === null)
      throw new PrivacyError(
        "CONFLICT",
        {},
        "this server sends no mail: set DOSIMETER_MAIL_URL and DOSIMETER_MAIL_FROM",
      );
    if (email === null) throw new PrivacyError("CONFLICT", {}, "you have no e-mail address here to send a letter to");
    await deps.rates.take("mailBy", `${id} ${email}`);
    return { problem: await deps.mailer.test(email) };
  },
  async diagnose({ deps, caller }) {
    await deps.rates.take("test", caller.principal.id);
    return deps.diagnose();
  },
  async listSecrets({ deps }) {
    return { items: await deps.secrets() };
  },
  async createProviderToken({ deps, caller, input, exchange }) {
    const { id: provider, name } = deps.scim.provider(input.provider);
    const { people, provisioning } = deps.database;
    const by = caller.principal.id;
    const service = await provisioning.serviceOf({ provider, name: nameFrom(`${name} (SCIM)`) ?? provider, by });
    // No maker: the token must outlast that of the admin who made it.
    const { credential, secret } = await people.createCredential({
      kind: "token",
      principal: service.id,
      name: "SCIM",
      scopes: [PROVISION],
      expiresAt: hoursFromNow(24 * (input.days ?? DAYS)),
      by,
    });
    return { ...tokenView(credential), secret, service: service.id, url: `${exchange.origin}/scim/v2` };
  },
  async search({ deps, caller, input }) {
    return { items: await search(input.text, caller, deps) };
  },
} satisfies HandlersOf<"service">;
