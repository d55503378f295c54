import { type Blocks, blocksOf } from "./blocks.ts";
import type { Vouched } from "./chain.ts";
import type { Row } from "./export.ts";
import { attempt, type Report } from "./report.ts";
import { termsOf } from "./terms.ts";

const neighbours: Readonly<Record<string, string>> = {
  addRemove: "is added or removed",
  replace: "is replaced by another",
  replaceSpecial: "is blanked out",
};

/** Whom the ledger protects: one population, of the terms' neighbour relation, the unit of the chain, named in every sentence. */
export async function checkPopulation(
  rows: { readonly ledger: Row; readonly populations: readonly Row[]; readonly versions: readonly Row[] },
  { unit: theirs }: Pick<Vouched, "unit">,
  report: Report,
): Promise<void> {
  const { ledger, versions } = rows;
  const [population, ...others] = rows.populations;
  if (population === undefined || others.length > 0 || population.id !== ledger.population_id) {
    report("population", "is missing, or is another than the ledger's");
    return;
  }
  const { name, privacy_unit: words, adjacency } = population;
  if (population.unit !== theirs) report("population", "protects other units than the ledger was opened for");
  for (const { version, terms, sentence } of versions) {
    const where = `version ${version}`;
    await attempt(where, report, () => {
      if (termsOf(terms ?? "{}").adjacency !== adjacency) report(where, "has other neighbours than its population");
      const text = sentence ?? "";
      const blocks = blocksOf(terms ?? "{}");
      if (blocks?.protects !== undefined) checkCohorts(blocks, { text, unit: theirs }, (what) => report(where, what));
      const unit = (which: string) =>
        blocks === null || blocks.protects !== undefined
          ? `${which} ${words}`
          : `what is recorded of ${which} ${words} in ${which} ${blocks.every}`;
      const isNamed = ["one", "any one"].some((which) =>
        text.includes(`${unit(which)} ${neighbours[adjacency ?? ""]}`),
      );
      if (!text.includes(`Population: ${name}; `) || !isNamed)
        report(where, "names other people in its sentence than its population");
    });
  }
}

/** As its exporter states: the lines about its tables keep only their links. An export that does not state it is taken for fitted. */
export const isFitted = (populations: readonly Row[]): boolean => populations.some(({ fitted }) => fitted !== "0");

/** Of cohorts people are protected, and only as long as no one's cohort is rewritten. [M170] */
function checkCohorts(
  { every, protects }: Blocks,
  { text, unit }: { readonly text: string; readonly unit: string | null },
  say: (problem: string) => void,
): void {
  if (protects !== "person" || unit === "row") say("has cohorts, but does not protect people");
  if (!text.includes(`does not rewrite anyone's cohort, which is the ${every} of their least date; `))
    say("does not say that it holds as long as no one's cohort is rewritten");
}
