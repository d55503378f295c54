import { spendReport } from "@dosimeter/ledger";
import { serveThread } from "../threads/serve-thread.ts";

serveThread(spendReport);
