import { createRequire } from "node:module";
import PDFDocument from "pdfkit";
import { drawScene } from "./pdf-scene.ts";
import { rowsOf } from "./release-report.ts";
import { type Block, REPORT_WIDTH, type Report } from "./report.ts";

const files = createRequire(import.meta.url);
const font = (face: "Regular" | "Bold"): string => files.resolve(`roboto-fontface/fonts/Roboto/Roboto-${face}.ttf`);

const MARGIN = 50;
const INK = "#17222b";
const SOFT = "#55636e";
const LINE = "#d5dce0";

type Moment = NonNullable<PDFKit.DocumentInfo["CreationDate"]>;
type Document = InstanceType<typeof PDFDocument>;

/** The report as a PDF file, set without a browser in a font that comes with the package. Same report, same pages. */
export function reportPdf(report: Report, { at }: { readonly at: Moment }): Promise<Uint8Array<ArrayBuffer>> {
  const info = { Title: report.title, CreationDate: at, ModDate: at, Producer: "Dosimeter", Creator: "Dosimeter" };
  const pdf = new PDFDocument({ size: "A4", margin: MARGIN, info, bufferPages: true, lang: "en", displayTitle: true });
  pdf.registerFont("plain", font("Regular"));
  pdf.registerFont("bold", font("Bold"));
  const parts: Uint8Array[] = [];
  const done = new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
    pdf.on("data", (part: Uint8Array) => parts.push(part));
    pdf.on("error", reject);
    pdf.on("end", () => resolve(joined(parts)));
  });
  pdf.font("bold").fontSize(20).fillColor(INK).text(report.title);
  pdf.font("plain").fontSize(10).fillColor(SOFT).text(report.subtitle);
  for (const block of report.blocks) set(pdf, block);
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

const widthOf = (pdf: Document): number => pdf.page.width - 2 * MARGIN;
const room = (pdf: Document, height: number): void => {
  if (pdf.y + height > pdf.page.height - MARGIN) pdf.addPage();
};

function set(pdf: Document, block: Block): void {
  pdf.x = MARGIN;
  switch (block.kind) {
    case "heading":
      pdf.moveDown(1.2);
      room(pdf, 90);
      pdf.font("bold").fontSize(14).fillColor(INK).text(block.text).moveDown(0.3);
      return;
    case "text": {
      const isStrong = block.tone === "strong";
      pdf.font(isStrong ? "bold" : "plain").fontSize(isStrong ? 20 : 10.5);
      pdf
        .fillColor(block.tone === "soft" ? SOFT : INK)
        .text(block.text)
        .moveDown(0.3);
      return;
    }
    case "facts":
      for (const [name, value] of block.facts) {
        room(pdf, 16);
        pdf.font("plain").fontSize(9.5).fillColor(SOFT).text(`${name}  `, { continued: true });
        pdf.fillColor(INK).text(value);
      }
      pdf.moveDown(0.4);
      return;
    case "chart": {
      const { scene } = block.draw({ width: REPORT_WIDTH, heading: false });
      const scale = widthOf(pdf) / scene.width;
      room(pdf, scene.height * scale + 30);
      const top = pdf.y;
      drawScene(pdf, scene, { x: MARGIN, y: top, scale });
      pdf.x = MARGIN;
      pdf.y = top + scene.height * scale + 4;
      pdf.font("plain").fontSize(9).fillColor(SOFT).text(block.caption).moveDown(0.5);
      return;
    }
    case "table":
      setTable(pdf, block);
      return;
    case "code":
      room(pdf, 40);
      pdf.font("plain").fontSize(9).fillColor(SOFT).text(block.caption).moveDown(0.2);
      pdf.font("Courier").fontSize(8.5).fillColor(INK).text(asLatin(block.text)).moveDown(0.5);
      return;
    default:
      block satisfies never;
  }
}

/** The typewriter font of every PDF reader knows Latin only; other letters are written as JSON escapes. */
const asLatin = (text: string): string =>
  text.replaceAll(/[^\n\x20-\x7e]/g, (letter) =>
    [...Array(letter.length).keys()].map((at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );

function setTable(pdf: Document, block: Extract<Block, { kind: "table" }>): void {
  const { columns } = block.table;
  const width = widthOf(pdf) / columns.length;
  const line = (texts: readonly string[], isHead: boolean): void => {
    pdf
      .font(isHead ? "bold" : "plain")
      .fontSize(9)
      .fillColor(isHead ? SOFT : INK);
    const height = Math.max(...texts.map((text) => pdf.heightOfString(text, { width: width - 8 })));
    room(pdf, height + 4);
    const top = pdf.y;
    texts.forEach((text, index) => {
      pdf.text(text, MARGIN + index * width, top, { width: width - 8, align: columns[index]?.align ?? "left" });
    });
    pdf.y = top + height + 3;
    pdf
      .moveTo(MARGIN, pdf.y)
      .lineTo(pdf.page.width - MARGIN, pdf.y)
      .lineWidth(0.5)
      .strokeColor(LINE)
      .stroke();
    pdf.y += 2;
    pdf.x = MARGIN;
  };
  pdf.font("plain").fontSize(9).fillColor(SOFT).text(block.caption).moveDown(0.2);
  line(
    columns.map(({ name }) => name),
    true,
  );
  for (const row of rowsOf(block)) line(row, false);
  pdf.moveDown(0.5);
}

/** Page numbers, and the watermark across each page. */
function furnish(pdf: Document, { title, watermark }: Report): void {
  const { start, count } = pdf.bufferedPageRange();
  for (let page = start; page < start + count; page++) {
    pdf.switchToPage(page);
    const { width, height, margins } = pdf.page;
    margins.bottom = 0; // a footer below the margin must not begin a page
    pdf.font("plain").fontSize(8).fillColor(SOFT);
    pdf.text(`${title} · page ${page + 1} of ${count}`, MARGIN, height - 32, {
      width: width - 2 * MARGIN,
      lineBreak: false,
    });
    if (watermark !== null) {
      pdf
        .save()
        .rotate(-35, { origin: [width / 2, height / 2] })
        .fillOpacity(0.14);
      pdf.font("bold").fontSize(84).fillColor("#b3261e");
      pdf.text(watermark, 0, height / 2 - 50, { width, align: "center", lineBreak: false }).restore();
    }
  }
}
