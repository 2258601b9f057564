/**
 * What does the page that people chat on cost the machine that it is opened on?
 *
 * Setup: headless Chromium over its debugging protocol, the CPU throttled 4 ×. Somebody in 1,000 channels with 20,000
 * unread messages opens the combined feed, in an organization of 10,000 people and in one of 50,000. Beside it the
 * floor: the smallest page that fetches the same state and the same messages, parses them, and shows the messages as
 * plain text.
 *
 * Unit: ms of the page's main thread (the browser's own `TaskDuration`), so the network and a busy machine are not in
 * it; bytes as they come over the wire; heap after a full collection.
 */
import type { CDPSession, Page } from "playwright-core";
import { PAGE, registerParams } from "../http/web/state/client-profile.ts";
import { openPage, type PageUnderTest, throttle } from "./harness/browser.ts";
import { startCommunity, subscribe } from "./harness/community.ts";
import type { Parley } from "./harness/parley.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import { Setup } from "./harness/setup.ts";
import { percentiles } from "./harness/statistics.ts";

const sizes = [10_000, 50_000];
const quickSizes = [50, 100];
const channels = 1000;
const quickChannels = 20;
const unread = 20_000;
const quickUnread = 500;
const opens = 5;
const switches = 40;
const burst = 1000;
const scrolled = 5000;

const most = {
  scriptBytes: 150 * 1024,
  cssBytes: 30 * 1024,
  openMs: 1200,
  growth: 1.5,
  switchMs: 50,
  burstMs: 150,
  heapMib: 80,
};

export const web: Bench = {
  name: "web",
  question: "What do opening and using the page cost a browser whose CPU is throttled 4 ×?",
  async run(setup) {
    const rows: Row[] = [];
    for (const people of setup.quick ? quickSizes : sizes) {
      // Each size has a database, a server and a browser of its own.
      const part = new Setup(`web-${people}`, setup.quick);
      setup.atEnd(() => part.end());
      try {
        rows.push(...(await measure(part, people)));
      } finally {
        await part.end();
      }
    }
    const [small, , large] = rows as [Row, Row, Row];
    const bound = (what: string, key: string, limit: number, row = small) =>
      ({ what, value: Number(row[key]), limit, sense: "most", kind: "machine" }) as const;
    const portable = (what: string, value: number, limit: number) =>
      ({ what, value, limit, sense: "most", kind: "portable" }) as const;
    return {
      columns: [
        { key: "page", label: "page" },
        { key: "people", label: "people", digits: 0 },
        { key: "scriptBytes", label: "script bytes", digits: 0 },
        { key: "cssBytes", label: "CSS bytes", digits: 0 },
        { key: "openMs", label: "open, ms", digits: 0 },
        { key: "switchMs", label: "switch, ms", digits: 1 },
        { key: "burstMs", label: `${burst} events, ms`, digits: 0 },
        { key: "longestMs", label: "longest task in scroll, ms", digits: 0 },
        { key: "heapMib", label: "heap, MiB", digits: 1 },
        { key: "heapGrowth", label: "heap after use / before", digits: 2 },
      ],
      rows,
      bounds: [
        portable("script bytes of the first view", Number(small["scriptBytes"]), most.scriptBytes),
        portable("CSS bytes of the first view", Number(small["cssBytes"]), most.cssBytes),
        bound("ms to the first unread message", "openMs", most.openMs),
        portable(
          "50,000 people / 10,000 people, opening",
          Number(large["openMs"]) / Number(small["openMs"]),
          most.growth,
        ),
        bound("ms for a switch of conversation", "switchMs", most.switchMs),
        bound(`ms for ${burst} events`, "burstMs", most.burstMs),
        portable("MiB of heap at the larger size", Number(large["heapMib"]), most.heapMib),
      ],
      plots: [],
      notes: [
        `Each opening is the median of ${opens}; each switch of ${switches}. The floor fetches and parses what the page does, and shows texts.`,
        "Times are those of a throttled CPU, as the browser counts them for the main thread: garbage collection and layout are in them.",
      ],
    };
  },
};

async function measure(setup: Setup, people: number): Promise<Row[]> {
  const database = await BenchPostgres.start(setup);
  const channelCount = setup.quick ? quickChannels : channels;
  const { parley } = await startCommunity(setup, database, {
    users: people,
    channels: [],
    seeded: { channels: channelCount, channelsEach: 5, messages: setup.quick ? quickUnread : unread },
    async write(sql) {
      const ids = await sql<{ id: string }[]>`select id from channels order by id limit ${channelCount}`;
      const [owner] = await sql<{ id: string }[]>`select id from users where role = 100 order by id limit 1`;
      await subscribe(
        sql,
        ids.map(({ id }) => Number(id)),
        [{ userId: Number(owner!.id), email: "", apiKey: "" }],
      );
    },
  });
  const page = await openPage(setup, parley);
  const first = await opening(page, parley, "/#feed", ".message");
  setup.log(`${people} people: ${first.openMs.toFixed(0)} ms to open`);
  const use = await using(setup, page, parley);
  const floor = await opening(page, parley, "/floor", ".floor-message");
  return [
    { page: "Parley", people, ...first, ...use },
    { page: "floor", people, ...floor, switchMs: "", burstMs: "", longestMs: "", heapGrowth: "" },
  ];
}

interface Opening {
  [name: string]: number;
  scriptBytes: number;
  cssBytes: number;
  openMs: number;
  heapMib: number;
}

/** Opens it anew several times, with nothing kept. */
async function opening(under: PageUnderTest, parley: Parley, path: string, shown: string): Promise<Opening> {
  const { page, protocol } = under;
  await serveFloor(page);
  const times: number[] = [];
  for (let open = 0; open < opens; open++) {
    await page.goto("about:blank");
    under.received.clear();
    await throttle(protocol, 4);
    const before = await mainThreadMs(protocol);
    await page.goto(`http://127.0.0.1:${parley.port}${path}`);
    await page.locator(shown).first().waitFor();
    const after = await mainThreadMs(protocol);
    // A navigation may count from zero again.
    times.push(after >= before ? after - before : after);
    await throttle(protocol, 1);
  }
  const bytesOf = (kind: string): number => under.received.get(kind) ?? 0;
  return {
    scriptBytes: bytesOf("Script"),
    cssBytes: bytesOf("Stylesheet"),
    openMs: percentiles(times).p50,
    heapMib: await heapMib(protocol),
  };
}

/** The same data by the smallest page that can. */
async function serveFloor(page: Page): Promise<void> {
  const params = JSON.stringify(registerParams(PAGE));
  const body = `<!doctype html><title>floor</title><main></main><script type="module">
const token = /csrftoken=([^;]+)/.exec(document.cookie)[1];
const form = (all) => new URLSearchParams(Object.entries(all).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]));
const state = await (await fetch("/json/register", { method: "POST", headers: { "X-CSRFToken": token }, body: form(${params}) })).json();
const query = form({ narrow: [{ operator: "in", operand: "home" }], anchor: "first_unread", num_before: 25, num_after: 60 });
const { messages } = await (await fetch("/json/messages?" + query)).json();
document.querySelector("main").append(...messages.map(({ content }) => {
  const line = document.createElement("p"); line.className = "floor-message"; line.textContent = content; return line; }));
window.kept = state;
</script>`;
  await page.route("**/floor", (route) => route.fulfill({ contentType: "text/html", body }));
}

async function using(setup: Setup, { page, protocol }: PageUnderTest, parley: Parley): Promise<Record<string, number>> {
  const base = `http://127.0.0.1:${parley.port}`;
  const { messages } = await parley.call<{ messages: { stream_id: number }[] }>("GET", "/api/v1/messages", {
    anchor: "newest",
    num_before: 200,
    num_after: 0,
    narrow: [{ operator: "channels", operand: "public" }],
  });
  const [one, other] = new Set(messages.map(({ stream_id }) => stream_id));
  const hash = (channelId: number | undefined) => `#narrow/channel/${channelId}`;
  await page.goto(`${base}/${hash(one)}`);
  await page.locator(".message").first().waitFor();
  const heapBefore = await heapMib(protocol);
  await throttle(protocol, 4);
  const times: number[] = [];
  for (let turn = 0; turn < (setup.quick ? 4 : switches); turn++) {
    const before = await mainThreadMs(protocol);
    await page.evaluate(`new Promise((done) => {
      location.hash = ${JSON.stringify(hash(turn % 2 === 0 ? other : one))};
      requestAnimationFrame(() => requestAnimationFrame(done));
    })`);
    times.push((await mainThreadMs(protocol)) - before);
  }
  await page.evaluate("location.hash = '#feed'");
  await page.locator(".message").first().waitFor();
  await page.evaluate(`window.longest = 0; new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({ type: "longtask" })`);
  await page.evaluate(`(${scrollThrough})(${setup.quick ? 200 : scrolled})`);
  const longestMs = await page.evaluate("window.longest");
  const before = await mainThreadMs(protocol);
  const count = setup.quick ? 50 : burst;
  const text = "a message of the burst";
  for (let sent = 0; sent < count; sent += 50)
    await Promise.all(
      Array.from({ length: Math.min(50, count - sent) }, () =>
        parley.call("POST", "/api/v1/messages", {
          type: "channel",
          to: [one],
          topic: "burst",
          content: text,
        }),
      ),
    );
  await page.waitForFunction('document.title.includes("(")');
  const burstMs = (await mainThreadMs(protocol)) - before;
  await throttle(protocol, 1);
  return {
    switchMs: percentiles(times.slice(2)).p50,
    longestMs: Number(longestMs),
    burstMs,
    heapGrowth: (await heapMib(protocol)) / heapBefore,
  };
}

/** In the page: scrolls on, a view at a time, until so many messages have been in view. */
const scrollThrough = `async (wanted) => {
  const seen = new Set();
  const frame = () => new Promise(requestAnimationFrame);
  for (let still = 0; seen.size < wanted && still < 300; still++) {
    const list = document.querySelector(".virtual-list");
    const before = seen.size;
    for (const message of list.querySelectorAll("[data-message-id]")) seen.add(message.dataset.messageId);
    list.scrollBy(0, list.clientHeight * 0.9);
    await frame();
    if (seen.size > before) still = 0;
  }
}`;

async function mainThreadMs(protocol: CDPSession): Promise<number> {
  const { metrics } = await protocol.send("Performance.getMetrics");
  return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0);
}

async function heapMib(protocol: CDPSession): Promise<number> {
  await protocol.send("HeapProfiler.collectGarbage");
  const { usedSize } = await protocol.send("Runtime.getHeapUsage");
  return usedSize / 1024 / 1024;
}
