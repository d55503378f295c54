import { freeQuota } from "@dosimeter/core";
import { serveThread } from "../threads/serve-thread.ts";

serveThread((use: Parameters<typeof freeQuota>) => freeQuota(...use));
