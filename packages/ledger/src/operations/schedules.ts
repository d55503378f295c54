// The public operations. `LedgerDatabase` passes the context, the first argument of each.
export { announcePoint, lastPoint, points, putPoint, unannouncedPoints } from "../schedules/point.ts";
export {
  activeSchedules,
  createSchedule,
  earmark,
  endSchedule,
  schedule,
  schedules,
  setSchedule,
} from "../schedules/schedule.ts";
