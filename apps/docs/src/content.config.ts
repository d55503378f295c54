import { defineCollection } from "astro:content";
import { docsSchema } from "@astrojs/starlight/schema";
import { book } from "../book.ts";

export const collections = { docs: defineCollection({ loader: book, schema: docsSchema() }) };
