import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { openWorker } from "../worker/open-worker.ts";
import type { PracticeJob } from "../worker/tasks.ts";

/** The pause in typing after which the plan is practised again. */
const REST_MS = 500;

/** The answers of a plan on practice data: free, reads no rows, and follows every edit. */
export function usePractised(wanted: PracticeJob) {
  // Compared as text, because a plan is a new object at every keystroke.
  const [job] = useDebouncedValue(JSON.stringify(wanted), REST_MS);
  return useQuery({
    queryKey: ["practice", job],
    queryFn: () => {
      const worker = openWorker();
      return worker.run("practise", JSON.parse(job) as PracticeJob).finally(worker.close);
    },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}
