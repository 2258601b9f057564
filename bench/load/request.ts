/** Who asks: HTTP Basic credentials of an account. */
export interface Account {
  email: string;
  apiKey: string;
}

/** The host that every request names. No port: what is said to a floor and to Parley is then the same to the byte. */
const host = "127.0.0.1";

/** The `Authorization` value of an account. */
export function basic(account: Account): string {
  return `Basic ${Buffer.from(`${account.email}:${account.apiKey}`).toString("base64")}`;
}

/** A whole GET request as it goes on the wire. `path` carries its query. */
export function get(path: string, account?: Account): string {
  return `GET ${path} HTTP/1.1\r\n${headers(account)}\r\n`;
}

/** A whole request with a urlencoded form; values that are not strings are sent as JSON, as the API asks. */
export function form(
  method: "POST" | "PATCH" | "DELETE",
  path: string,
  fields: Readonly<Record<string, unknown>>,
  account?: Account,
): string {
  const body = new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  ).toString();
  return (
    `${method} ${path} HTTP/1.1\r\n${headers(account)}` +
    `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/** A whole POST request with a body of its own. */
export function post(path: string, type: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\n${headers(undefined)}Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** A poll cut where its cursor goes: `before + last_event_id + after` is the request. */
export function poll(queueId: string, account: Account): { before: string; after: string } {
  return {
    before: `GET /api/v1/events?queue_id=${encodeURIComponent(queueId)}&last_event_id=`,
    after: ` HTTP/1.1\r\n${headers(account)}\r\n`,
  };
}

/** A request for a stream, cut where its cursor goes. */
export function stream(queueId: string, account: Account): { before: string; after: string } {
  const { before, after } = poll(queueId, account);
  return { before, after: after.replace("Accept: */*", "Accept: text/event-stream") };
}

function headers(account: Account | undefined): string {
  const authorization = account === undefined ? "" : `Authorization: ${basic(account)}\r\n`;
  return `Host: ${host}\r\n${authorization}User-Agent: parley-bench\r\nAccept: */*\r\n`;
}
