export { createApp } from "./app.ts";
export type { Deps } from "./deps.ts";
export { type House, type HouseOptions, openHouse } from "./house.ts";
export { createLog, type Log, type LogFields, type LogLevel } from "./log.ts";
export { type ReleaseStep, releaseSteps } from "./release.ts";
export { runningHouse } from "./running.ts";
export { closedOnSignal, DEFAULT_PORT, type ServeOptions, type Serving, serve } from "./serve.ts";
