import { type Chart, inkVariables, toSvg } from "@dosimeter/plot";
import { type Figure, figureNamed } from "./index.ts";

/** Widths that the build draws at: of a page and of a phone. A script draws at the width that there is. */
const [WIDE, NARROW] = [720, 340];

export const startOf = ({ controls }: Figure): readonly number[] => controls.map(({ start }) => start);

export const svgOf = ({ scene }: Chart): string => toSvg(scene, { theme: "page", background: false });

/** The picture as a file of its own, as a code host shows it. */
export const fileOf = (figure: Figure): string => toSvg(figure.draw(startOf(figure), { width: WIDE }).scene);

/** A figure as it stands in a page before a script runs, or null where there is none of that name. */
export function markupOf(name: string): string | null {
  const figure = figureNamed(name);
  if (figure === undefined) return null;
  const [wide, narrow] = [WIDE, NARROW].map((width) => figure.draw(startOf(figure), { width }));
  if (wide === undefined || narrow === undefined) return null;
  const controls = figure.controls.map(({ label, stops, start }, index) => {
    const id = `${name}-${index}`;
    return (
      `<div><label for="${id}">${label}</label><output for="${id}">${start}</output>` +
      `<input type="range" id="${id}" min="0" max="${stops.length - 1}" value="${stops.indexOf(start)}" aria-valuetext="${start}"></div>`
    );
  });
  return (
    `<figure class="live not-content" data-figure="${name}" data-pagefind-ignore>` +
    `<div class="live-picture"><div class="live-wide">${svgOf(wide)}</div><div class="live-narrow">${svgOf(narrow)}</div></div>` +
    `<div class="live-controls">${controls.join("")}</div>` +
    `<figcaption aria-live="polite">${wide.summary}</figcaption></figure>`
  );
}

/** The paints of both themes, for a page that has a figure. */
export const FIGURE_STYLE = `:root{${inkVariables("light")}}:root[data-theme="dark"]{${inkVariables("dark")}}`;
