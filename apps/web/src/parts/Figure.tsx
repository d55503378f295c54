import { type Chart, type ChartSize, cellText, toCsv, toSvg } from "@dosimeter/plot";
import { IconChartBar, IconDownload, IconTable } from "@tabler/icons-react";
import { type ReactNode, useCallback, useState } from "react";
import { download } from "./browser.ts";
import { DataTable } from "./DataTable.tsx";
import { SceneView } from "./SceneView.tsx";

/** Wide enough for print; the page draws at its own width. */
const FILE_WIDTH = 760;

interface FigureProps {
  chart: (size: ChartSize) => Chart;
  caption?: ReactNode;
  level?: 2 | 3;
  /** Without heading and tools, for gauges inside a card that has its own. */
  isBare?: boolean;
  /** Buttons before its own. */
  tools?: ReactNode;
  /** Controls that lie over the picture, in its pixels: `position: absolute` inside it. */
  overlay?: (width: number) => ReactNode;
}

/** A chart with its table, its sentence and its downloads. `chart` must be pure: it is drawn again at every width. */
export function Figure({ chart, caption, level = 3, isBare = false, tools, overlay }: FigureProps) {
  const [width, measure] = useWidth();
  const [isTable, setTable] = useState(false);
  const drawn = chart({ width: Math.max(240, width) });
  const Heading = `h${level}` as const;
  const title = drawn.title.toLowerCase().replaceAll("ε", "epsilon").replaceAll("δ", "delta");
  const name = title.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
  const downloads = {
    SVG: () => download(`${name}.svg`, "image/svg+xml", fileOf(chart)),
    PNG: () => void toPng(fileOf(chart)).then((file) => download(`${name}.png`, "image/png", file)),
    CSV: () => download(`${name}.csv`, "text/csv", toCsv(drawn)),
    JSON: () => download(`${name}.json`, "application/json", toJson(drawn)),
  };
  return (
    <figure className="figure">
      {isBare ? null : (
        <div className="figure-head">
          <Heading>{drawn.title}</Heading>
          <div className="figure-tools">
            {tools}
            <button type="button" className="tool" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
              {isTable ? <IconChartBar size={16} aria-hidden /> : <IconTable size={16} aria-hidden />}
              {isTable ? "View as chart" : "View as table"}
            </button>
            {Object.entries(downloads).map(([kind, save]) => (
              <button
                key={kind}
                type="button"
                className="tool"
                aria-label={`Download ${drawn.title} as ${kind}`}
                onClick={save}
              >
                <IconDownload size={16} aria-hidden /> {kind}
              </button>
            ))}
          </div>
        </div>
      )}
      {isBare || drawn.subtitle === undefined || drawn.subtitle === "" ? null : (
        <p className="soft small">{drawn.subtitle}</p>
      )}
      <div ref={measure}>
        {isTable ? (
          <DataTable
            caption={drawn.summary}
            columns={drawn.table.columns.map(({ name: column, align }, index) => ({
              name: column,
              isNumber: align === "right",
              isHead: index === 0,
              cell: (row: (typeof drawn.table.rows)[number]) => {
                const text = cellText(row[index], drawn.table.columns[index], drawn.table.rows.indexOf(row));
                return text === row[index] ? text : <span title={String(row[index] ?? "")}>{text}</span>;
              },
            }))}
            rows={drawn.table.rows}
            keyOf={(_, index) => String(index)}
          />
        ) : width === 0 ? null : (
          <div style={{ position: "relative" }}>
            <SceneView scene={drawn.scene} label={`${drawn.title}. ${drawn.summary}`} />
            {overlay?.(Math.max(240, width))}
          </div>
        )}
      </div>
      {caption === undefined ? null : <figcaption>{caption}</figcaption>}
    </figure>
  );
}

const fileOf = (chart: (size: ChartSize) => Chart): string =>
  toSvg(chart({ width: FILE_WIDTH, heading: true }).scene, { theme: "light" });

/** A picture with two pixels for each of its own, drawn by the browser. */
async function toPng(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, refuse) =>
    canvas.toBlob((file) => (file === null ? refuse(new Error("no picture")) : resolve(file)), "image/png"),
  );
}

/** The table as JSON with all digits; infinities and NaN as text. */
function toJson({ title, summary, table }: Chart): string {
  const columns = table.columns.map((column) => column.name);
  const plain = (_: string, value: unknown) =>
    typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
  return `${JSON.stringify({ title, summary, columns, rows: table.rows }, plain, 2)}\n`;
}

/** The width of an element in whole pixels, kept up to date. */
export function useWidth(): readonly [number, (element: HTMLElement | null) => (() => void) | undefined] {
  const [width, setWidth] = useState(0);
  const measure = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    setWidth(Math.floor(element.clientWidth));
    return () => observer.disconnect();
  }, []);
  return [width, measure];
}
