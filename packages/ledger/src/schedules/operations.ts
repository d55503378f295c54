// The public operations of this folder. `LedgerDatabase` passes the context, the first argument of each.
export { announcePoint, lastPoint, points, putPoint, unannouncedPoints } from "./point.ts";
export { activeSchedules, createSchedule, earmark, endSchedule, schedule, schedules, setSchedule } from "./schedule.ts";
