/** Fills the first organization of a test's server with something of everything. */
import { expectSuccess, type JsonObject } from "../client/api.ts";
import type { Person } from "../people/person.ts";
import type { TestServer } from "../server/server.ts";

/** A picture of one point. */
const png = new Uint8Array(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);
const later = () => Math.floor(Date.now() / 1000) + 1_000_000;

/** @param people an owner, a member, a guest and a member who is away */
export async function furnish(
  server: TestServer,
  [ada, bob, cy, dee]: readonly Person[] & { length: 4 },
): Promise<void> {
  const { owner } = server;
  const make = async (by: Person, method: "post" | "patch", path: string, params: JsonObject = {}, options = {}) =>
    expectSuccess(await by.client[method](path, params, options));
  const everybody = [owner, ada!, bob!, cy!, dee!];

  const folder = await make(owner, "post", "/channel_folders/create", { name: "Work", description: "What *we* do" });
  const writers = await owner.group("writers", { members: [ada!.id, bob!.id], description: "Who write" });
  await owner.group("all of them", { members: [dee!.id], subgroups: [writers] });
  const plans = await server.addChannel("plans", everybody, {
    description: "What is **next**",
    folder_id: folder["channel_folder_id"],
    topics_policy: "disable_empty_topic",
    can_send_message_group: writers,
  });
  const inner = await server.addChannel("inner", [ada!, bob!], {
    invite_only: true,
    history_public_to_subscribers: false,
    can_remove_subscribers_group: { direct_members: [ada!.id], direct_subgroups: [writers] },
  });
  const old = await server.addChannel("old", [ada!, bob!]);
  const open = await server.addChannel("open", [ada!, cy!]);
  await make(owner, "post", "/default_stream_groups/create", {
    group_name: "Begin here",
    description: "For the new",
    stream_names: ["open"],
  });
  await make(owner, "post", "/realm/filters", {
    pattern: "#(?P<id>[0-9]+)",
    url_template: "https://bugs.example.com/{id}",
  });
  await make(owner, "post", "/realm/playgrounds", {
    name: "Run it",
    pygments_language: "Python",
    url_template: "https://play.example.com/{code}",
  });
  await make(owner, "post", "/realm/domains", { domain: "example.org", allow_subdomains: true });
  await make(owner, "post", "/realm/profile_fields", { name: "Town", hint: "Where", field_type: 1 });
  await make(owner, "post", "/realm/profile_fields", { name: "Mentor", hint: "Who", field_type: 6 });
  const fields =
    (await make(owner, "patch", "/realm", {
      description: "A *fine* place",
      message_content_edit_limit_seconds: 1200,
      message_edit_history_visibility_policy: "moves",
      topics_policy: "disable_empty_topic",
      can_create_groups: { new: writers },
      moderation_request_channel_id: inner,
    })) && (expectSuccess(await owner.client.get("/realm/profile_fields"))["custom_fields"] as { id: number }[]);
  await make(owner, "patch", "/realm", {
    message_edit_history_visibility_policy: "all",
    topics_policy: "allow_empty_topic",
  });
  await make(owner, "patch", "/realm/user_settings_defaults", { color_scheme: 2 });
  await make(owner, "post", "/realm/icon", {}, { files: { file: { filename: "icon.png", content: png } } });
  await make(ada!, "post", "/realm/emoji/quince", {}, { files: { file: { filename: "q.png", content: png } } });

  await make(ada!, "patch", "/users/me/profile_data", {
    data: [
      { id: fields[0]!.id, value: "Ulm" },
      { id: fields[1]!.id, value: [bob!.id, owner.id] },
    ],
  });
  await make(bob!, "patch", "/settings", {
    email_address_visibility: 4,
    twenty_four_hour_time: true,
    resolved_topic_notice_auto_read_policy: "never",
    allow_private_data_export: true,
    timezone: "Europe/Berlin",
  });
  await make(bob!, "post", "/users/me/avatar", {}, { files: { file: { filename: "b.png", content: png } } });
  await make(bob!, "post", "/users/me/alert_words", { alert_words: ["quince", "jam"] });
  await make(bob!, "post", `/users/me/muted_users/${dee!.id}`);
  await make(ada!, "post", "/users/me/status", { status_text: "In the garden", emoji_name: "quince" });
  await make(bob!, "post", "/users/me/subscriptions/properties", {
    subscription_data: [
      { stream_id: plans, property: "color", value: "#123456" },
      { stream_id: plans, property: "pin_to_top", value: true },
      { stream_id: plans, property: "push_notifications", value: false },
    ],
  });

  const first = await ada!.say(plans, `@**Bob** and @*writers*, see #**inner** and #7 :quince:`, "harvest");
  const upload = await make(
    bob!,
    "post",
    "/user_uploads",
    {},
    { files: { file: { filename: "list.txt", content: "figs" } } },
  );
  await bob!.say(
    plans,
    `The [list](${upload["url"]}), as in [this](#narrow/channel/${plans}-plans/topic/harvest/near/${first})`,
    "harvest",
  );
  await make(cy!, "post", "/user_uploads", {}, { files: { file: { filename: "never.txt", content: "unused" } } });
  const edited = await ada!.say(plans, "quinces and jam", "harvest");
  await make(ada!, "patch", `/messages/${edited}`, { content: "quinces, figs and jam" });
  await make(ada!, "patch", `/messages/${edited}`, { topic: "figs", propagate_mode: "change_one" });
  await make(bob!, "post", `/messages/${first}/reactions`, { emoji_name: "quince" });
  await make(cy!, "post", `/messages/${first}/reactions`, { emoji_name: "heart" });
  await make(bob!, "post", "/messages/flags", { messages: [first], op: "add", flag: "starred" });
  await make(cy!, "post", "/messages/flags", { messages: [first, edited], op: "add", flag: "read" });
  await ada!.say(inner, "Behind the door @**all**", "secret");
  await dee!.say(open, "Said before Bob was there", "t").catch(() => owner.say(open, "Said before Bob was there", "t"));
  const heard = await ada!.say(open, "/me waves", "t");
  await bob!.subscribe("open");
  await make(bob!, "post", "/messages/flags", { messages: [heard], op: "add", flag: "starred" });
  await ada!.say(old, "Said in the old place", "t");
  await bob!.unsubscribe("old");
  expectSuccess(await owner.client.delete(`/streams/${old}`));
  const poll = await ada!.say(open, "/poll Figs?\nyes\nno", "t");
  await make(ada!, "post", "/submessage", {
    message_id: poll,
    msg_type: "widget",
    content: JSON.stringify({ type: "vote", key: "canned,0", vote: 1 }),
  });
  await ada!.say([bob!], "Between us");
  await bob!.say([ada!], "Indeed");
  await ada!.say([bob!, dee!], "Among three");
  await bob!.say([bob!], "To myself");
  await make(bob!, "post", "/user_topics", { stream_id: plans, topic: "harvest", visibility_policy: 3 });

  await make(bob!, "post", "/drafts", {
    drafts: [
      { type: "stream", to: [plans], topic: "harvest", content: "half a thought", timestamp: 1_700_000_000 },
      { type: "private", to: [ada!.id, cy!.id], topic: "", content: "to two", timestamp: 1_700_000_001 },
      { type: "", to: [], topic: "", content: "to nobody yet", timestamp: 1_700_000_002 },
    ],
  });
  await make(bob!, "post", "/saved_snippets", { title: "Greeting", content: "Hello @**Ada**" });
  await make(bob!, "post", "/navigation_views", {
    fragment: `narrow/channel/${plans}-plans`,
    is_pinned: true,
    name: "Plans",
  });
  await make(bob!, "post", "/scheduled_messages", {
    type: "direct",
    to: [ada!.id],
    content: "Later",
    scheduled_delivery_timestamp: later(),
  });
  await make(bob!, "post", "/scheduled_messages", {
    type: "channel",
    to: plans,
    topic: "harvest",
    content: "Later, to all",
    scheduled_delivery_timestamp: later(),
  });
  await make(bob!, "post", "/reminders", { message_id: first, scheduled_delivery_timestamp: later(), note: "answer" });
  await make(bob!, "post", "/users/me/onboarding_steps", { onboarding_step: "intro_inbox_view_modal" });
  await make(bob!, "post", "/bots", {
    full_name: "Caller",
    short_name: "caller",
    bot_type: 3,
    payload_url: JSON.stringify("https://bots.example.com/hook"),
    interface_type: 1,
  });
  const keeper = await server.addBot(bob!, "keeper");
  expectSuccess(await keeper.client.request("PUT", "/bot_storage", { storage: { colour: "green" } }));
  expectSuccess(await owner.client.delete(`/users/${dee!.id}`));
}
