import { PrivacyError } from "@dosimeter/core";
import type { NewAnswers } from "@dosimeter/ledger";
import { diagramsOf, type Earlier, type StatisticSpec, type Way } from "@dosimeter/reuse";
import { agreeing } from "../reuse/agree.ts";
import type { Version } from "../reuse/find.ts";
import { withTimes } from "../reuse/live.ts";
import { assembled, type Resolution, savedBy, wayAgain } from "../reuse/resolve.ts";
import { asJson } from "../sources/tables.ts";
import type { ReleaseDeps } from "./deps.ts";
import type { PreparedRelease } from "./prepare.ts";

/** The answers of a plan that draws nothing. */
export async function answersFrom({
  found,
  resolutions,
  about,
}: Pick<PreparedRelease, "found" | "resolutions" | "about">): Promise<{
  readonly stored: NewAnswers;
  readonly refuted: readonly (readonly string[])[];
}> {
  const asked = found.map((one) => one.asked);
  const ways = new Map<string, Way>();
  for (const resolution of resolutions) {
    const { earlier = [] } = found.find((one) => one.asked.statistic.id === resolution.row) ?? {};
    ways.set(resolution.row, chosenAgain(asked, resolution, earlier, about));
  }
  const { answers, refuted } = await agreeing(assembled(asked, ways, []), asked, {
    ways,
    drawn: [],
    fresh: null,
    about,
    charge: null,
  });
  return { stored: { answers: asJson(answers), reuses: savedBy(asked, ways) }, refuted };
}

/** The offers that the rows of a charge use, made again from the stored answers that they name. */
export async function waysOf(
  deps: ReleaseDeps,
  { found, resolutions, about }: Pick<PreparedRelease, "found" | "resolutions" | "about">,
): Promise<ReadonlyMap<string, Way>> {
  const asked = found.map((one) => one.asked);
  const ways = new Map<string, Way>();
  for (const resolution of resolutions)
    ways.set(resolution.row, chosenAgain(asked, resolution, await openSources(deps, resolution, about), about));
  return ways;
}

/** The earlier answers that a row uses; they are never deleted. */
async function openSources(
  { database, releasedAnswers }: ReleaseDeps,
  { from }: Resolution,
  about: Version,
): Promise<readonly Earlier[]> {
  const earlier = [];
  for (const statistic of await database.reuse.rows(from)) {
    const one = await releasedAnswers.open(statistic, about);
    if (one !== null) earlier.push(one);
  }
  return earlier;
}

function chosenAgain(
  asked: readonly StatisticSpec[],
  resolution: Resolution,
  earlier: readonly Earlier[],
  { declaration }: Version,
): Way {
  const one = asked.find(({ statistic }) => statistic.id === resolution.row);
  const diagrams = diagramsOf(declaration);
  const way = one === undefined ? undefined : wayAgain(one, resolution, earlier, diagrams);
  if (way === undefined)
    throw new PrivacyError("ENGINE_FAILED", {}, "the earlier answers no longer give what was charged");
  return withTimes(way, declaration);
}
