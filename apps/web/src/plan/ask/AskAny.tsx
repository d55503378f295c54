import { AskLine } from "./AskLine.tsx";
import { type Askable, useAskable } from "./use-askable.ts";

/** The line of one of several datasets: the one that was asked last, or that is chosen. */
export function AskAny({ datasets }: { datasets: readonly Askable[] }) {
  const [chosen, choose] = useAskable(datasets);
  if (chosen === undefined) return null;
  const aside =
    datasets.length < 2 ? null : (
      <select
        aria-label="Dataset that is asked"
        className="ask-plain ask-dataset"
        value={chosen.id}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {datasets.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    );
  return <AskLine of={chosen} aside={aside} />;
}
