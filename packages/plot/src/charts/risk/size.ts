import type { ChartSize } from "../../chart.ts";

/** Charts with long legends need more height than usual. */
export const tall = (size: ChartSize): ChartSize => ({ height: 390, ...size });
