import { main } from "@dosimeter/cli";
import { pages } from "./pages.ts";

await main(pages);
