/** A small organization at work, for pictures of the page. */
import { ApiClient, expectSuccess } from "../client/api.ts";

interface DemoPerson {
  email: string;
  password: string;
  client: ApiClient;
}

export interface Demo {
  ada: DemoPerson;
  grace: DemoPerson;
  channels: Record<string, number>;
}

const password = "a fine password";
const people = [
  "Ada Lovelace",
  "Grace Hopper",
  "Alan Turing",
  "Katherine Johnson",
  "Edsger Dijkstra",
  "Barbara Liskov",
  "Tim Berners-Lee",
  "Hedy Lamarr",
];
const emailOf = (name: string): string => `${name.split(" ")[0]!.toLowerCase()}@example.com`;

const channels = [
  { name: "engines", description: "Steam, gears and what drives them" },
  { name: "compilers", description: "From words to machines" },
  { name: "design", description: "How it looks and feels" },
  { name: "releases", description: "What goes out, and when" },
  { name: "random", description: "Everything else" },
];

const talk: readonly (readonly [who: string, channel: string, topic: string, text: string])[] = [
  [
    "Ada",
    "engines",
    "analytical engine",
    "I have been thinking about **loops**. What if the engine could repeat a set of cards?",
  ],
  ["Alan", "engines", "analytical engine", "Then it could compute anything that can be computed at all"],
  [
    "Ada",
    "engines",
    "analytical engine",
    "Here is what I mean:\n```python\ndef bernoulli(n):\n    # the numbers of the note G\n    a = [0] * (n + 1)\n    for m in range(n + 1):\n        a[m] = Fraction(1, m + 1)\n        for j in range(m, 0, -1):\n            a[j - 1] = j * (a[j - 1] - a[j])\n    return a[0]\n```",
  ],
  [
    "Grace",
    "engines",
    "analytical engine",
    "Lovely. I would *write it down* in a language that people can read, and have the machine translate it.",
  ],
  ["Grace", "engines", "analytical engine", "@**Ada Lovelace** could you try it with $$B_8 = -\\frac{1}{30}$$ first?"],
  ["Ada", "compilers", "first steps", "What would such a translator need?"],
  ["Grace", "compilers", "first steps", "1. A list of words\n2. A place for each of them\n3. Patience"],
  ["Edsger", "compilers", "first steps", "And no `goto`, please."],
  ["Barbara", "compilers", "abstract types", "A type is what one can *do* with it, not what it is made of."],
  ["Tim", "design", "links", "Everything that has an address can be linked: https://example.com/vague-but-exciting"],
  ["Hedy", "design", "links", "With a different frequency for each, I hope."],
  [
    "Katherine",
    "releases",
    "launch window",
    "I checked the numbers by hand. We are good to go on <time:2026-12-20T09:47:00Z>.",
  ],
  ["Katherine", "releases", "launch window", "/poll Which launch window?\nMorning\nAfternoon\nWhen it is ready"],
  ["Alan", "random", "tea", "Who chained my mug to the radiator?"],
];

/** Fills an organization through its API. */
export async function fillDemo(url: string, owner: ApiClient): Promise<Demo> {
  const clients = new Map<string, { client: ApiClient; id: number }>();
  for (const name of people) {
    const email = emailOf(name);
    const { user_id } = expectSuccess(await owner.post("/users", { email, password, full_name: name }));
    const { api_key } = expectSuccess(await owner.post("/fetch_api_key", { username: email, password }));
    clients.set(name.split(" ")[0]!, {
      client: new ApiClient({ url, email, apiKey: api_key as string }),
      id: user_id as number,
    });
  }
  const ids = [...clients.values()].map(({ id }) => id);
  const made: Record<string, number> = {};
  for (const channel of channels) {
    const { id } = expectSuccess(await owner.post("/channels/create", { ...channel, subscribers: ids }));
    made[channel.name] = id as number;
  }
  const sent: number[] = [];
  const as = (who: string) => clients.get(who)!.client;
  for (const [who, channel, topic, content] of talk) {
    const reply = expectSuccess(await as(who).post("/messages", { type: "channel", to: channel, topic, content }));
    sent.push(reply["id"] as number);
  }
  const react = (who: string, at: number, emoji_name: string) =>
    as(who).post(`/messages/${sent[at]}/reactions`, { emoji_name });
  for (const who of ["Grace", "Barbara", "Tim"]) await react(who, 0, "heart");
  await react("Alan", 2, "heart");
  const toAda = { type: "direct", to: [clients.get("Ada")!.id] };
  await as("Grace").post("/messages", { ...toAda, content: "Lunch at noon? I bring a nanosecond of wire." });
  await as("Alan").post("/messages", { ...toAda, content: "I have a question about the notes." });
  for (const who of ["Grace", "Alan", "Tim"])
    await as(who).post("/users/me/presence", { status: "active", new_user_input: true });
  const person = (name: string): DemoPerson => ({ email: emailOf(name), password, client: as(name) });
  return { ada: person("Ada"), grace: person("Grace"), channels: made };
}
