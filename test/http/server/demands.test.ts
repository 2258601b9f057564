/** What a build of the HTTP server must take, for each build that loads here. */
import { describe, expect, it } from "vitest";
import { demands, unmetDemands } from "../../../bench/builds/demands.ts";
import { loadUws } from "../../../http/server/builds/uws.ts";
import { httpBuilds } from "../../support/server/http-builds.ts";
import { testServer } from "../../support/server/server.ts";

it("the build that serves unless told takes all that clients send", () => {
  expect(loadUws("auto").takesAll).toBe(true);
});

describe.each(["auto", ...httpBuilds] as const)("%s", (wanted) => {
  const server = testServer({ environment: { PARLEY_HTTP_BUILD: wanted } });

  if (loadUws(wanted).takesAll) {
    it.concurrent.each(Object.entries(demands))("%s", (_name, check) => check(server.server.port));
  } else {
    it("does not take all, as the server says of it when it starts", async () => {
      const { takesAll, build } = server.server.app.uws;
      const unmet = await unmetDemands(server.server.port);
      expect([takesAll, unmet.size > 0], `${build}: if it takes all, "auto" should choose it`).toEqual([false, true]);
    });
  }
});
