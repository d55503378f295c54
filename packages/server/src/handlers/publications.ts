import { invalid, PrivacyError } from "@dosimeter/core";
import type { Charge, PublicLink } from "@dosimeter/ledger";
import type { PublicRelease } from "@dosimeter/plot/report";
import { answersToShow, typedValues } from "@dosimeter/query/answer";
import type { HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { originsOf, requestOf } from "../release/request.ts";
import type { PublicPart } from "../report/printer.ts";
import { aboutReleases } from "../view/about-releases.ts";
import { releaseView } from "../view/release.ts";

const DAY_MS = 86_400_000;

export const publications = {
  async showPublication({ deps, input }) {
    const charge = await deps.database.releases.chargeOf(input.release);
    return view(charge, await deps.database.releases.linkOf(charge.id));
  },

  async publishRelease({ deps, caller, input, exchange }) {
    const { releases } = deps.database;
    const charge = await releases.chargeOf(input.release);
    await deps.rates.take("refusal", caller.principal.id); // a line in the audit
    const request = requestOf(charge);
    const values = typedValues(request.plan);
    const confirmed = new Set(input.confirmed);
    const left = values.filter((value) => !confirmed.has(value));
    if (left.length > 0 || confirmed.size > values.length)
      invalid(
        "body.confirmed",
        [...confirmed].join(", "),
        `each of the values that people typed: ${values.join(", ")}`,
      );
    const { secret, ...link } = await releases.publishAnswer({
      charge: charge.id,
      origins: originsOf(request),
      title: input.title ?? null,
      isIndexed: input.isIndexed ?? false,
      expiresAt: new Date(Date.now() + (input.days ?? 365) * DAY_MS).toISOString(),
      by: caller.principal.id,
    });
    return view(charge, link, addressOf(exchange.origin, secret));
  },

  async unpublishRelease({ deps, caller, input }) {
    const charge = await deps.database.releases.chargeOf(input.release);
    await deps.rates.take("refusal", caller.principal.id);
    await deps.database.releases.endPublicAnswer({ charge: charge.id, by: caller.principal.id });
  },

  async showPublicAnswer({ deps, input, exchange }) {
    return openPart(input.link, { kind: "page" }, { deps, origin: exchange.origin });
  },

  async showPublicChart({ deps, input, exchange }) {
    return openPart(input.link, { kind: "chart", row: input.row }, { deps, origin: exchange.origin });
  },
} satisfies HandlersOf<"publications">;

const addressOf = (origin: string, secret: string): string => `${origin}/public/answers/${secret}`;

const view = (charge: Charge, link: PublicLink | null, url: string | null = null) => {
  const isPublic = link?.expiresAt != null && Date.parse(link.expiresAt) > Date.now();
  return {
    release: charge.id,
    isPublic,
    url,
    title: link?.title ?? null,
    isIndexed: link?.isIndexed ?? false,
    changedAt: link?.at ?? null,
    expiresAt: isPublic ? link.expiresAt : null,
    values: [...typedValues(requestOf(charge).plan)],
  };
};

/** The page or a picture of what a link leads to now. The bytes of one link never change, and are printed once; for a row that it has not, nothing is. */
async function openPart(
  secret: string,
  part: PublicPart,
  { deps, origin }: { readonly deps: Deps; readonly origin: string },
) {
  const link = await deps.database.releases.publicAnswer(secret);
  if (part.kind === "chart" && part.row !== undefined) {
    const { statistics } = requestOf(await deps.database.releases.chargeOf(link.charge)).plan;
    if (!statistics.some(({ id }, index) => part.row === (id ?? `s${index + 1}`)))
      throw new PrivacyError("NOT_FOUND", {}, "this release has no answer of that name");
  }
  const address = addressOf(origin, secret);
  const bytes = await deps.printer.once(`${address} ${JSON.stringify(part)}`, async () =>
    deps.printer.ask({ open: await publicRelease(link, address, deps), part }),
  );
  if (bytes.length === 0) throw new PrivacyError("NOT_FOUND", {}, "this answer has no picture");
  return { name: "answer", bytes: new Blob([bytes]).stream(), open: { isIndexed: link.isIndexed } };
}

/** A release without who asked, from which budget and why; under its publisher's title, or what it asks. */
async function publicRelease(
  { charge: id, title, isIndexed }: PublicLink,
  address: string,
  deps: Deps,
): Promise<PublicRelease> {
  const charge = await deps.database.releases.chargeOf(id);
  const release = await deps.database.releases.releaseOf(id);
  const about = { ...(await aboutReleases([charge], deps))(charge), label: { title, note: null } };
  const names = { nameOf: () => "", kindOf: () => "user" as const };
  const shown = { charge, release, progress: { stage: "done", failed: false } as const, about };
  const { datasetName, version, joined, chargedAt, releasedAt, words, plan, receipt, epsilon, delta, ...rest } =
    releaseView(shown, names);
  return {
    ...{ title: rest.title, datasetName, version, joined, chargedAt, releasedAt, words, plan, receipt, epsilon, delta },
    ...{ numbers: rest.numbers, answers: answersToShow({ answers: rest.answers, words }), address, isIndexed },
  };
}
