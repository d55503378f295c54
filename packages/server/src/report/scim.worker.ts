import { serveThread } from "./serve-thread.ts";
import { answer } from "../scim/library.ts";

serveThread(answer);
