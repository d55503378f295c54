import type { ReleaseSummary } from "@dosimeter/client";
import { formatNumber, intervalDot } from "@dosimeter/plot";
import { useWidth } from "./Figure.tsx";
import { SceneView } from "./SceneView.tsx";

type ReleasedNumber = NonNullable<ReleaseSummary["numbers"]>[number];

/** One released number as a dot with its interval on its range, as wide as its place. */
export function IntervalDot({ of, unit, ends = false }: { of: ReleasedNumber; unit?: string; ends?: boolean }) {
  const [width, measure] = useWidth();
  const { scene } = intervalDot({ ...of, title: of.label, unit, ends }, { width: Math.max(96, width) });
  return (
    <div ref={measure} className="interval-dot" style={{ minHeight: scene.height }}>
      {width === 0 ? null : <SceneView scene={scene} label={`${scene.title}: ${scene.summary}`} />}
    </div>
  );
}

/** The numbers of a release, each with its dot: for lists. */
export function ReleasedNumbers({ of, most = 2 }: { of: readonly ReleasedNumber[]; most?: number }) {
  return (
    <div className="released-numbers">
      {of.slice(0, most).map((number) => (
        <div key={number.row}>
          <span className="whole" title={numberTitle(number)}>
            {formatNumber(number.value, 3)}
          </span>
          <IntervalDot of={number} />
        </div>
      ))}
    </div>
  );
}

const numberTitle = ({ value, interval }: ReleasedNumber): string =>
  interval === null
    ? formatNumber(value, 15)
    : `${formatNumber(value, 15)}, ${formatNumber(interval[0], 15)} to ${formatNumber(interval[1], 15)}`;
