import type { Declaration } from "@dosimeter/query/declaration";
import { useDebouncedValue } from "@mantine/hooks";
import { TextField } from "../../parts/fields.tsx";
import { FilterRows } from "./FilterRows.tsx";
import { type FilterReading, faultsOf, filterText, type Group, isGroup, type Part, readFilter } from "./filter.ts";
import "./filter.css";

/** The pause in typing after which a text that cannot be read takes the place of the rows. */
const STILL_TYPING_MS = 600;

const reasons: Readonly<Record<Extract<FilterReading, { reason: unknown }>["reason"], string>> = {
  unread: "The conditions are shown as rows as soon as this text can be read.",
  unshown: "Rows cannot show all of this condition, so it stays as text.",
};

/** Which rows count: as text and as rows of the same condition, each following the other. */
export function FilterField({
  label,
  placeholder,
  text,
  fault,
  declaration,
  onText,
}: {
  label: string;
  placeholder: string;
  text: string;
  /** Why the plan refuses the text. */
  fault: string | undefined;
  declaration: Declaration;
  onText: (text: string) => void;
}) {
  const [settled] = useDebouncedValue(text, STILL_TYPING_MS);
  const now = readFilter(text, declaration);
  const isBroken = "reason" in now && now.reason === "unread";
  // While someone types, the rows are those of the last text that could be read.
  const reading = isBroken ? readFilter(settled, declaration) : now;
  const isSaid = "filter" in reading && hasFault(reading.filter, declaration);
  return (
    <div className="filter-field">
      <TextField
        label={label}
        placeholder={placeholder}
        value={text}
        error={isSaid ? "A condition below is not complete." : fault}
        onChange={onText}
      />
      {"filter" in reading ? (
        <FilterRows
          filter={reading.filter}
          declaration={declaration}
          onChange={(filter) => onText(filterText(filter))}
        />
      ) : (
        <p className="soft small flush below-8" role="status">
          {reasons[reading.reason]}
        </p>
      )}
    </div>
  );
}

const hasFault = (filter: Group, declaration: Declaration): boolean =>
  filter.parts.some((part: Part) =>
    isGroup(part) ? hasFault(part, declaration) : faultsOf(part, declaration).size > 0,
  );
