import fc from "fast-check";
import { expect, it } from "vitest";
import { EventStream, type SeenEvent } from "../../bench/day/events.ts";
import { documented } from "../../bench/day/zulip.ts";

const sent: SeenEvent[] = [
  { id: 3, type: "restart" },
  { id: 7, type: "message", message: { id: 9, stream_id: 2, content: "a\\n\\nb" } },
  { id: 8, type: "typing" },
];
const frames = [
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
  "10\r\nretry: 700\n\n\r\n",
  ...sent.map((event) => `7b\r\nid: ${event.id}\ndata: ${JSON.stringify(event)}\n\n\r\n`),
  "d\r\n: heartbeat\n\n\r\n",
];

it("events of a stream are found however its bytes are cut", () => {
  const bytes = Buffer.from(frames.join(""));
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (places) => {
      const cuts = [0, ...places.sort((a, b) => a - b), bytes.length];
      const found: SeenEvent[] = [];
      const stream = new EventStream((events) => found.push(...events));
      for (let index = 1; index < cuts.length; index++) {
        const piece = Buffer.from(bytes.subarray(cuts[index - 1], cuts[index]));
        stream.push(piece);
        piece.fill(0); // as the shared read buffer is overwritten
      }
      expect(found).toEqual(sent);
    }),
  );
});

it("an answer that is no stream is refused with its words", () => {
  const refused = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 29\r\n\r\n{"code":"BAD_EVENT_QUEUE_ID"}';
  const push = () => new EventStream(() => {}).push(Buffer.from(refused));
  expect(push).toThrow("BAD_EVENT_QUEUE_ID");
});

it("what is said of Zulip follows from the figures of its documentation", () => {
  const { msPerPersonHour, requestsPerSecond, memoryMib } = documented(5_000);
  // 14.075 ms a request; a ping a minute is 36 % of all.
  expect(msPerPersonHour).toBeCloseTo((14.075 * 60) / 0.36);
  expect(requestsPerSecond).toBeCloseTo(5_000 / 60 / 0.36);
  expect(memoryMib).toBe(80 * 1024);
  expect(documented(100).memoryMib).toBe(32 * 1024);
});
