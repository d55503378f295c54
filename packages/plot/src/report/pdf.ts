import { createRequire } from "node:module";
import PDFDocument from "pdfkit";
import { drawable, drawableCode, drawableProse, drawScene } from "./pdf-scene.ts";
import { rowsOf } from "./release-report.ts";
import { type Block, REPORT_WIDTH, type Report } from "./report.ts";

const files = createRequire(import.meta.url);
const font = (face: "Regular" | "Bold"): string => files.resolve(`roboto-fontface/fonts/Roboto/Roboto-${face}.ttf`);

const MARGIN = 50;
const INK = "#17222b";
const SOFT = "#55636e";
const LINE = "#d5dce0";

type Document = InstanceType<typeof PDFDocument>;

/**
 * The report as a PDF file, set without a browser in a font that comes with the package. Same report, same pages. Tagged:
 * a screen reader finds headings, tables with their heads, and what a chart shows; the running foot is not read.
 */
export function reportPdf(report: Report, { at }: { readonly at: Date }): Promise<Uint8Array<ArrayBuffer>> {
  const info = { Title: report.title, CreationDate: at, ModDate: at, Producer: "Dosimeter", Creator: "Dosimeter" };
  const pdf = new PDFDocument({
    size: "A4",
    margin: MARGIN,
    info,
    bufferPages: true,
    lang: "en",
    displayTitle: true,
    pdfVersion: "1.7",
    tagged: true,
  });
  pdf.registerFont("plain", font("Regular"));
  pdf.registerFont("bold", font("Bold"));
  const parts: Uint8Array[] = [];
  const done = new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
    pdf.on("data", (part: Uint8Array) => parts.push(part));
    pdf.on("error", reject);
    pdf.on("end", () => resolve(joined(parts)));
  });
  const page: Page = { pdf, root: pdf.struct("Document") };
  pdf.addStructure(page.root);
  say(page, "H1", () => pdf.font("bold").fontSize(20).fillColor(INK).text(drawableProse(report.title)));
  say(page, "P", () => pdf.font("plain").fontSize(10).fillColor(SOFT).text(drawable(report.subtitle)));
  report.blocks.forEach((block, index) => {
    set(page, block, report.blocks[index + 1]);
  });
  page.root.end();
  furnish(pdf, report);
  pdf.end();
  return done;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** What is set on, and what it says to a reader who cannot see it. */
interface Page {
  readonly pdf: Document;
  readonly root: Part;
}
type Part = ReturnType<Document["struct"]>;

const widthOf = (pdf: Document): number => pdf.page.width - 2 * MARGIN;
/** Whether a page had to begin for it. */
function room(pdf: Document, height: number): boolean {
  if (pdf.y + height <= pdf.page.height - MARGIN) return false;
  pdf.addPage();
  return true;
}

const isAtTop = (pdf: Document): boolean => pdf.y <= MARGIN + 1;

/** A part of the document: what `draw` sets is read as one. */
function say({ pdf, root }: Page, tag: string, draw: () => void, options: { readonly alt?: string } = {}): void {
  const part = pdf.struct(tag, options);
  root.add(part);
  part.add(draw);
  part.end();
}

/** Drawn, and nothing to read. */
function ornament(pdf: Document, draw: () => void): void {
  pdf.markContent("Artifact", { type: "Layout" });
  draw();
  pdf.endMarkedContent();
}

/** A heading with what is above and below it. */
const HEADING = 46;

/** A chart's scene, how much larger it is set, and the height it needs with its caption: never more than a page leaves below a heading. */
function sized(pdf: Document, block: Extract<Block, { kind: "chart" }>) {
  const { scene, summary } = block.draw({ width: REPORT_WIDTH, heading: false });
  pdf.font("plain").fontSize(9);
  const below = 10 + pdf.heightOfString(drawable(block.caption), { width: widthOf(pdf) });
  const most = pdf.page.height - 2 * MARGIN - HEADING - below;
  const scale = Math.min(widthOf(pdf) / scene.width, most / scene.height);
  return { scene, summary, scale, height: scene.height * scale + below };
}

/** Code of up to this height stays with its caption. */
const SHORT = 240;

/** The height of the first part of a block that is not divided: a heading above it needs as much. */
function leastHeight(pdf: Document, block: Block | undefined): number {
  switch (block?.kind) {
    case "chart":
      return sized(pdf, block).height;
    case "table":
      return 90;
    default:
      return 44;
  }
}

function set(page: Page, block: Block, next: Block | undefined): void {
  const { pdf } = page;
  pdf.x = MARGIN;
  switch (block.kind) {
    case "heading":
      if (!isAtTop(pdf)) pdf.y += 16;
      room(pdf, HEADING - 16 + leastHeight(pdf, next));
      say(page, "H2", () => pdf.font("bold").fontSize(14).fillColor(INK).text(drawableProse(block.text)));
      pdf.moveDown(0.3);
      return;
    case "page":
      if (!isAtTop(pdf)) pdf.addPage();
      return;
    case "text": {
      const isStrong = block.tone === "strong";
      pdf.font(isStrong ? "bold" : "plain").fontSize(isStrong ? 20 : 10.5);
      room(pdf, Math.min(60, pdf.heightOfString(drawable(block.text), { width: widthOf(pdf) })));
      say(page, "P", () => pdf.fillColor(block.tone === "soft" ? SOFT : INK).text(drawableProse(block.text)));
      pdf.moveDown(0.3);
      return;
    }
    case "facts":
      for (const [name, value] of block.facts) {
        room(pdf, 16);
        say(page, "P", () => {
          pdf.font("plain").fontSize(9.5).fillColor(SOFT).text(`${name}  `, { continued: true });
          pdf.fillColor(INK).text(drawable(value));
        });
      }
      pdf.moveDown(0.4);
      return;
    case "chart": {
      const { scene, summary, scale, height } = sized(pdf, block);
      room(pdf, height);
      const top = pdf.y;
      const bottom = top + scene.height * scale;
      say(page, "Figure", () => drawScene(pdf, scene, { x: MARGIN, y: top, scale }), { alt: summary });
      pdf.x = MARGIN;
      pdf.y = bottom + 4;
      note(page, block.caption, 0.5);
      return;
    }
    case "table":
      setTable(page, block);
      return;
    case "code": {
      const text = drawableCode(block.text, block.language);
      // The typewriter font of every PDF reader knows Latin only.
      const font = /^[\n\x20-\x7e]*$/.test(text) ? "Courier" : "plain";
      const height = pdf
        .font(font)
        .fontSize(8.5)
        .heightOfString(text, { width: widthOf(pdf) });
      room(pdf, Math.min(SHORT, 20 + height));
      note(page, block.caption, 0.2);
      pdf.font(font).fontSize(8.5);
      say(page, "Code", () => pdf.fillColor(INK).text(text));
      pdf.moveDown(0.5);
      return;
    }
    default:
      block satisfies never;
  }
}

function note(page: Page, text: string, below: number): void {
  say(page, "P", () => page.pdf.font("plain").fontSize(9).fillColor(SOFT).text(drawableProse(text)));
  page.pdf.moveDown(below);
}

function setTable(page: Page, block: Extract<Block, { kind: "table" }>): void {
  const { pdf } = page;
  const { columns } = block.table;
  const heads = columns.map(({ name }) => name);
  const rows = rowsOf(block);
  const { size, widths } = columnsOf(pdf, heads, rows, columns);
  const left = (index: number): number => MARGIN + sum(widths.slice(0, index));
  const widthAt = (index: number): number => (widths[index] ?? 0) - 8;
  const face = (isHead: boolean): void => {
    pdf
      .font(isHead ? "bold" : "plain")
      .fontSize(size)
      .fillColor(isHead ? SOFT : INK);
  };
  const heightOf = (texts: readonly string[]): number =>
    Math.max(...texts.map((text, index) => pdf.heightOfString(drawable(text), { width: widthAt(index) })));
  const line = (texts: readonly string[], isHead: boolean, cell: (draw: () => void) => void): void => {
    face(isHead);
    const height = heightOf(texts);
    const top = pdf.y;
    texts.forEach((text, index) => {
      const align = columns[index]?.align ?? "left";
      cell(() => pdf.text(drawable(text), left(index), top, { width: widthAt(index), align }));
    });
    pdf.y = top + height + 3;
    ornament(pdf, () =>
      pdf
        .moveTo(MARGIN, pdf.y)
        .lineTo(pdf.page.width - MARGIN, pdf.y)
        .lineWidth(0.5)
        .strokeColor(LINE)
        .stroke(),
    );
    pdf.y += 2;
    pdf.x = MARGIN;
  };
  face(true);
  const headHeight = heightOf(heads);
  face(false);
  room(pdf, headHeight + sum(rows.slice(0, 2).map(heightOf)) + 30);
  note(page, block.caption, 0.2);
  const table = pdf.struct("Table");
  page.root.add(table);
  const row = (texts: readonly string[], isHead: boolean): void => {
    face(isHead);
    // A page that begins within a table begins with its heads: for the eye, they were read.
    if (room(pdf, heightOf(texts) + 4) && !isHead) line(heads, true, (draw) => ornament(pdf, draw));
    const tr = pdf.struct("TR");
    table.add(tr);
    line(texts, isHead, (draw) => {
      const cell = pdf.struct(isHead ? "TH" : "TD", { lang: "en", ...(isHead ? { scope: "Column" } : {}) });
      tr.add(cell);
      cell.add(draw);
      cell.end();
    });
    tr.end();
  };
  row(heads, true);
  rows.forEach((texts, index) => {
    // The last row does not stand alone on a page.
    const last = rows.at(-1) ?? [];
    face(false);
    if (index === rows.length - 2 && room(pdf, heightOf(texts) + heightOf(last) + 10))
      line(heads, true, (draw) => ornament(pdf, draw));
    row(texts, false);
  });
  table.end();
  pdf.moveDown(0.5);
}

type Columns = Extract<Block, { kind: "table" }>["table"]["columns"];
type Rows = readonly (readonly string[])[];
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The largest letters with which all columns stand on the page; where the smallest do not do, words and numbers break. */
function columnsOf(
  pdf: Document,
  heads: readonly string[],
  rows: Rows,
  columns: Columns,
): { readonly size: number; readonly widths: readonly number[] } {
  const wide = widthOf(pdf);
  for (const size of [9, 8, 7]) {
    const widths = columnWidths(pdf, heads, rows, columns, size);
    if (sum(widths) <= wide + 0.01) return { size, widths };
  }
  const size = 6;
  const widths = columnWidths(pdf, heads, rows, columns, size);
  const scale = Math.min(1, wide / sum(widths));
  return { size, widths: widths.map((width) => width * scale) };
}

/** Numbers are not broken; what they leave is for the words, and what is left over is divided among the columns. */
function columnWidths(
  pdf: Document,
  heads: readonly string[],
  rows: Rows,
  columns: Columns,
  size: number,
): readonly number[] {
  const widest = (texts: readonly string[]): number =>
    Math.max(...texts.map((text) => pdf.widthOfString(drawable(text)))) + 10;
  pdf.font("bold").fontSize(size);
  const headWords = heads.map((head) => widest(head.split(/ (?![%\d])/)));
  pdf.font("plain").fontSize(size);
  const wanted = heads.map((_, index) =>
    Math.max(headWords[index] ?? 0, widest(rows.map((texts) => texts[index] ?? ""))),
  );
  const isWord = (index: number): boolean => columns[index]?.align !== "right";
  const spare = widthOf(pdf) - sum(wanted);
  const words = sum(wanted.filter((_, index) => isWord(index)));
  if (spare >= 0 || words === 0) return wanted.map((width) => width + Math.max(0, spare) / wanted.length);
  return wanted.map((width, index) => (isWord(index) ? Math.max(40, width + (spare * width) / words) : width));
}

function furnish(pdf: Document, { title }: Report): void {
  const { start, count } = pdf.bufferedPageRange();
  for (let page = start; page < start + count; page++) {
    pdf.switchToPage(page);
    const { width, height, margins } = pdf.page;
    margins.bottom = 0; // a footer below the margin must not begin a page
    ornament(pdf, () => {
      pdf.font("plain").fontSize(8).fillColor(SOFT);
      pdf.text(`${drawable(title)} · page ${page + 1} of ${count}`, MARGIN, height - 32, {
        width: width - 2 * MARGIN,
        lineBreak: false,
      });
    });
  }
}
