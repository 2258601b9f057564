/** What services post where customers and readers are, in the forms of their documentation. */
import { type Sample, samplesOf } from "./sample.ts";

const topic = { id: 5, title: "Which tea?", created_by: { username: "mia" }, tags: ["tea"], closed: true };
const post = { username: "kim", post_number: 2, topic_title: "Which tea?", raw: "Green", post_url: "/t/5/2" };
const discourse = (event: string, payload: object, where: string, content: RegExp) =>
  [
    event,
    payload,
    where,
    content,
    { "X-Discourse-Event": event, "X-Discourse-Event-Type": event.split("_", 1)[0]! },
  ] as const;

const ticket = (triggered_event: string) => ({
  freshdesk_webhook: {
    triggered_event,
    ticket_id: 11,
    ticket_subject: "No tea",
    ticket_url: "https://fd.example/11",
    ticket_type: "Question",
    ticket_priority: "Low",
    ticket_status: "Open",
    ticket_description:
      '<div>Help &lt;now&gt;<br><a href="https://a.example/?x=1&amp;y">please</a> <img src="https://a.example/pot.png"></div><script>x</script>',
    requester_name: "Mia",
    requester_email: "mia@tea.example",
  },
});
const ticketTopic = "#11: No tea";

const teammate = { first_name: "Mia", last_name: "Tee" };
const front = (type: string, content: RegExp, data: unknown = { id: "m1" }, source: unknown = teammate) =>
  [
    type,
    {
      type,
      source: { data: source },
      target: { data },
      conversation: { id: "cnv_1", subject: "Tea", recipient: { handle: "kim@tea.example" } },
    },
    "cnv_1",
    content,
  ] as const;
const inbox = [{ address: "shop@tea.example" }];

const user = { type: "user", name: "Kim", email: "kim@tea.example" };
const contact = {
  type: "contact",
  pseudonym: "Green Leaf",
  email: "kim@tea.example",
  location_data: { city_name: "Uji", region_name: "Kyoto", country_name: "Japan" },
};
const conversation = {
  user,
  assignee: { name: "Mia" },
  conversation_parts: { conversation_parts: [{ body: "<p>Hello <b>you</b></p>" }] },
  conversation_message: { body: "<p>Hi</p>" },
};
const tag = { name: "vip" };
const intercom = (event: string, item: object, where: string, content: RegExp) =>
  [event, { type: "notification_event", topic: event, data: { item } }, where, content] as const;

const subscription = {
  id: "sub_1",
  customer: "cus_1",
  plan: { id: "p1", nickname: "Gold" },
  quantity: 2,
  trial_end: 1_800_000_000,
};
const invoice = {
  id: "in_1",
  customer: "cus_1",
  billing_reason: "subscription_create",
  total: 1000,
  amount_due: 1000,
  amount_paid: 1000,
  amount_remaining: 0,
  currency: "usd",
  paid: true,
};
const stripe = (type: string, object: object, where: string, content: RegExp, previous_attributes?: object) =>
  [type, { type, data: { object, ...(previous_attributes ? { previous_attributes } : {}) } }, where, content] as const;
const charge = { id: "ch_1", customer: "cus_1", amount: 1999, currency: "eur" };

export const supportSamples: Sample[] = [
  ...samplesOf("discourse", [
    ...["created", "edited", "destroyed", "recovered", "closed_status_updated"].map((did) =>
      discourse(`topic_${did}`, { topic }, "Which tea?", /^mia's topic \*\*Which tea\?\*\* was \w+, tagged tea\.$/),
    ),
    ...["created", "edited", "destroyed", "recovered"].map((did) =>
      discourse(`post_${did}`, { post }, "Which tea?", /^kim's post #2 was \w+:\n~~~ quote\nGreen\n~~~$/),
    ),
    ...["created", "approved", "updated", "destroyed"].map((did) =>
      discourse(`user_${did}`, { user: { username: "kim" } }, "Users", /^The account \*\*kim\*\* was \w+\.$/),
    ),
    discourse(
      "reviewable_created",
      { reviewable: { target_created_by: { username: "kim" } } },
      "Reviews",
      /^A post of kim waits for a review\.$/,
    ),
  ]),
  ...samplesOf("freshdesk", [
    [
      "ticket_created",
      ticket("{ticket_action:created}"),
      ticketTopic,
      /^Mia \(mia@tea\.example\) created \[ticket #11\]\(.*\):\n~~~ quote\nHelp <now>\n\[please\]\(https:\/\/a\.example\/\?x=1&y\) \[pot\.png\]\(https:\/\/a\.example\/pot\.png\)\n~~~\n\n\* \*\*Type\*\*: Question\n\* \*\*Priority\*\*: Low\n\* \*\*Status\*\*: Open$/,
    ],
    [
      "note_type",
      ticket("{note_type:private}"),
      ticketTopic,
      /^Mia .* added a private note to \[ticket #11\]\(.*\)\.$/,
    ],
    [
      "status",
      ticket("{status:{from:2,to:4}}"),
      ticketTopic,
      /updated \[ticket #11\]\(.*\):\n\n\* \*\*Status\*\*: Open → Resolved$/,
    ],
    ["priority", ticket("{priority:{from:1,to:9}}"), ticketTopic, /\* \*\*Priority\*\*: Low → 9$/],
  ]),
  ...samplesOf("front", [
    front(
      "inbound",
      /^\[Message\]\(https:\/\/app\.frontapp\.com\/open\/m1\) from \*\*kim@tea\.example\*\* to \*\*shop@tea\.example\*\*:\n~~~ quote\nTea\n~~~$/,
      { id: "m1" },
      inbox,
    ),
    front("outbound", /from \*\*shop@tea\.example\*\* to \*\*kim@tea\.example\*\*:/, { id: "m1" }, inbox),
    front(
      "out_reply",
      /^\[Reply\]\(.*\) from \*\*shop@tea\.example\*\* to \*\*kim@tea\.example\*\*\.$/,
      { id: "m1" },
      inbox,
    ),
    front("comment", /^\*\*Mia Tee\*\* left a comment:\n~~~ quote\nAgreed\n~~~$/, { body: "Agreed" }),
    front("mention", /left a comment/, { body: "Agreed" }),
    front("assign", /^\*\*Mia Tee\*\* took the conversation\.$/, teammate),
    front("unassign", /^\*\*Mia Tee\*\* unassigned the conversation\.$/),
    front("archive", /archived/),
    front("reopen", /reopened/),
    front("trash", /deleted/),
    front("restore", /restored/),
    front("tag", /added the tag \*\*vip\*\*\.$/, tag),
    front("untag", /removed the tag \*\*vip\*\*\.$/, tag),
  ]),
  ...samplesOf("intercom", [
    intercom(
      "company.created",
      { name: "Tea", user_count: 3, monthly_spend: 9 },
      "Companies",
      /^The company \*\*Tea\*\* was created:\n\n\* \*\*Users\*\*: 3\n\* \*\*Monthly spending\*\*: 9$/,
    ),
    intercom("contact.added_email", contact, "Contact: Green Leaf", /kim@tea\.example$/),
    intercom(
      "contact.created",
      contact,
      "Contact: Green Leaf",
      /^A contact was created:\n\n\* \*\*Name\*\*: Green Leaf\n\* \*\*Email\*\*: kim@tea\.example\n\* \*\*Location\*\*: Uji, Kyoto, Japan$/,
    ),
    intercom("contact.signed_up", contact, "Contact: Green Leaf", /^A contact signed up/),
    intercom("contact.tag.created", { contact, tag }, "Contact: Green Leaf", /was given the tag `vip`/),
    intercom("contact.tag.deleted", { contact, tag }, "Contact: Green Leaf", /lost the tag `vip`/),
    intercom("conversation.admin.assigned", conversation, "User: Kim", /was assigned to Mia\.$/),
    intercom("conversation.admin.closed", conversation, "User: Kim", /^Mia closed the conversation\.$/),
    intercom("conversation.admin.opened", conversation, "User: Kim", /^Mia opened/),
    intercom("conversation.admin.snoozed", conversation, "User: Kim", /^Mia snoozed/),
    intercom("conversation.admin.unsnoozed", conversation, "User: Kim", /^Mia woke up/),
    intercom("conversation.admin.replied", conversation, "User: Kim", /^Mia replied:\n~~~ quote\nHello you\n~~~$/),
    intercom("conversation.admin.noted", conversation, "User: Kim", /^Mia added a note:/),
    intercom(
      "conversation.admin.single.created",
      conversation,
      "User: Kim",
      /^Mia began a conversation:\n~~~ quote\nHi\n~~~$/,
    ),
    intercom("conversation.user.created", conversation, "User: Kim", /^Kim began a conversation:/),
    intercom("conversation.user.replied", conversation, "User: Kim", /^Kim replied:/),
    intercom("event.created", { event_name: "bought" }, "Events", /\*\*bought\*\*$/),
    intercom("user.created", user, "User: Kim", /^A user was created:\n\n\* \*\*Name\*\*: Kim/),
    intercom("user.deleted", user, "User: Kim", /^The user was deleted\.$/),
    intercom("user.email.updated", user, "User: Kim", /is now kim@tea\.example\.$/),
    intercom("user.tag.created", { user, tag }, "User: Kim", /was given the tag `vip`/),
    intercom("user.tag.deleted", { user, tag }, "User: Kim", /lost the tag `vip`/),
    intercom("user.unsubscribed", user, "User: Kim", /wants no more emails/),
    intercom("visitor.signed_up", { ...contact, type: "visitor" }, "Visitor: Green Leaf", /^A visitor signed up/),
  ]),
  ...samplesOf("stripe", [
    stripe(
      "charge.succeeded",
      charge,
      "cus_1",
      /^\[Charge\]\(https:\/\/dashboard\.stripe\.com\/charges\/ch_1\) of 19\.99 EUR succeeded\.$/,
    ),
    stripe("charge.failed", { ...charge, failure_code: "card_declined" }, "cus_1", /failed: card_declined$/),
    stripe(
      "charge.dispute.created",
      { id: "dp_1", status: "needs_response" },
      "disputes",
      /^\[Dispute\]\(.*\) created\. Its status: needs response\.$/,
    ),
    stripe("charge.dispute.closed", { id: "dp_1", status: "won" }, "disputes", /closed\. Its status: won\.$/),
    stripe(
      "charge.refund.updated",
      { id: "re_1", charge: "ch_1", amount: 500, currency: "jpy" },
      "refunds",
      /^\[Refund\]\(.*\) of 500 JPY for \[Charge\]\(.*\) updated\.$/,
    ),
    stripe(
      "customer.created",
      { id: "cus_1", email: "kim@tea.example", metadata: { vip: "yes" } },
      "cus_1",
      /^\[Customer\]\(.*\) created\n\n\* \*\*Email\*\*: kim@tea\.example\n\* \*\*vip\*\*: yes$/,
    ),
    stripe(
      "customer.updated",
      { id: "cus_1", email: "k@tea.example" },
      "cus_1",
      /^\[Customer\]\(.*\) updated\n\n\* email is now k@tea\.example$/,
      { email: "kim@tea.example", currency: "x" },
    ),
    stripe("customer.deleted", { id: "cus_1" }, "cus_1", /^\[Customer\]\(.*\) deleted$/),
    stripe(
      "customer.discount.created",
      { customer: "cus_1", coupon: { id: "c1", name: "Spring" } },
      "cus_1",
      /^Discount created: \[Spring\]\(.*\/coupons\/c1\)\.$/,
    ),
    stripe(
      "customer.subscription.created",
      subscription,
      "cus_1",
      /^\[Subscription\]\(.*\) created\n\n\* \*\*Plan\*\*: \[Gold\]\(.*\)\n\* \*\*Quantity\*\*: 2$/,
    ),
    stripe("customer.subscription.updated", subscription, "cus_1", /\* trial end is now <time:2027-01-15T08:00:00Z>$/, {
      trial_end: null,
    }),
    stripe("customer.subscription.deleted", subscription, "cus_1", /deleted$/),
    stripe(
      "customer.subscription.trial_will_end",
      subscription,
      "cus_1",
      /its trial ends <time:2027-01-15T08:00:00Z>\.$/,
    ),
    stripe(
      "invoice.created",
      invoice,
      "cus_1",
      /^\[Invoice\]\(.*\) created \(subscription create\)\n\n\* \*\*Total\*\*: \$10\.00\n\* \*\*Amount due\*\*: \$10\.00$/,
    ),
    stripe("invoice.payment_failed", invoice, "cus_1", /payment failed/),
    stripe("invoice.updated", invoice, "cus_1", /^\[Invoice\]\(.*\) is now paid: \$10\.00\.$/, { paid: false }),
    stripe(
      "invoiceitem.created",
      { id: "ii_1", customer: "cus_1", amount: 1000, currency: "cad" },
      "cus_1",
      /^\[Invoice item\]\(.*\) created of 10\.00 CAD$/,
    ),
  ]),
  {
    name: "zendesk",
    payload: { ticket_id: "4", ticket_title: "No tea", message: "Mia asks:\nwhere?" },
    topic: "#4: No tea",
    content: /^Mia asks:\nwhere\?$/,
    isForm: true,
  },
];
