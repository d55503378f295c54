import { serveThread } from "../report/serve-thread.ts";
import { answer } from "./library.ts";

serveThread(answer);
