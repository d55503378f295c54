import type { Release } from "@dosimeter/client";
import { comparedChart, type ReportedAnswer } from "@dosimeter/plot/report";
import { answersToShow } from "@dosimeter/query/answer";
import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { useRelease, useReleases } from "../api/releases.ts";
import { Figure } from "../parts/Figure.tsx";
import { Fault, Loading } from "../parts/Pending.tsx";
import { dayText } from "../parts/words.ts";

const MAX_LISTED = 100;

/** The same question in another release of the dataset, with this one on one scale. Reading both is free. */
export function Compare({ release, answers }: { release: Release; answers: readonly ReportedAnswer[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Compare with another release</summary>
      {isOpen ? <Choice release={release} answers={answers} /> : null}
    </details>
  );
}

function Choice({ release, answers }: { release: Release; answers: readonly ReportedAnswer[] }) {
  const [chosen, setChosen] = useState("");
  const list = useReleases({ dataset: release.dataset, limit: MAX_LISTED });
  if (list.error !== null) return <Fault error={list.error} retry={() => void list.refetch()} />;
  if (list.isPending) return <Loading lines={2} />;
  const others = list.data.pages
    .flatMap(({ items }) => items)
    .filter(({ id, stage, statistics }) => {
      return id !== release.id && stage === "done" && statistics.some((one) => release.statistics.includes(one));
    });
  if (others.length === 0) return <p className="soft">No other release of this dataset asks any of the same.</p>;
  return (
    <div className="stack gap-16">
      <NativeSelect
        label="With"
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
        data={[
          { value: "", label: "Choose a release" },
          ...others.map(({ id, title, chargedAt }) => ({ value: id, label: `${title}, ${dayText(chargedAt)}` })),
        ]}
      />
      {chosen === "" ? null : <Beside release={release} answers={answers} other={chosen} />}
    </div>
  );
}

function Beside({ release, answers, other }: { release: Release; answers: readonly ReportedAnswer[]; other: string }) {
  const found = useRelease(other);
  if (found.error !== null) return <Fault error={found.error} retry={() => void found.refetch()} />;
  if (found.isPending) return <Loading lines={6} />;
  const theirs = answersToShow(found.data) ?? [];
  const names = [release, found.data].map(({ chargedAt, title }) => `${dayText(chargedAt)}, ${title}`);
  const charts = answers.flatMap((answer) =>
    theirs.flatMap((each) => comparedChart([answer, each], names) ?? []).slice(0, 1),
  );
  if (charts.length === 0) return <p className="soft">No answer of the two is to the same question.</p>;
  return charts.map((chart) => (
    <Figure
      key={chart({ width: 480 }).title}
      chart={chart}
      caption="Each interval is about the noise alone: two that overlap can still differ, and the data may be of other times."
    />
  ));
}
