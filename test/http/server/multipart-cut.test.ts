import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpBuilds } from "../../support/server/http-builds.ts";
import { startTestServer, type TestServer } from "../../support/server/server.ts";

describe.each(httpBuilds)("over the %s build", (build) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ PARLEY_HTTP_BUILD: build });
  });
  afterAll(() => server.stop());

  const part = (disposition: string, text: string) =>
    `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${text}\r\n`;
  const whole = `${part('name="username"', "nobody")}${part('name="f"; filename="a"', "file")}${part('name="password"', "no")}--b--\r\n`;

  const send = (body: string) =>
    fetch(`${server.url}/api/v1/fetch_api_key`, {
      method: "POST",
      headers: { "Content-Type": "multipart/form-data; boundary=b" },
      body,
    });

  it("a multipart body that was cut anywhere is answered like any other bad request, and the server lives", async () => {
    const seen = new Set<number>();
    for (let length = 0; length <= whole.length; length++) {
      const response = await send(whole.slice(0, length));
      const body = (await response.json()) as { result: string; code: string };
      seen.add(response.status);
      // Past the last boundary there is nothing left to miss: a refused log-in, which is also what limits further ones.
      expect([400, 401, 429], `${length} bytes`).toContain(response.status);
      expect(body.result).toBe("error");
      if (length < whole.length - "--\r\n".length)
        expect(body.code, `${length} bytes`).toMatch(/^(BAD_REQUEST|REQUEST_VARIABLE_MISSING)$/);
    }
    expect([...seen].sort()).toEqual([400, 401]);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  it.each([
    ["a null character", part('name="username"', "a\0b")],
    ["a field without a name", part("", "x")],
    ["an unknown charset", part(`name="username"\r\nContent-Type: text/plain; charset=none`, "x")],
    ["too many fields", part('name="p"', "x").repeat(1001)],
    ["too many files", part('name="f"; filename="a"', "file").repeat(11)],
  ])("%s before a file is refused, also where nothing comes behind that", async (_what, faulty) => {
    const file = part('name="f"; filename="a"', "file");
    for (const end of ["", "--b--\r\n"])
      for (const files of [file, file + file]) {
        const response = await send(faulty + files + end);
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({
          code: expect.stringMatching(/^(BAD_REQUEST|REQUEST_VARIABLE_MISSING)$/),
        });
      }
  });
});
