export { constant, type Form, formOf, halfWidthOf, none, numberOf, sumOf, varianceOf } from "./form.ts";
export type { Cost } from "./noise.ts";
export { gaussianNoise } from "./noise-at.ts";
export { peopleOf } from "./published.ts";
export { type Selected, selected } from "./selected.ts";
export { countInterval, noiseHalfWidth, spread } from "./tail.ts";
