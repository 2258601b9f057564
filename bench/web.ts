/**
 * What does the page that people chat on cost the machine that it is opened on?
 *
 * Setup: headless Chromium over its debugging protocol, times for a CPU that is 4 × slower. Somebody in 1,000 channels
 * with 20,000 unread messages opens the combined feed, and looks into the inbox. The organization has 10,000 people,
 * then 50,000. They read on through 10,000 messages, go to 100 conversations, and come back. Then the network is away
 * while 1,000 messages are sent to the open channel, and all of them come at once. At last the page stays open while
 * 30,000 messages come, one in ten of them to the open channel.
 *
 * Beside it the floor: the smallest page that fetches the same state and the same messages, keeps them, and shows the
 * messages as plain text. It does the same.
 *
 * Unit: ms of the page's main thread on a CPU, by the kernel's count, of single tasks by `tdur` of a trace. So the
 * network and a busy machine are not in it. Bytes as they come over the wire. MB of heap after a full collection.
 */
import { floorPage } from "./floor/page.ts";
import { BrowserUnderTest, type PageUnderTest, slowdown } from "./harness/browser.ts";
import { type Community, startCommunity, subscribe } from "./harness/community.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import { Setup } from "./harness/setup.ts";
import { median } from "./harness/statistics.ts";

interface Size {
  people: number;
  channels: number;
  unread: number;
  /** Messages that are scrolled through with an eye on each task, and as many again. */
  scrolled: number;
  /** Conversations gone to for the first time, and then again. */
  visited: number;
  revisited: number;
  burst: number;
  /** Messages that come while the page is open. The heap is weighed after the first third of them, and after all. */
  live: number;
}

const full = { channels: 1000, unread: 20_000, scrolled: 5000, visited: 60, revisited: 40, burst: 1000, live: 30_000 };
const quick = { channels: 20, unread: 600, scrolled: 100, visited: 6, revisited: 4, burst: 50, live: 600 };
const sizes = (isQuick: boolean): readonly [Size, Size] =>
  isQuick
    ? [
        { people: 50, ...quick },
        { people: 100, ...quick },
      ]
    : [
        { people: 10_000, ...full },
        { people: 50_000, ...full },
      ];
const opens = 5;
const inboxOpens = 5;

const most = {
  scriptBytes: 150_000,
  cssBytes: 30_000,
  openMs: 1200,
  openGrowth: 1.5,
  switchMs: 50,
  taskMs: 50,
  burstMs: 150,
  heapMb: 80,
  heapGrowth: 1.2,
  liveGrowth: 1.1,
};

export const web: Bench = {
  name: "web",
  question: "What do opening and using the page cost a browser on a CPU that is 4 × slower than this one?",
  async run(setup) {
    const rows: Row[] = [];
    for (const size of sizes(setup.quick)) {
      // Each size has a database, a server and a browser of its own.
      const part = new Setup(`web-${size.people}`, setup.quick);
      setup.atEnd(() => part.end());
      try {
        rows.push(...(await measure(part, size)));
      } finally {
        await part.end();
      }
    }
    const [small, , large] = rows as [Row, Row, Row];
    const bound = (what: string, value: number, limit: number, kind: "portable" | "machine" = "portable") =>
      ({ what, value, limit, sense: "most", kind }) as const;
    const worst = (key: string): number => Math.max(Number(small[key]), Number(large[key]));
    return {
      columns: [
        { key: "page", label: "page" },
        { key: "people", label: "people", digits: 0 },
        { key: "scriptBytes", label: "script bytes", digits: 0 },
        { key: "cssBytes", label: "CSS bytes", digits: 0 },
        { key: "openMs", label: "open, ms", digits: 0 },
        { key: "switchMs", label: "switch, ms", digits: 1 },
        { key: "scrollTaskMs", label: "longest task in a scroll, ms", digits: 1 },
        { key: "burstMs", label: "events at once, ms", digits: 0 },
        { key: "burstTaskMs", label: "longest task in those, ms", digits: 1 },
        { key: "inboxRows", label: "rows of the inbox", digits: 0 },
        { key: "inboxMs", label: "open the inbox, ms", digits: 0 },
        { key: "heapMb", label: "heap, MB", digits: 1 },
        { key: "heapGrowth", label: "heap after use / before", digits: 2 },
        { key: "liveMb", label: "heap after the live messages, MB", digits: 1 },
        { key: "liveGrowth", label: "that / after a third of them", digits: 2 },
      ],
      rows,
      bounds: [
        bound("script bytes of the first view", Number(small["scriptBytes"]), most.scriptBytes),
        bound("CSS bytes of the first view", Number(small["cssBytes"]), most.cssBytes),
        bound("ms to the first unread message, the smaller size", Number(small["openMs"]), most.openMs, "machine"),
        bound(
          "opening, the larger size / the smaller",
          Number(large["openMs"]) / Number(small["openMs"]),
          most.openGrowth,
        ),
        bound("ms for a switch of conversation", worst("switchMs"), most.switchMs, "machine"),
        bound("longest task in ms in a scroll", worst("scrollTaskMs"), most.taskMs, "machine"),
        bound("ms for events that come at once", worst("burstMs"), most.burstMs, "machine"),
        bound("longest task in ms in those", worst("burstTaskMs"), most.taskMs, "machine"),
        bound("MB of heap at the larger size", Number(large["heapMb"]), most.heapMb),
        bound("heap after use / before", worst("heapGrowth"), most.heapGrowth),
        bound("heap after the live messages / after a third of them", worst("liveGrowth"), most.liveGrowth),
      ],
      plots: [],
      notes: [
        `Both organizations have ${full.channels} channels, and whoever opens the page is in all of them and has ${full.unread} unread messages. Each opening is the median of ${opens} in new tabs, with nothing cached, until the first unread message is drawn.`,
        `A scroll is ${full.scrolled} messages of the combined feed, nine tenths of a view each frame; the events are ${full.burst} messages to the open channel. A switch is the median of ${full.revisited} to conversations that were fetched. The heap after use is that after ${2 * full.scrolled} messages and ${full.visited + full.revisited} switches, back at the feed.`,
        `The inbox is opened ${inboxOpens} times, before anything is read. The live messages are ${full.live}, as many as ${full.live / 3000} minutes of 50 a second have, one in ten to the open channel.`,
        `Times are CPU time of the main thread times ${slowdown}, with garbage collection, layout and drawing in them. A busy machine changes them little; the floor beside tells how much.`,
        "The floor fetches, parses and keeps the same, and shows texts alone.",
      ],
    };
  },
};

async function measure(setup: Setup, size: Size): Promise<Row[]> {
  const database = await BenchPostgres.start(setup);
  const community = await startCommunity(setup, database, {
    users: size.people,
    channels: [],
    seeded: { channels: size.channels, channelsEach: 5, messages: size.unread },
    async write(sql) {
      const ids = await sql<{ id: string }[]>`select id from channels order by id limit ${size.channels}`;
      const [owner] = await sql<{ id: string }[]>`select id from users where role = 100 order by id limit 1`;
      await subscribe(
        sql,
        ids.map(({ id }) => Number(id)),
        [{ userId: Number(owner!.id), email: "", apiKey: "" }],
      );
    },
  });
  const browser = await BrowserUnderTest.open(setup, community.parley);
  await browser.context.route("**/floor", (route) => route.fulfill({ contentType: "text/html", body: floorPage }));
  const rows: Row[] = [];
  // The floor goes first: it marks nothing as read.
  for (const [page, path] of [
    ["floor", "/floor#feed"],
    ["Parley", "/#feed"],
  ] as const) {
    const opened = await opening(browser, path);
    const inbox = await openInbox(browser, path);
    const used = await using(browser, path, community, size);
    rows.unshift({ page, people: size.people, ...opened, ...inbox, ...used });
    const figures = Object.entries({ ...opened, ...inbox, ...used }).map(
      ([name, value]) => `${name} ${value.toFixed(2)}`,
    );
    setup.log(`${page}, ${size.people} people: ${figures.join(", ")}`);
  }
  return rows;
}

/** Opens it several times, each in a new tab. */
async function opening(browser: BrowserUnderTest, path: string): Promise<Record<string, number>> {
  const times: number[] = [];
  let [scriptBytes, cssBytes, heapMb] = [0, 0, 0];
  for (let open = 0; open < opens; open++) {
    const under = await browser.newPage();
    await under.open(path);
    times.push(await under.mainThreadMs());
    scriptBytes = under.received.get("Script") ?? 0;
    cssBytes = under.received.get("Stylesheet") ?? 0;
    heapMb = await under.heapMb();
    await under.page.close();
  }
  return { scriptBytes, cssBytes, openMs: median(times), heapMb };
}

/** Goes to the inbox and back to the feed, several times, before anything is read. */
async function openInbox(browser: BrowserUnderTest, path: string): Promise<{ inboxRows: number; inboxMs: number }> {
  const under = await browser.newPage();
  await under.open(path);
  await under.cache();
  const times: number[] = [];
  let inboxRows = 0;
  for (let turn = 0; turn < inboxOpens; turn++) {
    const before = await under.mainThreadMs();
    await under.evaluate('location.hash = "#inbox"');
    await under.drawn();
    await under.page.locator("[data-row]").first().waitFor();
    await under.drawn();
    times.push((await under.mainThreadMs()) - before);
    inboxRows = await under.evaluate<number>(`(${rowsOfInbox})()`);
    await under.go(path.slice(path.indexOf("#")));
  }
  await under.page.close();
  return { inboxRows, inboxMs: median(times) };
}

async function using(
  browser: BrowserUnderTest,
  path: string,
  { parley, members }: Community,
  size: Size,
): Promise<Record<string, number>> {
  const { subscriptions } = await parley.call<{ subscriptions: { stream_id: number; name: string }[] }>(
    "GET",
    "/api/v1/users/me/subscriptions",
  );
  // The others have no messages.
  const seeded = subscriptions.filter(({ name }) => name.startsWith("seeded"));
  const channels = seeded.slice(0, size.visited).map(({ stream_id }) => stream_id);
  const [last, other] = [channels.at(-1)!, channels.at(-2)!];
  const hashOf = (channelId: number): string => `#narrow/channel/${channelId}`;

  const under = await browser.newPage();
  await under.open(path);
  // From here on it is a page in use, with what its browser keeps, and with what it puts off until it is drawn.
  await under.cache();
  await under.evaluate("new Promise((done) => requestIdleCallback(done))");
  const heapBefore = await under.heapMb();

  const scroll = async (): Promise<void> => under.evaluate(`(${scrollThrough})(${size.scrolled})`);
  const scrollTaskMs = await under.longestTaskMs(scroll);
  await scroll();

  for (const channelId of channels) await under.go(hashOf(channelId));
  const switches: number[] = [];
  for (let turn = 0; turn < size.revisited; turn++) {
    const before = await under.mainThreadMs();
    await under.evaluate(`location.hash = ${JSON.stringify(hashOf(turn % 2 === 0 ? other : last))}`);
    await under.drawn();
    switches.push((await under.mainThreadMs()) - before);
  }
  await under.go("#feed");
  const heapAfter = await under.heapMb();

  await under.go(hashOf(last));
  // Whoever is at the newest message sees all that come.
  await under.evaluate('document.querySelector(".jump")?.click()');
  await under.drawn();
  // Both pages show this channel: what the first was sent must not be taken for what the second one gets.
  const sendTo = (channelId: number, content: string, at: number): Promise<unknown> =>
    parley.call(
      "POST",
      "/api/v1/messages",
      { type: "channel", to: [channelId], topic: "burst", content },
      members[at % members.length],
    );
  const { burstMs, burstTaskMs } = await burst(under, `the end of the burst at ${path}`, size.burst, (content, at) =>
    sendTo(last, content, at),
  );
  const lived = await live(under, path, size.live, (content, at) =>
    sendTo(at % 10 === 0 ? last : channels[at % channels.length]!, content, at),
  );
  await under.page.close();
  return {
    switchMs: median(switches),
    scrollTaskMs,
    burstMs,
    burstTaskMs,
    heapGrowth: heapAfter / heapBefore,
    ...lived,
  };
}

type Send = (content: string, at: number) => Promise<unknown>;

/** Messages come while the page is open. Only the first of each ten, and what ends them, is for the open channel. */
async function live(
  under: PageUnderTest,
  path: string,
  count: number,
  send: Send,
): Promise<{ liveMb: number; liveGrowth: number }> {
  const weighAfter = async (from: number, to: number): Promise<number> => {
    await inTurns(to - from, (at) => send(`live message ${from + at}`, from + at));
    const end = `the end of ${to} live messages at ${path}`;
    await send(end, 0);
    await shown(under, end);
    return under.heapMb();
  };
  const third = await weighAfter(0, count / 3);
  const liveMb = await weighAfter(count / 3, count);
  return { liveMb, liveGrowth: liveMb / third };
}

const atOnce = 50;

async function inTurns(count: number, send: (at: number) => Promise<unknown>): Promise<void> {
  for (let sent = 0; sent < count; sent += atOnce)
    await Promise.all(Array.from({ length: Math.min(atOnce, count - sent) }, (_, at) => send(sent + at)));
}

/** Waits for a text in the list. Watching costs the page something, too: ten times a second is little. */
async function shown(under: PageUnderTest, text: string): Promise<void> {
  await under.evaluate(`new Promise((done) => {
    const list = document.querySelector(".virtual-list");
    const look = () => list.textContent.includes(${JSON.stringify(text)}) ? done() : setTimeout(look, 100);
    look();
  })`);
  await under.drawn();
}

/** Messages are sent while the page is off line. Then they come at once. */
async function burst(
  under: PageUnderTest,
  end: string,
  count: number,
  send: Send,
): Promise<{ burstMs: number; burstTaskMs: number }> {
  await under.setOffline(true);
  await inTurns(count, (at) => send("a message of the burst", at));
  await send(end, 0);
  let burstMs = 0;
  const burstTaskMs = await under.longestTaskMs(async () => {
    const before = await under.mainThreadMs();
    await under.setOffline(false);
    await shown(under, end);
    burstMs = (await under.mainThreadMs()) - before;
  });
  return { burstMs, burstTaskMs };
}

/** In the page: how many rows its inbox has. The floor tells it, and ours has rows of one height. */
const rowsOfInbox = `() => {
  const row = document.querySelector("main [data-row]");
  if (row.dataset.rows) return Number(row.dataset.rows);
  const rows = row.closest(".fixed-list").firstElementChild;
  return rows.clientHeight / rows.firstElementChild.firstElementChild.clientHeight;
}`;

/**
 * In the page: scrolls on, nine tenths of a view each frame, past so many messages. Their ids follow one another, so
 * the one at the lower edge tells how many. It ends early when nothing new comes for long.
 */
const scrollThrough = `async (wanted) => {
  const list = document.querySelector(".virtual-list");
  const { left, width, bottom } = list.getBoundingClientRect();
  const atEdge = () => {
    const element = document.elementFromPoint(left + width / 2, bottom - 8)?.closest("[data-message-id]");
    return element ? Number(element.dataset.messageId) : undefined;
  };
  let [first, newest] = [undefined, 0];
  for (let still = 0; still < 3000 && (first === undefined || newest - first < wanted); still++) {
    const id = atEdge();
    first ??= id;
    if (id > newest) [newest, still] = [id, 0];
    list.scrollBy(0, list.clientHeight * 0.9);
    await new Promise(requestAnimationFrame);
  }
}`;
