import { z } from "zod";

/** One noisy answer as @dosimeter/query made it: value, interval, noise, and groups or bins where asked for. */
export const answer = z
  .looseObject({ id: z.string(), statistic: z.string(), label: z.string() })
  .meta({ id: "Answer" });
