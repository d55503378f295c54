import { fdp, toSvg } from "@dosimeter/plot";
import { fromPoints, readPointsCsv } from "@dosimeter/tradeoff";
import { Button, FileButton, SegmentedControl } from "@mantine/core";
import { IconLink, IconPhoto, IconPlus } from "@tabler/icons-react";
import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { toClipboard } from "../../parts/browser.ts";
import { Figure } from "../../parts/Figure.tsx";
import { Card, Page } from "../../parts/Page.tsx";
import { HelpCard } from "../../plan/HelpCard.tsx";
import { AttackTable } from "./AttackTable.tsx";
import { CurveEditor } from "./CurveEditor.tsx";
import { type Entry, MAX_POINTS, readState, type TradeoffState, unreadIn, withoutEntry, writeState } from "./state.ts";
import { useCurves } from "./use-curves.ts";
import "./tradeoff.css";

/** Draws an SVG at twice its size and downloads it as a PNG file. */
async function savePng(name: string, svg: string): Promise<void> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.width * 2;
    canvas.height = image.height * 2;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const link = document.createElement("a");
    link.href = canvas.toDataURL("image/png");
    link.download = name;
    link.click();
  } finally {
    URL.revokeObjectURL(url);
  }
}

const MAX_CURVES = 8;

/** Trade-off functions side by side: add curves, move their parameters, read what an attacker can do. */
export function Tradeoff() {
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
  const navigate = useNavigate();
  const router = useRouter();
  const [state, setState] = useState<TradeoffState>(() => readState(search));
  const [note, setNote] = useState(() => leftOut(unreadIn(search)));
  const shown = useCurves(state.curves);
  useEffect(() => {
    const timer = setTimeout(() => {
      const isLeaving = router.latestLocation.pathname !== "/explore/trade-offs";
      if (!isLeaving) void navigate({ to: ".", search: writeState(state) as never, replace: true });
    }, 300);
    return () => clearTimeout(timer);
  }, [state, navigate, router]);

  const change = (more: Partial<TradeoffState>) => setState((before) => ({ ...before, ...more }));
  const add = (entry: Entry) => change({ curves: [...state.curves, entry] });
  const isFull = state.curves.length >= MAX_CURVES;
  const addFile = async (file: File | null) => {
    if (file === null) return;
    try {
      const curve = fromPoints(readPointsCsv(await file.text(), file.name));
      const points = "points" in curve.definition ? curve.definition.points : [];
      add({ points, name: file.name.replace(/\.[^.]*$/, "") || "points" });
      setNote(points.length > MAX_POINTS ? "There are too many points for the link; it leaves them out." : "");
    } catch (error) {
      setNote(error instanceof Error ? error.message : "This file holds no points.");
    }
  };
  const plot = fdp(
    ...shown.flatMap(({ name, curve }, i) => {
      const entry = state.curves[i];
      if (curve === null || entry === undefined) return [];
      // A composition that is still being computed keeps its colour, and so do the other curves.
      return [
        { name, place: i, ...("points" in entry ? { of: entry.points, draw: "points" as const } : { of: curve }) },
      ];
    }),
    { axes: state.axes, title: "What an attacker can do", advantage: state.axes === "linear" && shown.length <= 3 },
  );
  return (
    <Page
      title="Trade-offs"
      lead="An attacker who guesses whether you are in the data errs in two ways. Each curve says how rarely both can happen at once; nearer the dashed line is more private."
      crumbs="Explore"
    >
      <div className="tradeoff-columns">
        <Card title="Curves" aside={<HelpCard term="definition" />}>
          <ul className="curve-editors">
            {state.curves.map((_, index) => (
              <CurveEditor
                // biome-ignore lint/suspicious/noArrayIndexKey: an entry has no identity but its place
                key={index}
                index={index}
                entries={state.curves}
                shown={shown[index]}
                onChange={(entry) => change({ curves: state.curves.with(index, entry) })}
                onRemove={() => change({ curves: withoutEntry(state.curves, index) })}
              />
            ))}
          </ul>
          <div className="add-curves">
            <AddButton isFull={isFull} onClick={() => add({ epsdelta: [1, 1e-5] })} text="ε and δ" />
            <AddButton isFull={isFull} onClick={() => add({ gdp: 0.5 })} text="Gaussian μ" />
            <AddButton isFull={isFull} onClick={() => add({ lap: 1 })} text="Laplace" />
            <FileButton accept=".csv,.txt,.tsv,text/csv" onChange={(file) => void addFile(file)}>
              {(properties) => (
                <Button
                  {...properties}
                  variant="default"
                  size="sm"
                  disabled={isFull}
                  leftSection={<IconPlus size={15} aria-hidden />}
                >
                  Points from CSV
                </Button>
              )}
            </FileButton>
            <AddButton
              isFull={isFull || state.curves.length === 0}
              onClick={() => add({ together: state.curves.map((_, i) => [i, 1] as const) })}
              text="Composition"
            />
          </div>
          <p className="small soft" aria-live="polite">
            {note}
          </p>
        </Card>
        <Card>
          <div className="tradeoff-head">
            <SegmentedControl
              aria-label="Axes"
              value={state.axes}
              onChange={(axes) => change({ axes: axes as TradeoffState["axes"] })}
              data={[
                { value: "linear", label: "Errors" },
                { value: "log", label: "Rates, log" },
                { value: "probit", label: "Rates, probit" },
              ]}
            />
            <div className="tradeoff-tools">
              <button type="button" className="tool" onClick={() => void copyLink(setNote)}>
                <IconLink size={16} aria-hidden /> Copy link
              </button>
              <button
                type="button"
                className="tool"
                onClick={() =>
                  void savePng(
                    "trade-offs.png",
                    toSvg(plot.chart({ width: 620, heading: true }).scene, { theme: "light" }),
                  )
                }
              >
                <IconPhoto size={16} aria-hidden /> PNG
              </button>
            </div>
          </div>
          <Figure level={2} chart={(size) => plot.chart(size)} />
        </Card>
      </div>
      <Card title="What the best attack reaches">
        <AttackTable
          shown={shown}
          rate={state.rate}
          prior={state.prior}
          onRate={(rate) => change({ rate })}
          onPrior={(prior) => change({ prior })}
        />
        <p className="small soft">
          Every number is the best that any attack can do against the curve, and a certified upper bound of it for
          compositions. Points of an attack show what one attack did; they guarantee nothing.
        </p>
      </Card>
    </Page>
  );
}

const leftOut = (count: number): string =>
  count === 0
    ? ""
    : `The link held ${count === 1 ? "a curve that is" : `${count} curves that are`} not valid here: left out. Parameters are numbers from 0, δ at most 1.`;

function AddButton({ text, isFull, onClick }: { text: string; isFull: boolean; onClick: () => void }) {
  return (
    <Button
      variant="default"
      size="sm"
      disabled={isFull}
      onClick={onClick}
      leftSection={<IconPlus size={15} aria-hidden />}
    >
      {text}
    </Button>
  );
}

async function copyLink(say: (text: string) => void): Promise<void> {
  const isCopied = await toClipboard(window.location.href);
  say(isCopied ? "The link is copied." : "The address of this page is the link.");
}
