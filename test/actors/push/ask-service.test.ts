/** What the push notification service answers is read as far as it may be long. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { askService } from "../../../actors/push/service/ask-service.ts";

/** Each organization has an entry of some 120 bytes in the answer to a report. */
const organizations = 10_000;
const realms = Object.fromEntries(
  Array.from({ length: organizations }, (_, place) => [
    `00000000-0000-4000-8000-${String(place).padStart(12, "0")}`,
    { can_push: true, expected_end_timestamp: null },
  ]),
);
const service = createServer((_request, response) => {
  response.end(JSON.stringify({ result: "success", msg: "", realms }));
});
beforeAll(() => new Promise<void>((done) => service.listen(0, "127.0.0.1", done)));
afterAll(() => new Promise((done) => service.close(done)));

it("the answer to a report of ten thousand organizations is read whole", async () => {
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const answered = await askService({ url }, { endpoint: "server/analytics", form: {} });
  expect(answered).toMatchObject({ ok: true, answer: { realms } });
});
