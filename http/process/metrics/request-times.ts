/**
 * Durations of requests. Each costs three looks into small maps and an addition; what Prometheus reads is made of the
 * tallies when it asks.
 */
import { Counter, Histogram, type MetricObjectWithValues, type MetricValueWithName, type Registry } from "prom-client";

/** Seconds. 1 is the limit of both service level objectives. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The route whose requests wait for events: how long says nothing. */
const eventsRoute = "/events";

interface Tally {
  count: number;
  seconds: number;
  /** How many took at most as long as the bucket at the same place, and longer than the one before. */
  within: Float64Array;
}

type Labels = "route" | "method" | "status";

export class RequestTimes {
  /** Route → method → status. */
  readonly #tallies = new Map<string, Map<string, Map<number, Tally>>>();
  #polls = 0;

  constructor(registry: Registry) {
    const times = this;
    new Counter({
      name: "parley_http_requests_total",
      help: "Requests by route and status",
      labelNames: ["route", "status"],
      registers: [registry],
      collect() {
        this.reset();
        for (const [{ route, status }, { count }] of times.#all()) this.inc({ route, status: String(status) }, count);
        this.inc({ route: eventsRoute, status: "200" }, times.#polls);
      },
    });
    registry.registerMetric(
      new TalliedHistogram(
        "parley_http_request_seconds",
        "From a request's head to its answer, by route, method and class of status; polls, which wait, are left out",
        () => times.#all(),
      ),
    );
  }

  note(route: string, method: string, status: number, seconds: number): void {
    let byMethod = this.#tallies.get(route);
    if (!byMethod) this.#tallies.set(route, (byMethod = new Map()));
    let byStatus = byMethod.get(method);
    if (!byStatus) byMethod.set(method, (byStatus = new Map()));
    let tally = byStatus.get(status);
    if (!tally) byStatus.set(status, (tally = { count: 0, seconds: 0, within: new Float64Array(buckets.length + 1) }));
    tally.count++;
    tally.seconds += seconds;
    let place = 0;
    while (place < buckets.length && seconds > buckets[place]!) place++;
    tally.within[place]!++;
  }

  /** A poll that took the short way. */
  poll(): void {
    this.#polls++;
  }

  *#all(): Generator<[{ route: string; method: string; status: number }, Tally]> {
    for (const [route, byMethod] of this.#tallies)
      for (const [method, byStatus] of byMethod)
        for (const [status, tally] of byStatus) yield [{ route, method, status }, tally];
  }
}

/** A histogram whose values stand elsewhere. */
class TalliedHistogram extends Histogram<Labels> {
  constructor(
    private readonly called: string,
    private readonly described: string,
    private readonly tallies: () => Iterable<[{ route: string; method: string; status: number }, Tally]>,
  ) {
    super({ name: called, help: described, labelNames: ["route", "method", "status"], buckets, registers: [] });
  }

  override async get(): Promise<MetricObjectWithValues<MetricValueWithName<Labels>>> {
    const values = [...this.#byClass().values()].flatMap(({ labels, tally }) => {
      let sofar = 0;
      const bounds = [...buckets, "+Inf"].map((le, place) => ({
        metricName: `${this.called}_bucket`,
        labels: { ...labels, le },
        value: (sofar += tally.within[place]!),
      }));
      return [
        ...bounds,
        { metricName: `${this.called}_sum`, labels, value: tally.seconds },
        { metricName: `${this.called}_count`, labels, value: tally.count },
      ];
    });
    const [type, aggregator] = ["histogram", "sum"] as const;
    return { name: this.called, help: this.described, type, aggregator, values } as unknown as MetricObjectWithValues<
      MetricValueWithName<Labels>
    >;
  }

  /** The text is made of the same. The library's own makes it of samples, and there are none. */
  getForPromString() {
    return this.get();
  }

  /** Statuses are many; classes are enough to tell who was at fault. */
  #byClass() {
    const classes = new Map<string, { labels: Record<Labels, string>; tally: Tally }>();
    for (const [{ route, method, status }, tally] of this.tallies()) {
      if (route === eventsRoute) continue;
      const labels = { route, method, status: `${Math.floor(status / 100)}xx` };
      const key = `${method} ${labels.status} ${route}`;
      const known = classes.get(key);
      if (!known) classes.set(key, { labels, tally: { ...tally, within: tally.within.slice() } });
      else {
        known.tally.count += tally.count;
        known.tally.seconds += tally.seconds;
        for (const [place, count] of tally.within.entries()) known.tally.within[place]! += count;
      }
    }
    return classes;
  }
}
