/** Requests to services for video calls, and what they answer. */
import { ApiError, badRequest } from "../errors.ts";
import { askOutside, type Question } from "../outbound/ask-outside.ts";
import type { RealmReader } from "../realm/reader.ts";
import { hasFields } from "../text/json-object.ts";
import { readJsonText } from "../text/read-json.ts";

/** Of one request. A call takes up to three, and whoever asked for it waits. */
const timeoutMs = 8_000;
/** Bytes of an answer: a call is described in a few hundred. */
const maxAnswerBytes = 256 * 1024;
/** Characters of an address, as far as browsers take them. */
const maxUrlLength = 2000;

export interface ServiceAnswer {
  status: number;
  body: string;
}

/** @throws BAD_REQUEST where there is no answer */
export async function askService(
  { environment }: RealmReader,
  service: string,
  question: Pick<Question, "method" | "url" | "headers" | "body">,
): Promise<ServiceAnswer> {
  const { headers } = question;
  const outcome = await askOutside({
    ...question,
    headers: { "User-Agent": "Parley", Accept: "application/json", ...headers },
    isAllowed: environment.mayAsk,
    timeoutMs,
    maxBytes: maxAnswerBytes,
  });
  if (!("failure" in outcome)) return outcome;
  environment.log.warn({ service, failure: outcome.failure }, "a service for video calls was not reached");
  throw badRequest(`${service} could not be asked: ${outcome.failure}.`);
}

/** The same with JSON. */
export const postJson = (
  realm: RealmReader,
  service: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  value: object,
): Promise<ServiceAnswer> =>
  askService(realm, service, {
    method: "POST",
    url,
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(value),
  });

export const basicAuth = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

export const isSuccess = ({ status }: ServiceAnswer): boolean => status >= 200 && status <= 299;

/** What is at the end of these names in the JSON of an answer; undefined where there is nothing. */
export function valueIn({ body }: ServiceAnswer, ...names: string[]): unknown {
  let value: unknown;
  try {
    value = readJsonText(body);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ApiError) return undefined;
    throw error;
  }
  for (const name of names) {
    if (!hasFields(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

export const noCall = (service: string) => badRequest(`${service} made no call.`);

/** The address of a call. @throws BAD_REQUEST for what no browser would open */
export function callUrl(service: string, value: unknown): { url: string } {
  const isAddress = typeof value === "string" && value.length <= maxUrlLength && /^https?:\/\//i.test(value);
  if (!isAddress || !URL.canParse(value)) throw noCall(service);
  return { url: value };
}
