import { Button, Slider } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { Check, NumberField } from "../../parts/fields.tsx";
import { readTyped, type Wish } from "../../parts/number-text.ts";
import { type Entry, nameOf } from "./state.ts";
import type { Shown } from "./use-curves.ts";

const STEPS = 100;
const TIMES: Wish = { min: 1, max: 1000, isWhole: true };

interface ParameterProps {
  label: string;
  value: number;
  from: number;
  to: number;
  hasZero?: boolean;
  onChange: (value: number) => void;
}

/** A slider over powers of ten with a field for the exact value; position 0 may stand for 0. */
function Parameter({ label, value, from, to, hasZero = false, onChange }: ParameterProps) {
  const least = hasZero ? 1 : 0;
  const at = (position: number) =>
    position < least ? 0 : Number((from * (to / from) ** ((position - least) / (STEPS - least))).toPrecision(2));
  const position =
    value < from ? 0 : Math.round(least + ((STEPS - least) * Math.log(value / from)) / Math.log(to / from));
  return (
    <div className="parameter">
      <span className="parameter-name" aria-hidden="true">
        {label}
      </span>
      <Slider
        min={0}
        max={STEPS}
        value={Math.min(STEPS, Math.max(0, position))}
        onChange={(next) => onChange(at(next))}
        label={null}
        thumbLabel={label}
        thumbValueText={`${label} = ${value}`}
      />
      <LiveNumber
        label={label}
        wish={label === "δ" ? { min: 0, max: 1 } : { min: 0, max: 1_000_000 }}
        value={value}
        onChange={onChange}
      />
    </div>
  );
}

interface LiveNumberProps {
  label: string;
  wish: Wish;
  value: number;
  onChange: (value: number) => void;
}

/** A number with another control for it: every good text takes effect at once, any other stays with its fault. */
function LiveNumber({ label, wish, value, onChange }: LiveNumberProps) {
  const [typed, setTyped] = useState({ text: String(value), value });
  const text = typed.value === value ? typed.text : String(value);
  return (
    <NumberField
      aria-label={label}
      wish={wish}
      size="sm"
      w={116}
      value={text}
      onChange={(next) => {
        const read = readTyped(next, wish);
        setTyped({ text: next, value: read.fault === undefined ? read.value : value });
        if (read.fault === undefined) onChange(read.value);
      }}
    />
  );
}

interface CurveEditorProps {
  index: number;
  entries: readonly Entry[];
  shown: Shown | undefined;
  onChange: (entry: Entry) => void;
  onRemove: () => void;
}

/** The controls of one curve: its parameters, or the curves that it composes. */
export function CurveEditor({ index, entries, shown, onChange, onRemove }: CurveEditorProps) {
  const entry = entries[index];
  if (entry === undefined) return null;
  const name = nameOf(entries, index);
  return (
    <li className="curve-editor" style={{ borderLeftColor: `var(--plot-series${(index % 8) + 1})` }}>
      <div className="curve-editor-head">
        <strong>{headings(entry)}</strong>
        <span className="soft small">{shown?.problem ?? name}</span>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          onClick={onRemove}
          aria-label={`Remove ${name}`}
          leftSection={<IconTrash size={15} aria-hidden />}
        >
          Remove
        </Button>
      </div>
      <Controls index={index} entries={entries} entry={entry} onChange={onChange} />
    </li>
  );
}

function headings(entry: Entry): string {
  if ("epsdelta" in entry) return "(ε, δ)-DP";
  if ("gdp" in entry) return "Gaussian DP";
  if ("lap" in entry) return "Laplace noise";
  return "points" in entry ? "Points" : "Composition";
}

interface ControlsProps {
  index: number;
  entries: readonly Entry[];
  entry: Entry;
  onChange: (entry: Entry) => void;
}

function Controls({ index, entries, entry, onChange }: ControlsProps) {
  if ("epsdelta" in entry) {
    const [epsilon, delta] = entry.epsdelta;
    return (
      <>
        <Parameter
          label="ε"
          value={epsilon}
          from={0.01}
          to={20}
          hasZero
          onChange={(e) => onChange({ epsdelta: [e, delta] })}
        />
        <Parameter
          label="δ"
          value={delta}
          from={1e-12}
          to={0.5}
          hasZero
          onChange={(d) => onChange({ epsdelta: [epsilon, Math.min(1, d)] })}
        />
      </>
    );
  }
  if ("gdp" in entry)
    return (
      <Parameter label="μ" value={entry.gdp} from={0.01} to={10} hasZero onChange={(mu) => onChange({ gdp: mu })} />
    );
  if ("lap" in entry)
    return (
      <Parameter label="μ" value={entry.lap} from={0.01} to={20} hasZero onChange={(mu) => onChange({ lap: mu })} />
    );
  if ("points" in entry)
    return (
      <p className="small soft">{entry.points.length} points; the curve is their lower hull and guarantees nothing.</p>
    );
  return <Parts index={index} entries={entries} together={entry.together} onChange={onChange} />;
}

interface PartsProps {
  index: number;
  entries: readonly Entry[];
  together: readonly (readonly [index: number, count: number])[];
  onChange: (entry: Entry) => void;
}

function Parts({ index, entries, together, onChange }: PartsProps) {
  const countOf = (part: number) => together.find(([at]) => at === part)?.[1] ?? 0;
  const set = (part: number, count: number) => {
    const others = together.filter(([at]) => at !== part);
    const next = count > 0 ? [...others, [part, count] as const] : others;
    onChange({ together: next.toSorted(([a], [b]) => a - b) });
  };
  return (
    <div className="parts">
      {entries.slice(0, index).map((_, part) => {
        const name = nameOf(entries, part);
        const count = countOf(part);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: an entry has no identity but its place
          <div className="part" key={part}>
            <Check label={name} checked={count > 0} onChange={(isChecked) => set(part, isChecked ? 1 : 0)} />
            {count > 0 ? (
              <LiveNumber
                label={`How often ${name} is used`}
                wish={TIMES}
                value={count}
                onChange={(next) => set(part, next)}
              />
            ) : null}
          </div>
        );
      })}
    </div>
  );
}
