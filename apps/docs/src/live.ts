import { type Figure, figureNamed } from "../figures/index.ts";
import { svgOf } from "../figures/markup.ts";

for (const place of document.querySelectorAll<HTMLElement>("[data-figure]")) {
  const figure = figureNamed(place.dataset.figure ?? "");
  if (figure !== undefined) enliven(place, figure);
}

/** Sliders, the sentence and the picture follow each other; where the chart says what lies under a pixel, it is dragged too. */
function enliven(place: HTMLElement, figure: Figure): void {
  const picture = place.querySelector<HTMLElement>(".live-picture");
  const sentence = place.querySelector("figcaption");
  const sliders = [...place.querySelectorAll<HTMLInputElement>("input")];
  const outputs = [...place.querySelectorAll("output")];
  const [first] = figure.controls;
  if (picture === null || sentence === null) return;

  const values = () => figure.controls.map(({ stops, start }, index) => stops[Number(sliders[index]?.value)] ?? start);
  const drawn = () => figure.draw(values(), { width: Math.max(280, Math.floor(picture.clientWidth)) });

  const show = () => {
    const chart = drawn();
    picture.innerHTML = svgOf(chart);
    sentence.textContent = chart.summary;
    for (const [index, value] of values().entries()) {
      sliders[index]?.setAttribute("aria-valuetext", String(value));
      const output = outputs[index];
      if (output !== undefined) output.textContent = String(value);
    }
  };

  const drag = (event: PointerEvent) => {
    const at = drawn().xAt?.(event.clientX - picture.getBoundingClientRect().left);
    const slider = sliders[0];
    if (at === undefined || slider === undefined) return;
    const apart = first.stops.map((stop) => Math.abs(stop - at));
    slider.value = String(apart.indexOf(Math.min(...apart)));
    show();
  };

  for (const slider of sliders) slider.addEventListener("input", show);
  if (drawn().xAt !== undefined) {
    picture.dataset.drag = "";
    picture.addEventListener("pointerdown", (event) => {
      picture.setPointerCapture(event.pointerId);
      drag(event);
    });
    picture.addEventListener("pointermove", (event) => {
      if (picture.hasPointerCapture(event.pointerId)) drag(event);
    });
  }
  let width = 0;
  new ResizeObserver(() => {
    if (picture.clientWidth === width) return;
    width = picture.clientWidth;
    show();
  }).observe(picture);
}
