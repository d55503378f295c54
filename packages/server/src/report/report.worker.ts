import { spendReport } from "@dosimeter/ledger";
import { serveThread } from "./serve-thread.ts";

serveThread(spendReport);
