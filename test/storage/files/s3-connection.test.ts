/** An object store that is away, slow, silent or wrong: clear errors, in time, and nothing half done. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FilesUnavailable } from "../../../storage/failures.ts";
import type { S3Settings } from "../../../storage/files/s3-connection.ts";
import { S3Store } from "../../../storage/files/s3-store.ts";
import { dataFolder } from "../../support/server/folder.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let dataDir: string;
let answer: Answer;
let asked: IncomingMessage[];
beforeAll(async () => {
  dataDir = await dataFolder("s3-faults");
  server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
beforeEach(() => (asked = []));
afterEach(() => server.closeAllConnections());
afterAll(async () => {
  server.close();
  await rm(dataDir, { recursive: true, force: true });
});

describe("a store that", () => {
  it("is silent is given up after the time that is set", async () => {
    answer = () => {};
    const store = open({ timeoutMs: 150 });
    await expect(store.size("a")).rejects.toThrow(/nothing came for 150 ms/);
    await expect(store.put("a", Buffer.from("x"))).rejects.toThrow(FilesUnavailable);
    // Each was asked for once at most: a busy machine may connect too late even for that.
    expect(asked.length).toBeLessThanOrEqual(2);
  });

  it("stops in the middle of an answer is given up too", async () => {
    answer = (_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half");
    };
    await expect(names(open({ timeoutMs: 150 }))).rejects.toThrow(FilesUnavailable);
  });

  it("is not there is said to be so", async () => {
    const store = open({ endpoint: "http://127.0.0.1:1" });
    await expect(store.size("a")).rejects.toThrow(/cannot be asked: ECONNREFUSED/);
  });

  it("fails for a moment is asked again, with the same bytes", async () => {
    const bodies: string[] = [];
    answer = async (request, response) => {
      let body = "";
      for await (const piece of request) body += String(piece);
      bodies.push(body);
      response.writeHead(bodies.length < 3 ? 503 : 200).end();
    };
    await open().put("a", pieces("hello"));
    expect(bodies).toEqual(["hello", "hello", "hello"]);
  });

  it("fails on is told of with its status and code, and is not asked for ever", async () => {
    answer = drained((_request, response) => response.writeHead(500).end(refusal("InternalError")));
    await expect(open().put("a", Buffer.from("x"))).rejects.toThrow("answered PUT with 500 InternalError");
    expect(asked.length).toBe(3);
  });

  it("refuses is not asked again", async () => {
    answer = drained((_request, response) => response.writeHead(403).end(refusal("AccessDenied")));
    await expect(open().remove("a")).rejects.toThrow("answered DELETE with 403 AccessDenied");
    expect(asked.length).toBe(1);
  });

  it("answers with megabytes of XML is not read to its end", async () => {
    let isCut = false;
    answer = (_request, response) => {
      response.writeHead(200).on("close", () => (isCut = !response.writableFinished));
      const more = () => {
        while (response.write(`<Contents>${"x".repeat(100_000)}</Contents>`)) if (response.destroyed) return;
        response.once("drain", more);
      };
      more();
    };
    await expect(names(open())).rejects.toThrow(/has more than \d+ bytes/);
    expect(isCut || asked.length > 0).toBe(true);
  });

  it("lists the same files for ever is left", async () => {
    answer = (_request, response) =>
      response.end("<R><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></R>");
    await expect(names(open())).rejects.toThrow(/the same files again/);
    expect(asked.length).toBe(2);
  });

  it("lists names that are no paths of ours is not believed", async () => {
    const entry = (key: string) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`;
    answer = (_request, response) =>
      response.end(
        `<R>${["../up", "a&amp;b", "a//b", "fine", "&#x2e;&#46;/x"].map(entry).join("")}<Contents><Key>cut</R>`,
      );
    expect(await names(open())).toEqual(["fine"]);
  });

  it("says after its status that it could not put a file together has not done so, and what came is given up", async () => {
    const given: string[] = [];
    answer = drained(({ method, url }, response) => {
      given.push(`${method} ${url!.replace(/partNumber=\d+&/, "")}`);
      if (url!.endsWith("?uploads=")) response.end("<R><UploadId>u</UploadId></R>");
      else if (method === "POST") response.end(refusal("InternalError"));
      else response.end("<R/>");
    });
    async function* large() {
      for (let count = 0; count < 9; count++) yield randomBytes(1024 * 1024);
    }
    await expect(open().put("a", large())).rejects.toThrow("InternalError");
    expect(given.filter((each) => each.startsWith("POST")).length).toBe(4);
    expect(given.at(-1)).toBe("DELETE /parley/a?uploadId=u");
    expect(await readdir(join(dataDir, "spool"))).toEqual([]);
  });

  it("takes its time to put a large file together is waited for, longer than for others", async () => {
    let complete = () => {};
    const isAsked = new Promise<void>((resolve) => {
      answer = drained(({ method, url }, response) => {
        if (method === "HEAD") return;
        if (url!.endsWith("?uploads=")) return response.end("<R><UploadId>u</UploadId></R>");
        if (method !== "POST") return response.end("<R/>");
        complete = () => response.end("<R/>");
        return resolve();
      });
    });
    const store = open({ timeoutMs: 2000 });
    const put = store.put("a", pieces("x".repeat(9 * 1024 * 1024)));
    await Promise.race([isAsked, put]);
    // Asked after it, and given up.
    await expect(store.size("b")).rejects.toThrow(/nothing came/);
    complete();
    await put;
  });

  it("answers with another range than the one that was asked for gives no bytes", async () => {
    answer = (request, response) =>
      request.method === "HEAD" ? response.writeHead(200, { "content-length": "10" }).end() : response.end("short");
    const file = (await open().open("a"))!;
    await expect(file.read(0, new Uint8Array(10))).rejects.toThrow(/another part/);
  });
});

describe("requests", () => {
  it("name the bucket in the host or in the path, behind the prefix, and ask for encryption", async () => {
    answer = drained((_request, response) => response.end());
    const { port } = server.address() as { port: number };
    // With the bucket before it the host is 127.1, which is 127.0.0.1.
    await open({ style: "host", bucket: "127", endpoint: `http://1:${port}`, prefix: "a/b" }).put(
      "c",
      Buffer.from("x"),
    );
    await open({ prefix: "a/b", encryption: "aws:kms", kmsKey: "key" }).put("c", Buffer.from("x"));
    expect(asked.map(({ url }) => url)).toEqual(["/a/b/c", "/parley/a/b/c"]);
    expect(asked[1]!.headers).toMatchObject({
      "x-amz-server-side-encryption": "aws:kms",
      "x-amz-server-side-encryption-aws-kms-key-id": "key",
      "x-amz-content-sha256": expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it("are signed with keys of a file, which is read again when the store refuses them", async () => {
    const file = join(dataDir, "credentials");
    const write = (key: string) =>
      writeFile(
        file,
        `[other]\naws_access_key_id = no\n\n[default]\naws_access_key_id = ${key}\naws_secret_access_key=s\n`,
      );
    answer = drained((_request, response) => response.writeHead(asked.length === 1 ? 403 : 200).end());
    await write("FIRST");
    const store = open({ accessKeyId: undefined, secretAccessKey: undefined, credentialsFile: file });
    await expect(store.remove("a")).rejects.toThrow("403");
    await write("SECOND");
    await store.remove("a");
    expect(asked.map(keyOf)).toEqual(["FIRST", "SECOND"]);
    await rm(file);
    const other = open({ accessKeyId: undefined, secretAccessKey: undefined, credentialsFile: file });
    await expect(other.remove("a")).rejects.toThrow(/cannot be read: ENOENT/);
  });

  it("are signed with keys of the machine's role, which is asked once for many", async () => {
    const keys = { AccessKeyId: "ROLE", SecretAccessKey: "s", Token: "session", Expiration: "2099-01-01T00:00:00Z" };
    const told: string[] = [];
    answer = drained((request, response) => {
      const { method, url, headers } = request;
      if (!url!.startsWith("/latest/")) return response.end();
      told.push(`${method} ${url}`);
      if (url!.endsWith("/token")) return response.end("proof");
      if (headers["x-aws-ec2-metadata-token"] !== "proof") return response.writeHead(401).end();
      return response.end(url!.endsWith("/") ? "chat\n" : JSON.stringify(keys));
    });
    const { port } = server.address() as { port: number };
    const role = { accessKeyId: undefined, secretAccessKey: undefined, metadataUrl: `http://127.0.0.1:${port}` };
    const store = open(role);
    await Promise.all([store.remove("a"), store.remove("b")]);
    expect(told).toEqual([
      "PUT /latest/api/token",
      "GET /latest/meta-data/iam/security-credentials/",
      "GET /latest/meta-data/iam/security-credentials/chat",
    ]);
    const [signed] = asked.filter(({ url }) => !url!.startsWith("/latest/"));
    expect([keyOf(signed!), signed!.headers["x-amz-security-token"]]).toEqual(["ROLE", "session"]);
    const none = open({ ...role, metadataUrl: "http://127.0.0.1:1" });
    await expect(none.remove("a")).rejects.toThrow(/No keys of the object store are set/);
  });
});

function open(settings: Partial<S3Settings> = {}): S3Store {
  const { port } = server.address() as { port: number };
  return new S3Store(
    {
      bucket: "parley",
      endpoint: `http://127.0.0.1:${port}`,
      region: "us-east-1",
      prefix: "",
      style: undefined,
      encryption: undefined,
      kmsKey: undefined,
      accessKeyId: "tester",
      secretAccessKey: "secret",
      sessionToken: undefined,
      credentialsFile: undefined,
      metadataUrl: "http://127.0.0.1:1",
      timeoutMs: 10_000,
      addressSecs: undefined,
      addressEndpoint: undefined,
      ...settings,
    },
    dataDir,
  );
}

/** Answers when all of a request has come. */
const drained =
  (then: (request: IncomingMessage, response: ServerResponse) => unknown): Answer =>
  (request, response) =>
    void request.resume().on("end", () => then(request, response));
const refusal = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`;
const keyOf = ({ headers }: IncomingMessage) => /Credential=(\w+)\//.exec(headers.authorization ?? "")?.[1];
async function names(store: S3Store): Promise<string[]> {
  const found: string[] = [];
  for await (const { path } of store.list()) found.push(path);
  return found;
}
async function* pieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}
