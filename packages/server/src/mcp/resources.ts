import type { Client } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { guide } from "./guide.ts";
import { furtherTools } from "./listing.ts";

interface Resource {
  readonly title: string;
  readonly description: string;
  readonly mimeType: "text/markdown" | "application/json";
  /** What it holds; `id` is what stands in place of {id}. */
  readonly read: (client: Client, id: string) => Promise<object | string>;
}

/** What can be read by its address: the same rights and routes as the tools. {id} makes it a template. */
const resources: Readonly<Record<string, Resource>> = {
  "dosimeter://guide": {
    title: "Guide",
    description: "How to ask under a privacy budget",
    mimeType: "text/markdown",
    read: async () => guide,
  },
  "dosimeter://tools": {
    title: "Tools",
    description: "The tools behind find: what each does",
    mimeType: "application/json",
    read: async () => furtherTools.map(({ name, description }) => ({ name, description })),
  },
  "dosimeter://tools/{id}": {
    title: "Tool",
    description: "The schemas of one of them",
    mimeType: "application/json",
    read: async (_, id) => furtherTools.find(({ name }) => name === id) ?? notFound(),
  },
  "dosimeter://datasets": {
    title: "Datasets",
    description: "The datasets I can see",
    mimeType: "application/json",
    read: (client) => client.listDatasets(),
  },
  "dosimeter://datasets/{id}": {
    title: "Dataset",
    description: "One dataset: columns, bounds, guarantee",
    mimeType: "application/json",
    read: (client, dataset) => client.showDataset({ dataset }),
  },
  "dosimeter://releases": {
    title: "Releases",
    description: "The releases I can read, newest first",
    mimeType: "application/json",
    read: (client) => client.listReleases(),
  },
  "dosimeter://releases/{id}": {
    title: "Release",
    description: "One release with its answers; one that is not mine may count against my cap",
    mimeType: "application/json",
    read: (client, release) => client.showRelease({ release }),
  },
};

const listed = Object.entries(resources).map(([uri, { read: _, title, ...about }]) => ({
  uri,
  name: title,
  title,
  ...about,
}));
const isTemplate = ({ uri }: { readonly uri: string }): boolean => uri.endsWith("/{id}");

export const listedResources = listed.filter((one) => !isTemplate(one));
export const listedTemplates = listed.filter(isTemplate).map(({ uri, ...about }) => ({ uriTemplate: uri, ...about }));

/** A resource as text. NOT_FOUND for every address that there is not. */
export async function readResource(
  client: Client,
  uri: string,
): Promise<{ readonly mimeType: string; readonly content: object | string }> {
  const [, collection, id] = /^(dosimeter:\/\/\w+)\/([A-Za-z0-9_.-]{1,80})$/.exec(uri) ?? [];
  const found = id === undefined ? uri : `${collection}/{id}`;
  const resource = Object.hasOwn(resources, found) ? resources[found] : undefined;
  if (resource === undefined || found.endsWith("{id}") !== (id !== undefined)) throw new PrivacyError("NOT_FOUND");
  return { mimeType: resource.mimeType, content: await resource.read(client, id ?? "") };
}

function notFound(): never {
  throw new PrivacyError("NOT_FOUND");
}
