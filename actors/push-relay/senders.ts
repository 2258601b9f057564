/** Sends to phones by the service that reaches each. */
import { deleteDeadToken, type RelayPhone } from "../../storage/push-relay/phones.ts";
import type { ApnsNotification } from "./apns.ts";
import type { FcmNotification } from "./fcm.ts";
import { type SendOutcome, withRetries } from "./outcome.ts";
import type { RelayParts, Senders } from "./parts.ts";
import { RelayRefusal } from "./refusal.ts";

/** One notification for one phone, without its token. */
export interface ForPhone {
  phone: RelayPhone;
  apns?: Omit<ApnsNotification, "token" | "topic">;
  fcm?: Omit<FcmNotification, "token">;
}

/** How many took it, and which phones are gone. */
export interface Sent {
  apns: number;
  fcm: number;
  gone: RelayPhone[];
}

/** @throws RelayRefusal 503 when nobody has it yet and another attempt may succeed: the server asks again */
export async function sendAll({ sql, senders, log }: RelayParts, all: readonly ForPhone[]): Promise<Sent> {
  const sent: Sent = { apns: 0, fcm: 0, gone: [] };
  let isPassing = false;
  await Promise.all(
    all.map(async (one) => {
      const { phone } = one;
      const outcome = await withRetries(() => sendOne(senders, one));
      if (outcome === "sent") sent[phone.kind]++;
      else if (outcome === "gone") sent.gone.push(phone);
      else {
        isPassing ||= outcome.isPassing;
        log.warn(outcome, "a phone was not notified");
      }
    }),
  );
  for (const phone of sent.gone) await deleteDeadToken(sql, phone);
  if (isPassing && sent.apns + sent.fcm + sent.gone.length === 0)
    throw new RelayRefusal(503, "SERVICE_UNAVAILABLE", "Apple or Google cannot be reached");
  return sent;
}

async function sendOne({ apns, fcm }: Senders, one: ForPhone): Promise<SendOutcome> {
  const { kind, token, appid } = one.phone;
  const none = { reason: `${kind} is not set up`, isPassing: false };
  if (kind === "apns") return apns && one.apns ? apns.send({ ...one.apns, token, topic: appid! }) : none;
  return fcm && one.fcm ? fcm.send({ ...one.fcm, token }) : none;
}
