import { inkVariables } from "../scene/ink.ts";
import { toSvg } from "../scene/svg.ts";
import { FONT_FAMILY } from "../scene/text.ts";
import { rowsOf } from "./release-report.ts";
import { type Block, REPORT_WIDTH, type Report } from "./report.ts";

/**
 * The report as one HTML file: no script, no link, no picture from elsewhere; charts are inline SVG. On paper's white, or in the colours of its
 * reader. `head`: HTML for its head.
 */
export function reportHtml(
  report: Report,
  { head = "", theme = "light" }: { head?: string; theme?: "light" | "auto" } = {},
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(report.title)}</title>
${head}<style>${STYLE}${theme === "auto" ? DARK : ""}</style>
</head>
<body>
<main>
<h1>${escaped(report.title)}</h1>
<p class="soft">${escaped(report.subtitle)}</p>
${report.blocks.map((one) => block(one, theme)).join("\n")}
</main>
</body>
</html>
`;
}

function block(given: Block, theme: "light" | "auto"): string {
  switch (given.kind) {
    case "heading":
      return `<h2>${escaped(given.text)}</h2>`;
    case "page":
      return `<hr class="page">`;
    case "text":
      return `<p${given.tone === undefined ? "" : ` class="${given.tone}"`}>${escaped(given.text)}</p>`;
    case "facts":
      return `<dl>${given.facts.map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`).join("")}</dl>`;
    case "chart": {
      const scene = (width: number) => given.draw({ width, heading: false }).scene;
      const caption = given.caption === "" ? "" : `<figcaption>${escaped(given.caption)}</figcaption>`;
      if (theme === "light") return `<figure>${toSvg(scene(REPORT_WIDTH), { theme })}${caption}</figure>`;
      const [wide, narrow] = [REPORT_WIDTH, PHONE_WIDTH].map((width) =>
        toSvg(scene(width), { theme: "page", background: false }),
      );
      // What a hidden picture defines is not drawn elsewhere: the other has names of its own.
      const own = narrow?.replaceAll(/\b(id="|url\(#)/g, "$1phone-");
      return `<figure><div class="wide">${wide}</div><div class="phone">${own}</div>${caption}</figure>`;
    }
    case "table": {
      const { columns } = given.table;
      const head = columns.map(({ name, align }) => `<th scope="col" class="${align}">${escaped(name)}</th>`).join("");
      const rows = rowsOf(given)
        .map(
          (row) =>
            `<tr>${row.map((text, at) => `<td class="${columns[at]?.align}">${escaped(text)}</td>`).join("")}</tr>`,
        )
        .join("");
      const table = `<table><caption>${escaped(given.caption)}</caption><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table>`;
      return theme === "light" ? table : `<div class="sideways" tabindex="0">${table}</div>`;
    }
    case "code":
      return `<figure><figcaption>${escaped(given.caption)}</figcaption><pre tabindex="0">${escaped(given.text)}</pre></figure>`;
    default:
      return given satisfies never;
  }
}

const STYLE = `body{font:16px/1.5 ${FONT_FAMILY};color:#17222b;background:#fff;margin:0}
main{max-width:${REPORT_WIDTH}px;margin:0 auto;padding:32px 20px;overflow-wrap:anywhere}
h1{font-size:28px;line-height:1.2;margin:0 0 4px}h2{font-size:20px;margin:36px 0 8px;border-top:1px solid #d5dce0;padding-top:20px}
.soft,figcaption,caption,dt{color:#55636e;font-size:14px}.strong{font-size:28px;font-weight:650;margin:0}
figure{margin:16px 0}svg{max-width:100%;height:auto}table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
caption{text-align:left;padding-bottom:4px}th,td{padding:4px 8px;border-bottom:1px solid #e4e9ec;text-align:left}.right{text-align:right}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(180px,1fr));gap:8px 16px;margin:12px 0}dd{margin:0}
pre{background:#f4f7f8;padding:12px;font-size:13px;white-space:pre-wrap}
.page{border:0;margin:0}@media print{.page{break-after:page}h2,caption,thead{break-after:avoid}figure,tr{break-inside:avoid}thead{display:table-header-group}}`;

/** Of charts on a phone, whose letters would be too small on one for paper. */
const PHONE_WIDTH = 350;

const DARK = `.phone{display:none}@media screen and (max-width:560px){.wide{display:none}.phone{display:block}}td,th{overflow-wrap:break-word}.sideways{overflow-x:auto}
:root{color-scheme:light dark;${inkVariables("light")}}
@media screen and (prefers-color-scheme:dark){:root{${inkVariables("dark")}}body{color:#e8edf1;background:#16202a}
h2,th,td{border-color:#2a3742}.soft,figcaption,caption,dt{color:#9fb0bd}pre{background:#1d2832}}`;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
/** A text as content of markup, or in quotes. */
export const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
