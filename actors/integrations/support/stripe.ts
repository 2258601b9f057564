/** https://docs.stripe.com/api/events/types */
import { type Integration, type Notice, type Said, type Told, unsupported } from "../notice/integration.ts";
import { fields, link, listed, moment, spoken } from "../notice/markdown.ts";
import { malformed, type Payload } from "../notice/payload.ts";
import { amount, resource } from "./stripe-objects.ts";

const displayName = "Stripe";

/** Kinds that are left out in peace, as they are of no use to people or of other products of Stripe. */
const ignored =
  /^(?:account\.(?!updated$)|application_fee|balance|checkout|coupon|issuing|order|payment_intent|payment_method|payout|plan|price|product|recipient|reporting|review|setup_intent|sigma|sku|source|subscription_schedule|tax|topup|transfer)/;

/** Fields whose change says nothing to people. */
const dull: Readonly<Record<string, readonly string[]>> = {
  customer: ["delinquent", "currency", "default_source"],
  invoice: ["lines", "description", "number", "finalized_at", "status_transitions", "payment_intent"],
  invoiceitem: ["description", "invoice"],
};

/** A new value; numbers that can be moments of these years are. */
function shown(at: Payload, field: string): string {
  const number = at.number(field);
  if (number !== undefined && number > 1_500_000_000 && number < 2_500_000_000) return moment(String(number));
  return at.line(field) || (at.has(field) ? "changed" : "none");
}

/** What an update changed; nothing where that is of no interest. */
function changes(payload: Payload, kind: string): string[] {
  const at = payload.at("data.object");
  const left = dull[kind] ?? [];
  return payload
    .entries("data.previous_attributes")
    .map(([field]) => field)
    .filter((field) => !left.includes(field))
    .sort()
    .map((field) => `${spoken(field)} is now ${shown(at, field)}`);
}

interface Event {
  payload: Payload;
  /** "customer", "subscription", "updated" of `customer.subscription.updated`. */
  category: string;
  kind: string;
  did: string;
}

/** The usual words; "" for an update that changed nothing of interest. */
function usual({ payload, kind, did }: Event): string {
  const head = `${resource(payload.text("data.object.id"))} ${spoken(did)}`;
  if (did !== "updated") return head;
  const changed = changes(payload, kind);
  return changed.length === 0 ? "" : `${head}\n\n${listed(changed)}`;
}

function charge(event: Event): string {
  const at = event.payload.at("data.object");
  const [failure, description] = [at.line("failure_message", "failure_code"), at.line("description")];
  const about = description === "" ? "" : ` (${description})`;
  return `${resource(at.text("id"))} of ${amount(at, "amount")}${about} ${spoken(event.did)}${failure === "" ? "." : `: ${failure}`}`;
}

function customer(event: Event): string {
  const at = event.payload.at("data.object");
  if (event.did !== "created") return usual(event);
  const metadata = at.entries("metadata").map(([name, value]) => [name, value.own()] as const);
  const told = fields([["Name", at.line("name")], ["Email", at.line("email")], ...metadata]);
  return `${usual(event)}${told === "" ? "" : `\n\n${told}`}`;
}

function subscription(event: Event): string {
  const at = event.payload.at("data.object");
  if (event.did === "trial_will_end")
    return `${resource(at.text("id"))}: its trial ends ${moment(at.line("trial_end"))}.`;
  if (event.did !== "created") return usual(event);
  const plan = at.has("plan") ? at.at("plan") : at.at("items.data.0.plan");
  const told = fields([
    [
      "Plan",
      plan.has("id") ? link(plan.line("nickname", "id"), `https://dashboard.stripe.com/plans/${plan.line("id")}`) : "",
    ],
    ["Quantity", at.line("quantity", "items.data.0.quantity")],
    ["Billing", spoken(at.line("collection_method", "billing"))],
  ]);
  return `${usual(event)}${told === "" ? "" : `\n\n${told}`}`;
}

function invoice(event: Event): string {
  const { payload, did } = event;
  const at = payload.at("data.object");
  if (did === "upcoming") return `An invoice comes up: ${amount(at, "amount_due")}.`;
  const isPaid = at.is("paid", true) && at.line("amount_paid") !== "0" && at.is("amount_remaining", 0);
  if (did === "updated" && payload.is("data.previous_attributes.paid", false) && isPaid)
    return `${resource(at.text("id"))} is now paid: ${amount(at, "amount_paid")}.`;
  if (did !== "created" && did !== "payment_failed" && did !== "paid" && did !== "payment_succeeded")
    return usual(event);
  const reason = spoken(at.line("billing_reason"));
  return `${usual(event)}${reason === "" ? "" : ` (${reason})`}\n\n${fields([
    ["Total", amount(at, "total")],
    ["Amount due", amount(at, "amount_due")],
  ])}`;
}

/** What is told, by kind: under the customer where there is one, or under the kind. */
const tells: Readonly<Record<string, { topic?: string; say: (event: Event) => string }>> = {
  account: { topic: "account updates", say: ({ payload }) => listed(changes(payload, "account")) },
  charge: { say: charge },
  dispute: {
    topic: "disputes",
    say: (event) => `${usual(event)}. Its status: ${spoken(event.payload.line("data.object.status"))}.`,
  },
  refund: {
    topic: "refunds",
    say: ({ payload, did }) => {
      const at = payload.at("data.object");
      return `${resource(at.text("id"))} of ${amount(at, "amount")} for ${resource(at.text("charge"))} ${spoken(did)}.`;
    },
  },
  customer: { say: customer },
  discount: {
    say: ({ payload, did }) => {
      const at = payload.at("data.object.coupon");
      return `Discount ${spoken(did)}: ${link(at.line("name", "id"), `https://dashboard.stripe.com/coupons/${at.line("id")}`)}.`;
    },
  },
  source: { say: usual },
  subscription: { say: subscription },
  file: {
    topic: "files",
    say: (event) => {
      const at = event.payload.at("data.object");
      return `${usual(event)} (${spoken(at.line("purpose"))}): ${at.line("title", "filename")}`;
    },
  },
  invoice: { say: invoice },
  invoiceitem: {
    say: (event) =>
      `${usual(event)}${event.did === "created" ? ` of ${amount(event.payload.at("data.object"), "amount")}` : ""}`,
  },
};

function read({ payload }: Notice): Told {
  const type = payload.line("type");
  if (type === "") throw malformed("type is missing");
  const [category = "", first = "", ...rest] = type.split(".");
  const [kind, did] = rest.length > 0 ? [first, rest.join(" ")] : [category, first];
  if (ignored.test(type)) return "ignored";
  const tell = Object.hasOwn(tells, kind) ? tells[kind] : undefined;
  if (!tell || did === "") throw unsupported(displayName, type);
  const { topic, say } = tell;
  const content = say({ payload, category, kind, did });
  if (content === "") return "ignored";
  const at = payload.at("data.object");
  const owner = kind === "customer" ? at.raw("id") : at.raw("customer");
  const said: Said = { event: type, topic: topic ?? (owner || `${kind}s`), content };
  return said;
}

export const stripe: Integration = {
  name: "stripe",
  displayName,
  events: [
    "charge.dispute.closed",
    "charge.dispute.created",
    "charge.failed",
    "charge.refund.updated",
    "charge.succeeded",
    "customer.created",
    "customer.deleted",
    "customer.discount.created",
    "customer.subscription.created",
    "customer.subscription.deleted",
    "customer.subscription.trial_will_end",
    "customer.subscription.updated",
    "customer.updated",
    "invoice.created",
    "invoice.payment_failed",
    "invoice.updated",
    "invoiceitem.created",
  ],
  read,
};
