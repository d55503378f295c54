import { PrivacyError } from "@dosimeter/core";
import type { Declaration } from "@dosimeter/query/declaration";
import { givesBins, releasedBins, withColumnBins } from "@dosimeter/query/statistics";
import { useState } from "react";
import { client } from "../../api/connection.ts";
import { useReleases } from "../../api/releases.ts";
import { Choice } from "../../parts/fields.tsx";
import { faultOf } from "../workbench.ts";

/** Bins as an earlier release says: quantiles as edges, found keys as the texts that count. Free; read only where one is chosen. */
export function ReleasedBins({
  dataset,
  declaration,
  text,
  onText,
}: {
  dataset: string;
  declaration: Declaration;
  text: string;
  onText: (text: string) => void;
}) {
  const releases = useReleases({ dataset });
  const [said, setSaid] = useState<{ readonly text: string; readonly isFault: boolean }>();
  const offered = (releases.data?.pages ?? []).flatMap(({ items }) =>
    items.filter((item) => item.stage === "done" && givesBins(item)),
  );
  if (offered.length === 0) return null;
  const take = async (id: string): Promise<void> => {
    try {
      const release = await client.showRelease({ release: id });
      const bins = releasedBins(release, { of: dataset, declaration, path: "bins" });
      onText(withColumnBins(text, bins));
      setSaid({ text: `Taken: ${Object.keys(bins).join(", ")}. This costs nothing.`, isFault: false });
    } catch (error) {
      const isRefusal = error instanceof PrivacyError;
      const text = isRefusal ? faultOf(error, declaration.unitNoun).message : "The release could not be read.";
      setSaid({ text, isFault: true });
    }
  };
  return (
    <Choice
      label="Bins as released in"
      value=""
      error={said?.isFault === true ? said.text : undefined}
      description={
        said?.isFault === false ? said.text : "Released quantiles become edges, found keys the texts that count."
      }
      inputWrapperOrder={["label", "input", "description", "error"]}
      onChange={(id) => void take(id)}
      data={[{ value: "", label: "none" }, ...offered.map(({ id, title }) => ({ value: id, label: title }))]}
    />
  );
}
