/** One post of a service in the form of its documentation, and what becomes of it. */
export interface Sample {
  name: string;
  /** The event that `only_events` knows it by; none where the integration tells no kinds apart. */
  event?: string;
  payload: unknown;
  topic: string;
  content: RegExp;
  headers?: Record<string, string>;
  /** How the payload is sent, if not as JSON: the fields of a form. */
  isForm?: true;
}

type Rest = [payload: unknown, topic: string, content: RegExp, headers?: Record<string, string>];

/** Samples of a service: each event with its payload, topic and content. */
export const samplesOf = (
  name: string,
  samples: readonly (readonly [event: string | undefined, ...Rest])[],
): Sample[] =>
  samples.map(([event, payload, topic, content, headers = {}]) => ({
    name,
    ...(event === undefined ? {} : { event }),
    payload,
    topic,
    content,
    headers,
  }));

/** The same headers for all. */
export const withHeader = (header: string, samples: readonly (readonly [event: string, said: string, ...Rest])[]) =>
  samples.map(
    ([event, said, payload, topic, content]) => [event, payload, topic, content, { [header]: said }] as const,
  );
