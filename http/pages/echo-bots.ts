/** A bot that repeats what it is told, in twenty lines of two languages. `docs/bots.md` shows it, and tests run it. */
export const echoBots = {
  python: `# pip install zulip; python3 echo.py
import zulip

client = zulip.Client(config_file="zuliprc")
me = client.get_profile()["user_id"]


def answer(event):
    message = event["message"]
    if message["sender_id"] == me:
        return
    text = f"{message['sender_full_name']} says: {message['content']}"
    if message["type"] == "private":
        people = [person["id"] for person in message["display_recipient"]]
        client.send_message({"type": "direct", "to": people, "content": text})
    elif "mentioned" in event["flags"]:
        place = {"to": message["stream_id"], "topic": message["subject"]}
        client.send_message({"type": "channel", **place, "content": text.replace("@**", "@_**")})


client.call_on_each_event(answer, event_types=["message"])`,
  javascript: `// npm install zulip-js; node echo.mjs
import zulip from "zulip-js";

const client = await zulip({ zuliprc: "zuliprc" });
const { user_id: me } = await client.users.me.getProfile();

async function answer({ type, message, flags }) {
  if (type !== "message" || message.sender_id === me) return;
  const text = \`\${message.sender_full_name} says: \${message.content}\`;
  if (message.type === "private") {
    const people = message.display_recipient.map(({ id }) => id);
    await client.messages.send({ type: "direct", to: people, content: text });
  } else if (flags.includes("mentioned")) {
    const place = { to: message.stream_id, topic: message.subject };
    await client.messages.send({ type: "channel", ...place, content: text.replaceAll("@**", "@_**") });
  }
}

await client.callOnEachEvent(answer, ["message"]);`,
} as const;
