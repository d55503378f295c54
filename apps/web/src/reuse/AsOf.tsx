import type { Dataset } from "@dosimeter/client";
import { useVersions } from "../api/reuse.ts";
import { Choice } from "../parts/fields.tsx";
import { momentText } from "../parts/words.ts";

interface AsOfProps {
  dataset: Dataset;
  value: number | null;
  onChange: (version: number | null) => void;
}

/** Which version of the data is asked about; the newest by default. Not shown while there is only one. */
export function AsOf({ dataset, value, onChange }: AsOfProps) {
  const versions = useVersions(dataset.id);
  const earlier = (versions.data?.items ?? []).filter(({ version }) => version < dataset.version).toReversed();
  if (earlier.length === 0) return null;
  return (
    <Choice
      label="Asked about"
      description="Answers of one version are not offered to questions about another."
      value={value === null ? "" : String(value)}
      onChange={(chosen) => onChange(chosen === "" ? null : Number(chosen))}
      data={[
        { value: "", label: `version ${dataset.version}, the newest` },
        ...earlier.map(({ version, createdAt }) => ({
          value: String(version),
          label: `as of version ${version}, since ${momentText(createdAt)}`,
        })),
      ]}
    />
  );
}
