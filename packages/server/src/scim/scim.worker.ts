import { serveThread } from "../threads/serve-thread.ts";
import { answer } from "./library.ts";

serveThread(answer);
