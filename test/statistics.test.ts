import { statisticNames, statisticOf } from "@dosimeter/query/statistics";
import { describe, expect, test } from "vitest";

describe.each(statisticNames)("%s", (name) => {
  const { noise } = statisticOf(name);

  test("has a noise that the audit draws, its own or that of another", () => {
    const drawn = "like" in noise ? statisticOf(noise.like).noise : noise;
    expect(drawn).not.toHaveProperty("like");
  });
});
