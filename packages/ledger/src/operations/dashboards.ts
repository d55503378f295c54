// The public operations. `LedgerDatabase` passes the context, the first argument of each.
export { changeDashboard, createDashboard, dashboard, dashboards, deleteDashboard } from "../dashboards/dashboard.ts";
