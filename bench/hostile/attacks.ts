/** Hostile requests as they are sent over HTTP, in groups that share what is set up for them. */

import type { Parley } from "../harness/parley.ts";
import { type Account, basic } from "../load/request.ts";
import { hostileForms, hostileMultipart, hostileValues, multipartType } from "./bodies.ts";
import * as markdown from "./markdown.ts";
import { hostileEdits, hostilePatterns, hostileSearches, refusedPatterns, textsForPatterns } from "./patterns.ts";

export interface Attack {
  name: string;
  /** Sends it and waits for the answer, whatever that is. @throws Error when there is none, or it is a 5xx */
  run(): Promise<unknown>;
}

export interface AttackGroup {
  name: string;
  prepare?(): Promise<unknown>;
  attacks: Attack[];
  end?(): Promise<unknown>;
}

/** Fields that take JSON of every kind: lists, objects, alternatives, each with a decoder of its own. */
const jsonFields: readonly (readonly [path: string, field: string])[] = [
  ["/users/me/subscriptions", "principals"],
  ["/users/me/subscriptions", "subscriptions"],
  ["/channels/create", "can_add_subscribers_group"],
  ["/realm/profile_fields", "field_data"],
  ["/drafts", "drafts"],
  ["/messages/flags", "messages"],
  ["/register", "client_capabilities"],
  ["/register", "narrow"],
  ["/typing", "to"],
];

const megabyte = 1_000_000;
const logIns = 4;

export function attackGroups(parley: Parley, members: readonly Account[], hall: number): AttackGroup[] {
  const owner = parley.owner;
  const api = `http://127.0.0.1:${parley.port}/api/v1`;

  async function post(path: string, body: Uint8Array<ArrayBuffer>, type: string): Promise<void> {
    const headers = { authorization: basic(owner), "content-type": type };
    const answer = await fetch(api + path, { method: "POST", headers, body });
    await answer.arrayBuffer();
    if (answer.status >= 500) throw new Error(`POST ${path}: ${answer.status}`);
  }
  /** The body is encoded before, so that the bench's own work is none of the server's time. */
  const form = (name: string, path: string, fields: Readonly<Record<string, string>> | string): Attack => {
    const body = Buffer.from(typeof fields === "string" ? fields : new URLSearchParams(fields).toString());
    return { name, run: () => post(path, body, "application/x-www-form-urlencoded") };
  };
  const render = (name: string, content: string): Attack => form(name, "/messages/render", { content });
  const send = (name: string, content: string): Attack =>
    form(name, "/messages", { type: "channel", to: String(hall), topic: "t", content });
  const sendAndKeep = async (content: string): Promise<number> => {
    const fields = { type: "channel", to: hall, topic: "t", content };
    return (await parley.call<{ id: number }>("POST", "/api/v1/messages", fields)).id;
  };

  const linkifierIds: number[] = [];
  const addLinkifiers = async (): Promise<void> => {
    for (const pattern of hostilePatterns) {
      const fields = { pattern, url_template: "https://example.org/{id}" };
      // Some are refused as too complex: nothing to measure then.
      const added = await parley.call<{ id: number }>("POST", "/api/v1/realm/filters", fields).catch(() => undefined);
      if (added !== undefined) linkifierIds.push(added.id);
    }
  };
  const removeLinkifiers = async (): Promise<void> => {
    for (const id of linkifierIds) await parley.call("DELETE", `/api/v1/realm/filters/${id}`);
  };

  const edits = Object.entries(hostileEdits).map(([name, [before, after]]): Attack => {
    let messageId: Promise<number> | undefined;
    return {
      name,
      async run() {
        messageId ??= sendAndKeep(before).then(async (id) => {
          await parley.call("PATCH", `/api/v1/messages/${id}`, { content: after });
          return id;
        });
        await parley.call("GET", `/api/v1/messages/${await messageId}/history`);
      },
    };
  });
  const searches = Object.entries(hostileSearches).map(([name, [text, search]]): Attack => {
    let sent: Promise<unknown> | undefined;
    const narrow = [
      { operator: "channel", operand: hall },
      { operator: "search", operand: search },
    ];
    return {
      name,
      async run() {
        sent ??= (async () => {
          for (let count = 0; count < 10; count++) await sendAndKeep(text);
        })();
        await sent;
        await parley.call("GET", "/api/v1/messages", { anchor: "newest", num_before: 10, num_after: 0, narrow });
      },
    };
  });

  return [
    {
      name: "linkifiers that are refused",
      attacks: refusedPatterns.map((pattern, index) =>
        form(`pattern ${index + 1}`, "/realm/filters", { pattern, url_template: "https://example.org/{id}" }),
      ),
    },
    {
      name: "messages under eight linkifiers",
      prepare: addLinkifiers,
      attacks: textsForPatterns.map((text, index) => send(`text ${index + 1}`, text)),
      end: removeLinkifiers,
    },
    {
      name: "Markdown of 10,000 characters",
      attacks: [
        ...Object.entries(markdown.hostileMarkdown).map(([name, text]) =>
          send(name, text(markdown.maxMessageCharacters)),
        ),
        ...markdown.repeatedUnits.map((unit) => render(`${JSON.stringify(unit)} repeated`, markdown.fill(unit))),
        ...markdown.nestedPairs.map(([open, close]) =>
          render(`${JSON.stringify(open)} nested`, markdown.nest(open, close)),
        ),
        ...[1, 8, 64, 512].map((columns) => render(`${columns} columns`, markdown.emptyTable(columns))),
      ],
    },
    {
      name: "code",
      attacks: markdown.codeLanguages.flatMap((language) =>
        markdown.codeUnits.flatMap((unit) =>
          markdown
            .hostileCode(language, unit)
            .map((text) => render(`${language}: ${JSON.stringify(unit)} repeated`, text)),
        ),
      ),
    },
    {
      name: "formulas",
      attacks: Object.entries(markdown.hostileFormulas).map(([name, tex]) =>
        render(name, `\`\`\`math\n${tex}\n\`\`\``),
      ),
    },
    {
      name: "Markdown of a megabyte",
      attacks: Object.entries(markdown.hostileMarkdown).map(([name, text]) => render(name, text(megabyte))),
    },
    {
      name: "values of one parameter",
      attacks: jsonFields.flatMap(([path, field]) =>
        Object.entries(hostileValues).map(([name, value]) => form(`${field}: ${name}`, path, { [field]: value })),
      ),
    },
    {
      name: "forms of a megabyte",
      attacks: Object.entries(hostileForms).map(([name, fields]) => form(name, "/users", fields)),
    },
    {
      name: "multipart bodies of two megabytes",
      attacks: Object.entries(hostileMultipart).map(([name, body]) => {
        const bytes = Buffer.from(body);
        return { name, run: () => post("/user_uploads", bytes, multipartType) };
      }),
    },
    { name: "histories of edits", attacks: edits },
    { name: "searches", attacks: searches },
    {
      name: "log-ins",
      attacks: [
        {
          name: `${logIns} at once`,
          run: () =>
            Promise.all(
              members.slice(0, logIns).map(({ email }) =>
                fetch(`${api}/fetch_api_key`, {
                  method: "POST",
                  body: new URLSearchParams({ username: email, password: "not the password" }),
                }).then((answer) => answer.arrayBuffer()),
              ),
            ),
        },
      ],
    },
  ];
}
