/**
 * What a build of the HTTP server must take: all that clients, browsers, proxies and networks do with HTTP/1. Each
 * demand is checked over sockets, with a Parley behind the build whose limits of rate are off.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type RawAnswer, RawConnection, sendApart } from "./raw-http.ts";

/** A demand by its name. Its check throws when the build at this port does not do so. */
export type Demands = Readonly<Record<string, (port: number) => Promise<void>>>;

/** By RFC 9110, 5.6.2, a name may have all of them. */
const signs = [..."!#$%&'*+-.^_`|~"];
/** A build ends such a connection after some ten seconds. This is how long it is waited for on a busy machine. */
const endedWithinMs = 40_000;
const floodRequests = 1_500;

const get = (path: string, head = "Host: x\r\n", version = "1.1"): string =>
  `GET ${path} HTTP/${version}\r\n${head}\r\n`;
const health = get("/health");
let names = 0;
/** Waits for the database. Under a name of its own, as attempts are counted by name. */
const fields = (): string => `username=nobody${names++}.${process.pid}@example.com&password=no`;
const login = (head: string, body: string): string =>
  `POST /api/v1/fetch_api_key HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n${head}\r\n${body}`;
const withLength = (body = fields()): string => login(`Content-Length: ${body.length}\r\n`, body);
const chunk = (text: string, extension = ""): string => `${text.length.toString(16)}${extension}\r\n${text}\r\n`;

/** Opens a connection for as long as `use` takes. */
async function on<T>(port: number, use: (connection: RawConnection) => Promise<T>): Promise<T> {
  const connection = RawConnection.open(port);
  try {
    return await use(connection);
  } finally {
    connection.close();
  }
}

const statuses = (port: number, bytes: string, count: number): Promise<number[]> =>
  on(port, async (connection) => {
    connection.send(bytes);
    const seen: number[] = [];
    while (seen.length < count) seen.push((await connection.answer()).status);
    return seen;
  });

/** The next request is answered as well, unless the answer says that the connection ends. */
async function goesOn(connection: RawConnection, answer: RawAnswer): Promise<void> {
  if (answer.headers.get("connection") === "close") return;
  connection.send(health);
  equal((await connection.answer()).status, 200);
}

/** Sends the bytes one a second, and nothing after them, until the server ends the connection. */
async function isEnded(port: number, head: string, trickle: string): Promise<void> {
  await on(port, async (connection) => {
    if (head !== "") connection.send(head);
    let at = 0;
    const timer = setInterval(() => at < trickle.length && connection.send(trickle[at++]!), 1000);
    const late = setTimeout(() => connection.close(), endedWithinMs);
    const began = performance.now();
    await connection.answersUntilClosed().finally(() => {
      clearInterval(timer);
      clearTimeout(late);
    });
    ok(performance.now() - began < endedWithinMs - 1000, "it is still open");
  });
}

const headOf = (bytes: number): string => {
  const begin = "GET /health?q=";
  const end = " HTTP/1.1\r\nHost: x\r\nX-Padding: 1\r\n\r\n";
  return `${begin}${"q".repeat(bytes - begin.length - end.length)}${end}`;
};

export const demands: Demands = {
  "heads of up to 16 kB in two packets": async (port) => {
    const cuts = [300, 2_000, 4_200, 8_192, 16_384].flatMap((size) =>
      [1, 20, size / 2, size - 12, size - 3, size - 1].map((cut) => [size, Math.floor(cut)] as const),
    );
    await Promise.all(
      cuts.map(([size, cut]) =>
        on(port, async (connection) => {
          const head = headOf(size);
          await sendApart(connection, port, [head.slice(0, cut), head.slice(cut)]);
          equal((await connection.answer()).status, 200, `${size} bytes cut at ${cut}`);
        }),
      ),
    );
  },
  "heads byte by byte": async (port) => {
    for (const [size, step] of [
      [400, 1],
      [16_384, 61],
    ] as const) {
      await on(port, async (connection) => {
        const head = headOf(size);
        for (let at = 0; at < size; at += step) {
          connection.send(head.slice(at, at + step));
          await new Promise((sent) => setImmediate(sent));
        }
        equal((await connection.answer()).status, 200);
      });
    }
  },
  "HTTP/1.0": async (port) => {
    await on(port, async (connection) => {
      connection.send(get("/health", "", "1.0"));
      deepEqual(
        (await connection.answersUntilClosed()).map(({ status }) => status),
        [200],
      );
    });
    const kept = get("/health", "Connection: keep-alive\r\n", "1.0");
    await on(port, async (connection) => {
      connection.send(kept);
      const answer = await connection.answer();
      equal(answer.status, 200);
      if (answer.headers.get("connection") !== "keep-alive") return;
      connection.send(kept);
      equal((await connection.answer()).status, 200);
    });
  },
  "keep-alive and close": async (port) => {
    await on(port, async (connection) => {
      for (let count = 0; count < 3; count++) {
        connection.send(health);
        equal((await connection.answer()).status, 200);
      }
      connection.send(get("/health", "Host: x\r\nConnection: close\r\n"));
      deepEqual(
        (await connection.answersUntilClosed()).map(({ status }) => status),
        [200],
      );
    });
  },
  "requests behind one that is answered at once": async (port) => {
    deepEqual(await statuses(port, health + get("/nowhere") + health, 3), [200, 404, 200]);
  },
  "requests behind one that waits": async (port) => {
    deepEqual(
      await statuses(port, health + withLength() + health + withLength() + get("/nowhere"), 5),
      [200, 401, 200, 401, 404],
    );
  },
  "bodies in chunks, and a request after them": async (port) => {
    await on(port, async (connection) => {
      const body = fields();
      connection.send(
        login("Transfer-Encoding: chunked\r\n", `${chunk(body.slice(0, 10))}${chunk(body.slice(10))}0\r\n\r\n`),
      );
      const answer = await connection.answer();
      equal(answer.status, 401);
      await goesOn(connection, answer);
    });
  },
  "bodies in chunks with extensions and trailers": async (port) => {
    const body = fields();
    const bytes = `${chunk(body.slice(0, 9), ";a=b")}${chunk(body.slice(9), ';c="d"')}0\r\nX-Sum: 1\r\nX_Sum: 2\r\n\r\n`;
    for (const step of [bytes.length, 1]) {
      await on(port, async (connection) => {
        connection.send(login("Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n", ""));
        for (let at = 0; at < bytes.length; at += step) {
          connection.send(bytes.slice(at, at + step));
          await new Promise((sent) => setImmediate(sent));
        }
        const answer = await connection.answer();
        equal(answer.status, 401);
        await goesOn(connection, answer);
      });
    }
  },
  "every legal name of a header": async (port) => {
    for (const name of ["X_Trace", ...signs.map((sign) => `X${sign}Y`), ...signs]) {
      const [status] = await statuses(port, get("/health", `Host: x\r\n${name}: 1\r\n`), 1);
      equal(status, 200, name);
    }
  },
  "methods that it does not know": async (port) => {
    for (const method of ["QUERY", "PROPFIND", "M-SEARCH", "TRACE", "x"]) {
      const [status] = await statuses(port, health.replace("GET", method), 1);
      ok(status === 405 || status === 501, `${method}: ${status}`);
    }
  },
  "addresses that are a whole URL": async (port) => {
    deepEqual(await statuses(port, get("http://x/health") + get("/nowhere"), 2), [200, 404]);
  },
  "heads that are too large get 431": async (port) => {
    deepEqual(await statuses(port, headOf(200 * 1024), 1), [431]);
  },
  "heads that are broken get 400": async (port) => {
    for (const head of [
      "Host x\r\n",
      "Host: x\r\nA : b\r\n",
      "Host: x\r\nA: b\r\n c\r\n",
      "",
      "Host: x\r\nA: a\0b\r\n",
    ])
      deepEqual(await statuses(port, get("/health", head), 1), [400], JSON.stringify(head));
  },
  "Expect: 100-continue": async (port) => {
    await on(port, async (connection) => {
      const body = fields();
      connection.send(login(`Content-Length: ${body.length}\r\nExpect: 100-continue\r\n`, ""));
      equal((await connection.answer()).status, 100);
      connection.send(body);
      const answer = await connection.answer();
      equal(answer.status, 401);
      await goesOn(connection, answer);
    });
  },
  "silent connections are ended": async (port) => {
    await Promise.all([
      isEnded(port, "", ""),
      isEnded(port, health, ""),
      isEnded(port, "GET /health HTT", ""),
      isEnded(port, login("Content-Length: 100\r\n", "user"), ""),
    ]);
  },
  "trickling connections are ended": async (port) => {
    const long = "x".repeat(1_000);
    await Promise.all([
      isEnded(port, "GET /health?q=", long),
      isEnded(port, login("Content-Length: 1000\r\n", ""), long),
      isEnded(port, login("Transfer-Encoding: chunked\r\n", "3e8\r\n"), long),
    ]);
  },
  "a packet of 1,500 requests does not hold the others up": async (port) => {
    await on(port, async (flood) => {
      const other = RawConnection.open(port);
      other.send(health);
      await other.answer();
      flood.send(health.repeat(floodRequests));
      let answered = 0;
      let whenOtherWas = Number.POSITIVE_INFINITY;
      other.send(health);
      const others = other.answer().then(() => {
        whenOtherWas = answered;
        other.close();
      });
      while (answered < floodRequests) {
        const answer = await flood.answer();
        equal(answer.status, 200);
        match(answer.body, /ready/);
        answered++;
      }
      await others;
      ok(whenOtherWas < floodRequests / 4, `another client was answered after ${whenOtherWas} of them`);
    });
  },
};

/** The names of the demands that the build at this port does not meet, and why. */
export async function unmetDemands(port: number): Promise<Map<string, string>> {
  const unmet = new Map<string, string>();
  await Promise.all(
    Object.entries(demands).map(async ([name, check]) => {
      try {
        await check(port);
      } catch (error) {
        unmet.set(name, String((error as Error).message).split("\n")[0]!);
      }
    }),
  );
  // In the order of the list.
  return new Map(Object.keys(demands).flatMap((name) => (unmet.has(name) ? [[name, unmet.get(name)!] as const] : [])));
}
