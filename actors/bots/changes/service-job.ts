/** Calls outgoing webhooks, a few at a time. */
import { setTimeout as delay } from "node:timers/promises";
import {
  findNextWebhookCall,
  findRealmsWithWebhookCalls,
  hasDueWebhookCall,
} from "../../../storage/bots/webhook-calls.ts";
import { askOutside, type Outcome } from "../../outbound/ask-outside.ts";
import type { Job } from "../../realm/job.ts";
import type { JobRealm } from "../../realm/served.ts";
import { tracedRequest } from "../../tracing.ts";
import { type BegunServiceCall, type ServiceOutcome, serviceTimeoutSecs } from "./service-calls.ts";
import { readServiceReply } from "./service-payload.ts";

/** Calls under way in one organization. */
const callers = 8;
/** Bytes of an answer: room for a message of 10,000 characters in any encoding. */
const maxAnswerBytes = 256 * 1024;
/** Interval of looking for more due calls while calls are under way. */
const lookAgainMs = 500;

export const callServicesJob: Job = {
  name: "call outgoing webhooks",
  everySecs: 1,
  async run(realm) {
    const underWay = new Set<Promise<void>>();
    for (;;) {
      const begun = underWay.size < callers ? await begin(realm) : "idle";
      if (begun === "idle" && underWay.size === 0) return;
      if (begun === "idle") await Promise.race([...underWay, delay(lookAgainMs)]);
      else if (begun.call) {
        const call: Promise<void> = finish(realm, begun.call).finally(() => underWay.delete(call));
        underWay.add(call);
      }
    }
  },
  findWaiting: findRealmsWithWebhookCalls,
  onlyWaiting: true,
  next: { at: findNextWebhookCall, changedBy: ["message"] },
};

/** Takes the next call, if one is due. */
async function begin(realm: JobRealm): Promise<{ call?: BegunServiceCall } | "idle"> {
  const isDue = await hasDueWebhookCall(realm.database.sql, realm.id, realm.environment.clock());
  return isDue ? realm.execute("beginServiceCall", {}) : "idle";
}

/** Never throws. A call that could not be settled counts as lost, and begins again. */
async function finish(realm: JobRealm, call: BegunServiceCall): Promise<void> {
  const { log } = realm.environment;
  try {
    const outcome = await ask(realm, call);
    await realm.execute("endServiceCall", { id: call.id, attempt: call.attempt, outcome });
  } catch (error) {
    log.warn({ realm: realm.id, call: call.id, err: error }, "a call of an outgoing webhook was not settled");
  }
}

async function ask(realm: JobRealm, call: BegunServiceCall): Promise<ServiceOutcome> {
  const { tracer } = realm.environment;
  const outcome = await tracedRequest(tracer, "outgoing webhook", (traced) => post(realm, call, traced), failureOf);
  if ("failure" in outcome) return outcome;
  const { status } = outcome;
  if (status < 200 || status > 299)
    return { failure: `it answered with the status ${status}`, isLasting: status < 500 && status !== 429 };
  const reply = readServiceReply(call, outcome.body);
  return typeof reply === "string" ? { failure: reply, isLasting: true } : reply;
}

const failureOf = (outcome: Outcome): string | undefined =>
  "failure" in outcome ? outcome.failure : outcome.status > 299 ? `status ${outcome.status}` : undefined;

const post = (realm: JobRealm, call: BegunServiceCall, traced: Readonly<Record<string, string>>): Promise<Outcome> =>
  askOutside({
    method: "POST",
    url: call.url,
    headers: {
      ...traced,
      "Content-Type": call.contentType,
      "User-Agent": "Parley",
      // All attempts of a call have the same key: nobody knows whether an earlier one arrived.
      "Idempotency-Key": `${realm.state.row.uuid}-${call.id}`,
    },
    body: call.body,
    isAllowed: realm.environment.mayAsk,
    timeoutMs: serviceTimeoutSecs * 1000,
    maxBytes: maxAnswerBytes,
  });
