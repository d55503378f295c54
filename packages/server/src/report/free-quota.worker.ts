import { freeQuota } from "@dosimeter/core";
import { serveThread } from "./serve-thread.ts";

serveThread((use: Parameters<typeof freeQuota>) => freeQuota(...use));
