import { describe, expect, it } from "vitest";
import { ApiClient, expectSuccess } from "../../support/client/api.ts";
import { LEGACY, MOBILE, MODERN, registerParams } from "../../support/convergence/client-profile.ts";
import { registerProblems } from "../../support/convergence/event-shapes.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ environment: { PARLEY_REALM_NAME: "Tea House" } });
const { owner } = server;
const [guest] = server.people(["Gwen Guest", 600]);

describe("what the mobile client cannot do without", () => {
  for (const profile of [LEGACY, MOBILE, MODERN]) {
    it(`is there and of the right shape for a ${profile.name} client`, async () => {
      expect(registerProblems(await owner.client.register(registerParams(profile)), profile)).toEqual([]);
    });
  }

  it("is there for a guest", async () => {
    expect(registerProblems(await guest.client.register(registerParams(MOBILE)), MOBILE)).toEqual([]);
  });
});

describe("the register answer", () => {
  const lists = ["recent_private_conversations", "navigation_views", "saved_snippets", "subscriptions"] as const;
  const always = ["idle_queue_timeout_secs", "last_event_id", "queue_id"];
  const versions = ["zulip_feature_level", "zulip_merge_base", "zulip_version"];
  const fields = async (params: Record<string, unknown>) => Object.keys(await owner.client.register(params)).sort();
  const only = (...names: string[]) => [...always, ...versions, "msg", "result", ...names].sort();

  it.each(lists)("%s is there when fetch_event_types names it, whatever event_types says", async (name) => {
    const further = name === "subscriptions" ? ["never_subscribed", "unsubscribed"] : [];
    expect(await fields({ fetch_event_types: [name], event_types: ["message"] })).toEqual(only(name, ...further));
    // Without fetch_event_types it is event_types that counts.
    expect(await fields({ event_types: [name] })).toEqual(only(name, ...further));
    expect(await fields({ event_types: [name], fetch_event_types: [] })).toEqual(only());
    expect(await fields({ event_types: [] })).toEqual(only());
  });

  it("every list is there when neither names types, and is an array", async () => {
    for (const params of [{}, { fetch_event_types: null, event_types: null }]) {
      const state = await owner.client.register(params);
      for (const name of lists) expect(state[name], name).toBeInstanceOf(Array);
    }
  });

  it("types that there are not are ignored", async () => {
    expect(await fields({ fetch_event_types: ["no_such_type", "saved_snippets"] })).toEqual(only("saved_snippets"));
    expect(await fields({ event_types: ["no_such_type"] })).toEqual(only());
  });

  it("queue_id, last_event_id and idle_queue_timeout_secs are a text and two integers", async () => {
    const state = await owner.client.register({ fetch_event_types: [] });
    expect(state.queue_id).toMatch(/./);
    expect(Number.isInteger(state.last_event_id)).toBe(true);
    expect(state["idle_queue_timeout_secs"]).toBe(600);
    expect((await owner.client.register({ idle_queue_timeout: 30 }))["idle_queue_timeout_secs"]).toBe(30);
  });

  it("each list holds records of the fields that its kind has", async () => {
    const { client, id } = owner;
    const message = expectSuccess(await client.post("/messages", { type: "direct", to: [guest.id], content: "Hello" }));
    expectSuccess(await client.post("/navigation_views", { fragment: "inbox", is_pinned: true }));
    expectSuccess(await client.post("/navigation_views", { fragment: "narrow/is/dm", is_pinned: false, name: "Mine" }));
    const snippet = expectSuccess(await client.post("/saved_snippets", { title: "Yes", content: "**Yes**" }));
    const state = await client.register({ fetch_event_types: [...lists] });
    expect(state["recent_private_conversations"]).toContainEqual({
      max_message_id: message["id"],
      user_ids: [guest.id],
    });
    expect(state["navigation_views"]).toEqual([
      { fragment: "inbox", is_pinned: true },
      { fragment: "narrow/is/dm", is_pinned: false, name: "Mine" },
    ]);
    expect(state["saved_snippets"]).toEqual([
      { id: snippet["saved_snippet_id"], title: "Yes", content: "**Yes**", date_created: expect.any(Number) },
    ]);
    expect(state.subscriptions).toMatchObject([{ name: "general", creator_id: null }]);
    const own = expectSuccess(await client.post("/messages", { type: "direct", to: [id], content: "Note" }));
    const { recent_private_conversations } = await client.register({ fetch_event_types: [lists[0]] });
    expect(recent_private_conversations).toContainEqual({ max_message_id: own["id"], user_ids: [] });
  });
});

describe("fields brought by realm", () => {
  it("come only when realm is asked for", async () => {
    const state = await owner.client.register({ fetch_event_types: ["message"], event_types: [] });
    expect(state).not.toHaveProperty("realm_name");
    expect(state).not.toHaveProperty("max_topic_length");
  });

  it("have the defaults and limits of sections 5.3 and 12", async () => {
    const state = await fetchRealm(owner);
    expect(state).toMatchObject({
      realm_name: "Tea House",
      realm_message_retention_days: -1,
      realm_allow_message_editing: true,
      realm_message_content_edit_limit_seconds: 600,
      realm_message_content_delete_limit_seconds: 600,
      realm_move_messages_within_stream_limit_seconds: 604_800,
      realm_move_messages_between_streams_limit_seconds: 604_800,
      realm_allow_edit_history: true,
      realm_message_edit_history_visibility_policy: "all",
      realm_wildcard_mention_policy: 5,
      realm_topics_policy: "allow_empty_topic",
      realm_mandatory_topics: false,
      realm_empty_topic_display_name: "general chat",
      realm_waiting_period_threshold: 0,
      realm_presence_disabled: false,
      realm_moderation_request_channel_id: -1,
      realm_signup_announcements_stream_id: -1,
      realm_plan_type: 1,
      realm_org_type: 0,
      realm_invite_required: true,
      max_stream_name_length: 60,
      max_stream_description_length: 1024,
      max_topic_length: 60,
      max_message_length: 10_000,
      max_channel_folder_name_length: 100,
      max_channel_folder_description_length: 1024,
      max_reminder_note_length: 500,
      max_bulk_new_subscription_messages: 100,
      max_file_upload_size_mib: 100,
      max_avatar_file_size_mib: 5,
      password_min_length: 8,
      password_max_length: 100,
      password_min_guesses: 10_000,
      server_presence_ping_interval_seconds: 60,
      server_presence_offline_threshold_seconds: 200,
      server_typing_started_expiry_period_milliseconds: 45_000,
      server_typing_stopped_wait_period_milliseconds: 12_000,
      server_typing_started_wait_period_milliseconds: 30_000,
      event_queue_longpoll_timeout_seconds: 90,
      jitsi_server_url: "https://meet.jit.si",
      server_web_public_streams_enabled: true,
      development_environment: false,
    });
    expect(state["realm_url"]).toBe(state["realm_uri"]);
  });

  it("name each group by the id of a group of the organization", async () => {
    const state = await owner.client.register({ fetch_event_types: ["realm", "realm_user_groups"], event_types: [] });
    const groups = new Map(state.realm_user_groups!.map((group) => [group.id, group.name]));
    const named = Object.entries(state).filter(([name]) =>
      /^realm_(can_.*_groups?|create_.*_group|direct_.*_group)$/.test(name),
    );
    expect(named).toHaveLength(24);
    for (const [, id] of named) expect(groups.has(id as number)).toBe(true);
    expect(groups.get(state["realm_can_mention_many_users_group"] as number)).toBe("role:administrators");
    expect(groups.get(state["realm_can_access_all_users_group"] as number)).toBe("role:everyone");
  });

  it("say which groups each permission may be given to", async () => {
    const { server_supported_permission_settings: supported } = (await fetchRealm(owner)) as unknown as {
      server_supported_permission_settings: Record<string, Record<string, Record<string, unknown>>>;
    };
    expect(supported["realm"]!["can_create_web_public_channel_group"]).toEqual({
      require_system_group: true,
      allow_internet_group: false,
      allow_nobody_group: true,
      allow_everyone_group: false,
      default_group_name: "role:owners",
      default_for_system_groups: null,
      allowed_system_groups: ["role:owners", "role:administrators", "role:moderators", "role:nobody"],
    });
    expect(Object.keys(supported["realm"]!)).toHaveLength(25);
    expect(Object.keys(supported["stream"]!)).toHaveLength(11);
    expect(supported["stream"]!["can_administer_channel_group"]!["default_group_name"]).toBe("channel_creator");
    expect(supported["group"]!["can_manage_group"]!["default_group_name"]).toBe("group_creator");
  });

  it("name the external accounts that profile fields may use", async () => {
    const accounts = (await fetchRealm(owner))["realm_default_external_accounts"] as Record<string, object>;
    expect(Object.keys(accounts)).toContain("github");
    for (const account of Object.values(accounts)) expect(account).toHaveProperty("url_pattern");
  });

  it("realm_filters and, without linkifier_url_template, realm_linkifiers are empty", async () => {
    expectSuccess(
      await owner.client.post("/realm/filters", { pattern: "#(?P<id>[0-9]+)", url_template: "https://x.org/{id}" }),
    );
    const ask = { fetch_event_types: ["realm_filters", "realm_linkifiers"], event_types: [] };
    const old = await owner.client.register(ask);
    expect([old["realm_filters"], old["realm_linkifiers"]]).toEqual([[], []]);
    const modern = await owner.client.register({ ...ask, client_capabilities: { linkifier_url_template: true } });
    expect(modern["realm_filters"]).toEqual([]);
    expect(modern["realm_linkifiers"]).toMatchObject([{ pattern: "#(?P<id>[0-9]+)", example_input: null }]);
  });

  it("realm_icon_url leads to a picture", async () => {
    const anybody = new ApiClient({ url: server.url });
    const answer = await anybody.get((await fetchRealm(owner))["realm_icon_url"] as string, {}, { root: true });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  });

  it("server_emoji_data_url is absolute and answers names by code to anybody, cacheable", async () => {
    const url = new URL((await fetchRealm(owner))["server_emoji_data_url"] as string);
    const anybody = new ApiClient({ url: server.url });
    const answer = await anybody.get(url.pathname, {}, { root: true });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toMatch(/max-age=\d+/);
    const names = answer.body["code_to_names"] as Record<string, string[]>;
    expect(names["1f44d"]).toContain("+1");
  });
});

const fetchRealm = (person: Person) => person.client.register({ fetch_event_types: ["realm"], event_types: [] });
