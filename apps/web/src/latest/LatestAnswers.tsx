import type { Release, ReleaseSummary } from "@dosimeter/client";
import { present } from "@dosimeter/core/internal";
import { barStrip, intervalText, measureText } from "@dosimeter/plot";
import { type ReportedAnswer as Answer, askedBy, measureOf, titleOf } from "@dosimeter/plot/report";
import { answersToShow } from "@dosimeter/query/answer";
import { shortWindow } from "@dosimeter/query/bind";
import type { Plan } from "@dosimeter/query/statistics";
import { Link } from "@tanstack/react-router";
import { useReleases, useSettled } from "../api/releases.ts";
import { IntervalDot } from "../parts/IntervalDot.tsx";
import { Fault, Loading } from "../parts/Pending.tsx";
import { SceneView } from "../parts/SceneView.tsx";
import { dayText } from "../parts/words.ts";
import "./latest.css";

/** Releases whose answers are shown, and the answers of them that fit. */
const MAX_RELEASES = 3;
const MAX_ANSWERS = 6;

/** The newest answers as small multiples; each leads to its release. Nothing is drawn until all are there. */
export function LatestAnswers({ dataset, empty }: { dataset?: string; empty: React.ReactNode }) {
  const list = useReleases({ limit: 6, ...present({ dataset }) });
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  const settled = useSettled(items.filter(({ stage }) => stage === "done").slice(0, MAX_RELEASES));
  if (list.error !== null && list.data === undefined)
    return <Fault error={list.error} retry={() => void list.refetch()} />;
  if (list.isPending || settled.some(({ isPending }) => isPending)) return <Loading lines={5} />;
  const known = settled.flatMap(({ data }) => (data?.answers ? [data] : []));
  const tiles = known.flatMap((release) => (answersToShow(release) ?? []).map((answer) => ({ release, answer })));
  const waiting = items.filter(({ stage }) => stage !== "done");
  if (tiles.length + waiting.length === 0) return empty;
  return (
    <ul className="latest">
      {waiting.slice(0, 1).map((release) => (
        <Underway key={release.id} release={release} />
      ))}
      {tiles.slice(0, MAX_ANSWERS - Math.min(1, waiting.length)).map(({ release, answer }) => (
        <li key={`${release.id} ${answer.id}`}>
          <Link to="/releases/$release" params={{ release: release.id }} title={nameOf(release, answer)}>
            {nameOf(release, answer)}
          </Link>
          <Picture answer={answer} number={release.numbers?.find(({ row }) => row === answer.id)} />
          <span className="soft small">
            {dataset === undefined ? `${release.datasetName} · ` : ""}
            {release.plan.window === undefined
              ? ""
              : `${shortWindow(release.plan.window as NonNullable<Plan["window"]>)} · `}
            {dayText(release.chargedAt)} · {askedBy(release)}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The name that people gave the release, and which of its answers this is where it has several. */
function nameOf({ isNamed, title, answers }: Pick<Release, "isNamed" | "title" | "answers">, answer: Answer): string {
  if (!isNamed) return titleOf(answer);
  return (answers ?? []).length > 1 ? `${title}: ${titleOf(answer)}` : title;
}

function Underway({ release }: { release: ReleaseSummary }) {
  return (
    <li>
      <Link to="/releases/$release" params={{ release: release.id }}>
        {release.title}, being measured
      </Link>
      <span className="soft small">
        {release.datasetName} · {dayText(release.chargedAt)} · {askedBy(release)}
      </span>
    </li>
  );
}

type Released = NonNullable<ReleaseSummary["numbers"]>[number];

const PICTURE = { width: 232, height: 52 } as const;

const least = (cells: Answer["cells"]): number => Math.min(...cells.map(({ value }) => value));
const most = (cells: Answer["cells"]): number => Math.max(...cells.map(({ value }) => value));

/** One number with its interval, or the shape of several. */
function Picture({ answer, number }: { answer: Answer; number: Released | undefined }) {
  const { cells } = answer;
  const [only] = cells;
  if (only === undefined) return <p>No value was shared by enough {answer.words?.noun.many ?? "people"}.</p>;
  const measure = measureOf(answer);
  const { calendar } = measure;
  if (cells.length > 1 && calendar != null)
    return <span className="latest-number">{intervalText([least(cells), most(cells)], { calendar })}</span>;
  if (cells.length === 1)
    return (
      <div>
        <span className="latest-number">{only.unreliable ? "–" : measureText(only.value, measure, 4)}</span>{" "}
        {only.rank !== undefined || only.unreliable ? null : (
          <span className="soft small">{intervalText(only.interval, { calendar })}</span>
        )}
        {number === undefined || number.interval === null ? null : <IntervalDot of={number} />}
      </div>
    );
  const bars = cells.map(({ group, bin, value, interval: [low, high], rank, unreliable }) => ({
    name: [...Object.values(group).map(String), ...(bin === undefined ? [] : [bin.label])].join(", "),
    value: unreliable ? null : { value, ...(rank === undefined ? { low, high } : {}) },
  }));
  const { scene, title, summary } = barStrip({ title: titleOf(answer), bars }, PICTURE);
  return <SceneView scene={scene} label={`${title}. ${summary}`} />;
}
