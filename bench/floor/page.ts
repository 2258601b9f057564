/**
 * The floor under the page people chat on. It is the smallest page that fetches the same state and messages, keeps
 * them, and shows their texts as plain paragraphs. It has no side bars, no drawing of what is out of view, no store.
 * What a bench looks for has the same names as in Parley's page.
 */
import { PAGE, registerParams } from "../../http/client/state/client-profile.ts";

const script = `
const token = /csrftoken=([^;]+)/.exec(document.cookie)[1];
const form = (all) => new URLSearchParams(Object.entries(all).map(([name, value]) =>
  [name, typeof value === "string" ? value : JSON.stringify(value)]));
const get = async (path, all) => (await fetch("/json" + path + "?" + form(all))).json();
const list = document.querySelector(".virtual-list");
const known = new Map();
let open;

const narrow = () => {
  const id = /channel\\/(\\d+)/.exec(location.hash)?.[1];
  return id ? [{ operator: "channel", operand: Number(id) }] : [{ operator: "in", operand: "home" }];
};
const line = (message) => {
  const p = document.createElement("p");
  p.className = "message";
  p.dataset.messageId = message.id;
  p.textContent = message.content;
  return p;
};
const inbox = () => {
  const rows = state.unread_msgs.streams.map(({ stream_id, topic, unread_message_ids: ids }) => ({
    id: ids.at(-1), content: names.get(stream_id) + " " + topic + " " + ids.length }));
  rows.sort((a, b) => (a.content < b.content ? -1 : 1));
  list.replaceChildren(...rows.slice(0, 20).map(line));
  list.firstElementChild.dataset.row = "";
  list.firstElementChild.dataset.rows = rows.length;
};
const show = async () => {
  if (location.hash === "#inbox") return inbox();
  open = JSON.stringify(narrow());
  const wanted = open;
  if (!known.has(wanted)) {
    const around = { narrow: narrow(), anchor: "first_unread", num_before: 25, num_after: 60 };
    known.set(wanted, (await get("/messages", around)).messages);
  }
  if (open === wanted) list.replaceChildren(...known.get(wanted).map(line));
};
let isFetching = false;
const more = async () => {
  if (isFetching || list.scrollHeight - list.scrollTop - list.clientHeight > 1500) return;
  isFetching = true;
  const messages = known.get(open);
  const after = { narrow: narrow(), anchor: messages.at(-1).id, include_anchor: false, num_before: 0, num_after: 100 };
  const next = (await get("/messages", after)).messages;
  messages.push(...next);
  list.append(...next.map(line));
  isFetching = false;
};
const take = (received) => {
  for (const [key, messages] of known) {
    const [{ operator, operand }] = JSON.parse(key);
    const found = received.filter(({ stream_id }) => operator !== "channel" || operand === stream_id);
    messages.push(...found);
    if (key !== open || found.length === 0) continue;
    list.append(...found.map(line));
    list.scrollTop = list.scrollHeight;
  }
};

const body = form(${JSON.stringify(registerParams(PAGE))});
const state = await (await fetch("/json/register", { method: "POST", headers: { "X-CSRFToken": token }, body })).json();
const names = new Map(state.subscriptions.map(({ stream_id, name }) => [stream_id, name]));
await show();
addEventListener("hashchange", show);
list.addEventListener("scroll", more);
window.kept = state;
for (let last = state.last_event_id; ; ) {
  try {
    const { events } = await get("/events", { queue_id: state.queue_id, last_event_id: last });
    last = events.at(-1)?.id ?? last;
    take(events.flatMap(({ type, message }) => (type === "message" ? [message] : [])));
  } catch {
    await new Promise((done) =>
      navigator.onLine ? setTimeout(done, 100) : addEventListener("online", done, { once: true }));
  }
}
`;

/** Its HTML, with the script in it. */
export const floorPage = `<!doctype html><meta charset="utf-8"><title>floor</title>
<style>.virtual-list { height: 100vh; overflow: auto } body { margin: 0 }</style>
<main class="virtual-list"></main><script type="module">${script}</script>`;
