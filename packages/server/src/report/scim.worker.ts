import { answer } from "../scim/library.ts";
import { serveThread } from "./serve-thread.ts";

serveThread(answer);
