// The public operations on earlier answers. `LedgerDatabase` passes the context, the first argument of each.
export { reusePolicy as policy, savings, setReusePolicy as setPolicy } from "../release/savings.ts";
export {
  findStatistics as find,
  lastStatistic as horizon,
  library,
  newestStatistics as newest,
  statisticRows as rows,
} from "../release/statistic.ts";
