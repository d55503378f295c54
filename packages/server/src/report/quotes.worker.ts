import { planQuotes } from "@dosimeter/core/accounting";
import { serveThread } from "../threads/serve-thread.ts";

serveThread((plan: Parameters<typeof planQuotes>) => planQuotes(...plan));
