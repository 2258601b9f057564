/** Series whose values are read when somebody asks. */
import { Counter, Gauge, type Registry } from "prom-client";

/** A value, or one for each of several labels. */
export type Reading = number | readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

interface Series {
  registry: Registry;
  name: string;
  help: string;
  labelNames?: string[];
  /** Nothing is told where it is not known. */
  read: () => Reading | undefined | Promise<Reading | undefined>;
}

export function gauge({ registry, read, labelNames = [], ...named }: Series): void {
  new Gauge({
    ...named,
    labelNames,
    registers: [registry],
    async collect() {
      const reading = await read();
      this.reset();
      if (reading === undefined) {
        // With labels it has no value by now. Without labels it has zero.
        if (labelNames.length === 0) this.remove();
      } else if (typeof reading === "number") this.set(reading);
      else for (const [labels, value] of reading) this.set(labels, value);
    },
  });
}

/** One that is counted elsewhere, since the start. */
export function counter({ registry, read, ...named }: Omit<Series, "read" | "labelNames"> & { read: () => number }) {
  new Counter({
    ...named,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}
