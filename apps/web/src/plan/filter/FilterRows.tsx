import type { Declaration } from "@dosimeter/query/declaration";
import { IconPlus } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import { Choice } from "../../parts/fields.tsx";
import { ConditionRow } from "./ConditionRow.tsx";
import {
  changedAt,
  conditionOn,
  filterColumns,
  type Group,
  isGroup,
  MAX_LEVELS,
  type Part,
  type Path,
} from "./filter.ts";

const joins = [
  { value: "and", label: "all of these" },
  { value: "or", label: "any of these" },
  { value: "none", label: "none of these" },
] as const satisfies readonly { readonly value: Group["join"]; readonly label: string }[];

interface Editing {
  readonly declaration: Declaration;
  /** Changes the part at the path; null takes it away. The focus goes to `focus` afterwards. */
  readonly change: (path: Path, change: (part: Part) => Part | null, focus?: string) => void;
}

export function FilterRows({
  filter,
  declaration,
  onChange,
}: {
  filter: Group;
  declaration: Declaration;
  onChange: (filter: Group) => void;
}) {
  const part = useRef<HTMLDivElement>(null);
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    if (wanted.current === undefined) return;
    const here = part.current;
    const target = here?.querySelector<HTMLElement>(`[data-focus="${wanted.current}"]`);
    (target ?? here?.querySelector<HTMLElement>('[data-focus="add-"]'))?.focus();
    wanted.current = undefined;
  });
  const change: Editing["change"] = (path, apply, focus) => {
    wanted.current = focus;
    onChange(changedAt(filter, path, apply));
  };
  if (filterColumns(declaration).length === 0) return null;
  return (
    <div ref={part}>
      <GroupRows group={filter} path={[]} editing={{ declaration, change }} />
    </div>
  );
}

function GroupRows({ group, path, editing }: { group: Group; path: Path; editing: Editing }) {
  const { declaration, change } = editing;
  const name = path.length === 0 ? "the conditions" : `group ${numberOf(path)}`;
  const [first = ""] = filterColumns(declaration);
  const last = group.parts.findLast((each) => !isGroup(each));
  // A second condition is most often about another column than the first one, or the other end of the same.
  const fresh = conditionOn(last !== undefined && !isGroup(last) ? last.column : first, declaration);
  const add = (part: Part, focus: string): void =>
    change(path, (before) => (isGroup(before) ? { ...before, parts: [...before.parts, part] } : before), focus);
  const next = [...path, group.parts.length];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid in every browser
    <div className="filter-group" role="group" aria-label={name} data-level={path.length}>
      {group.parts.length < 2 && group.join !== "none" ? null : (
        <Choice
          className="filter-join"
          size="xs"
          aria-label={`How ${name} are joined`}
          value={group.join}
          data={joins}
          onChange={(chosen) => {
            const join = joins.find(({ value }) => value === chosen)?.value ?? "and";
            change(path, (before) => (isGroup(before) ? { ...before, join } : before));
          }}
        />
      )}
      {group.parts.map((part, index) => {
        const at = [...path, index];
        return isGroup(part) ? (
          <GroupRows key={at.join()} group={part} path={at} editing={editing} />
        ) : (
          <ConditionRow
            key={at.join()}
            condition={part}
            name={numberOf(at)}
            declaration={declaration}
            onChange={(condition) => change(at, () => condition)}
            onRemove={() => change(at, () => null, `add-${path.join("-")}`)}
          />
        );
      })}
      <div className="filter-add">
        <button
          type="button"
          className="tool"
          data-focus={`add-${path.join("-")}`}
          onClick={() => add(fresh, numberOf(next))}
        >
          <IconPlus size={15} aria-hidden /> Add a condition
          {path.length === 0 ? null : <span className="visually-hidden"> to {name}</span>}
        </button>
        {group.parts.length === 0 || path.length + 1 >= MAX_LEVELS ? null : (
          <button
            type="button"
            className="tool"
            onClick={() =>
              add({ join: group.join === "or" ? "and" : "or", parts: [fresh, fresh] }, numberOf([...next, 0]))
            }
          >
            <IconPlus size={15} aria-hidden /> Add a group
            {path.length === 0 ? null : <span className="visually-hidden"> to {name}</span>}
          </button>
        )}
      </div>
    </div>
  );
}

/** As people count: the first condition of the second group is 2.1. */
const numberOf = (path: Path): string => path.map((index) => index + 1).join(".");
