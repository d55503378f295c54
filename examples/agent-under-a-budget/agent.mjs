// Stands in for a language model: what it sends and reads is what a model would.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const agent = new Client({ name: "example", version: "1.0.0" });
await agent.connect(
  new StdioClientTransport({ command: "npx", args: ["dosimeter", "mcp"], env: process.env, stderr: "inherit" }),
);

/** What a tool says: its answer, or the facts of a refusal, which are the second text. */
async function call(name, args = {}) {
  const { isError = false, content } = await agent.callTool({ name, arguments: args });
  return { isError, ...JSON.parse(content[isError ? 1 : 0].text) };
}

const [dataset] = (await call("find")).datasets.items;
const left = async () => (await call("budget")).items[0].free;
console.log(`I may ask about ${dataset.name}, and have ε = ${await left()}.`);

/** Asks how many; the key makes a repeated call free. */
async function count(key, where, epsilon) {
  const said = await call("release", { sql: `SELECT COUNT(*) FROM ${dataset.name} WHERE ${where}`, epsilon, key });
  if (said.isError) {
    console.log(`${where}, ε = ${epsilon}: refused, ${said.code}. At most ε = ${said.largestEpsilon} fits.`);
    return said.largestEpsilon;
  }
  const { answers } = said.stage === "done" ? said : await call("find", { release: said.release, wait: 20 });
  const [, [value]] = answers.items;
  console.log(`${where}, ε = ${epsilon}: about ${value} people.`);
  return null;
}

await count("old", "age >= 65", "0.2");
const fits = await count("south", "region = 'south'", "0.2");
await count("south-again", "region = 'south'", fits);
console.log(`I have ε = ${await left()} left.`);
await agent.close();
