// The public operations on earlier answers. Each function takes the context first; `LedgerDatabase` binds it.
export { reusePolicy as policy, savings, setReusePolicy as setPolicy } from "./savings.ts";
export {
  findStatistics as find,
  lastStatistic as horizon,
  library,
  newestStatistics as newest,
  statisticRows as rows,
} from "./statistic.ts";
