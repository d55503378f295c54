export { vectorOf } from "./measure.ts";
