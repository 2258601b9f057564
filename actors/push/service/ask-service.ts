/**
 * Requests to a push notification service that speaks as Zulip's does. It holds the credentials of Apple's and Google's
 * services for the apps of the stores. Each kind of failure has its own result, because somebody else has to act:
 *
 * | The service                                  | Result       | Who acts                                          |
 * | cannot be reached, or not within 15 s        | unreachable  | try again later                                   |
 * | answers 5xx or 429                           | broken       | the service's people; try again later             |
 * | does not know this server or its key         | credentials  | this server's people: `parley push register`      |
 * | says that the plan does not allow it         | disallowed   | this server's people                              |
 * | does not know the organization               | unregistered | this server reports its organizations again       |
 * | refuses this request alone                   | refused      | nobody: the same request would be refused again   |
 *
 * Source: zulip/zulip zerver/lib/remote_server.py, `send_to_push_bouncer`.
 */
import type { PushServiceAccount } from "../../../storage/notifications/push-service.ts";
import { jsonObject } from "../../text/json-object.ts";
import { type Tracer, tracedRequest } from "../../tracing.ts";
import { version } from "../../version.ts";
import { describe, readAnswer } from "../relay.ts";

/** Milliseconds after which a request is given up. Zulip's servers wait as long. */
const timeoutMs = 15_000;

/** Bytes that are read of an answer. That to a report has some 120 for each organization of this server. */
const maxAnswerBytes = 8 * 1024 * 1024;

type FailureKind = "unreachable" | "broken" | "credentials" | "disallowed" | "unregistered" | "refused";

export interface ServiceFailure {
  ok: false;
  kind: FailureKind;
  /** The service's own code, if it said one. */
  code: string | undefined;
  /** For the log: the status and the service's words, or the network error. */
  reason: string;
}
export type ServiceAnswer = { ok: true; answer: Record<string, unknown> } | ServiceFailure;

/** Another attempt may succeed without anybody's doing. */
export const isPassing = ({ kind }: ServiceFailure): boolean => kind === "unreachable" || kind === "broken";

export interface ServiceQuestion {
  /** Below `/api/v1/remotes/`. */
  endpoint: string;
  method?: "GET" | "POST";
  /** Fields of a form. Those that are undefined are left out. */
  form?: Readonly<Record<string, string | number | undefined>>;
  /** A body of JSON, in place of a form. */
  json?: object;
}

const kinds: Readonly<Record<string, FailureKind>> = {
  INVALID_ZULIP_SERVER: "credentials",
  PUSH_NOTIFICATIONS_DISALLOWED: "disallowed",
  MISSING_REMOTE_REALM: "unregistered",
};

/** Never throws. @param account without `orgId` the request is not authenticated */
export function askService(
  account: Pick<PushServiceAccount, "url"> & Partial<PushServiceAccount>,
  question: ServiceQuestion,
  tracer?: Tracer,
): Promise<ServiceAnswer> {
  return tracedRequest(
    tracer,
    "push service",
    (traced) => ask(account, question, traced),
    (result) => (result.ok ? undefined : (result.code ?? result.kind)),
  );
}

async function ask(
  { url, orgId, orgKey }: Pick<PushServiceAccount, "url"> & Partial<PushServiceAccount>,
  { endpoint, method = "POST", form, json }: ServiceQuestion,
  traced: Readonly<Record<string, string>>,
): Promise<ServiceAnswer> {
  const headers: Record<string, string> = { ...traced, "user-agent": `ZulipServer/${version}` };
  if (orgId !== undefined) headers["authorization"] = `Basic ${Buffer.from(`${orgId}:${orgKey}`).toString("base64")}`;
  if (json) headers["content-type"] = "application/json";
  const body = json ? JSON.stringify(json) : method === "POST" ? new URLSearchParams(fieldsOf(form)) : null;
  try {
    const response = await fetch(new URL(`/api/v1/remotes/${endpoint}`, url), {
      method,
      headers,
      body,
      // Redirects are not followed: the key goes to the configured service only.
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    return judge(response.status, await readAnswer(response, maxAnswerBytes));
  } catch (error) {
    return { ok: false, kind: "unreachable", code: undefined, reason: describe(error) };
  }
}

function judge(status: number, text: string): ServiceAnswer {
  const answer = jsonObject(text);
  const reason = `${status}: ${text.slice(0, 200)}`;
  if (status === 200 && answer) return { ok: true, answer };
  const code = typeof answer?.["code"] === "string" ? answer["code"] : undefined;
  if (status >= 500 || status === 429) return { ok: false, kind: "broken", code, reason };
  // What is no error of the service's own, such as a page of a proxy, says nothing of the request.
  const isOwn = status >= 400 && typeof answer?.["msg"] === "string";
  const known = code !== undefined && Object.hasOwn(kinds, code) ? kinds[code] : undefined;
  const kind = isOwn ? (known ?? "refused") : "credentials";
  return { ok: false, kind, code, reason };
}

const fieldsOf = (form: ServiceQuestion["form"] = {}): [string, string][] =>
  Object.entries(form).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
