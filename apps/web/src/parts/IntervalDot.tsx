import type { ReleaseSummary } from "@dosimeter/client";
import { intervalDot, measureText, rangeText } from "@dosimeter/plot";
import { useWidth } from "./Figure.tsx";
import { SceneView } from "./SceneView.tsx";

type ReleasedNumber = NonNullable<ReleaseSummary["numbers"]>[number];

/** One released number as a dot with its interval on its range, as wide as its place. */
export function IntervalDot({ of, ends = false }: { of: ReleasedNumber; ends?: boolean }) {
  const [width, measure] = useWidth();
  const { scene } = intervalDot({ ...of, title: of.label, ends }, { width: Math.max(96, width) });
  return (
    <div ref={measure} className="interval-dot" style={{ minHeight: scene.height }}>
      {width === 0 ? null : <SceneView scene={scene} label={`${scene.title}: ${scene.summary}`} />}
    </div>
  );
}

/** The first two numbers of a release, each with its dot: for lists. */
export function ReleasedNumbers({ of }: { of: readonly ReleasedNumber[] }) {
  return (
    <div className="released-numbers">
      {of.slice(0, 2).map((number) => (
        <div key={number.row}>
          <span className="whole" title={numberTitle(number)}>
            {measureText(number.value, number, 3)}
          </span>
          <IntervalDot of={number} />
        </div>
      ))}
    </div>
  );
}

const numberTitle = ({ value, interval, calendar, unit }: ReleasedNumber): string => {
  const said = measureText(value, { calendar, unit }, 15);
  return interval === null ? said : `${said}, ${rangeText(interval, { calendar, unit })}`;
};
