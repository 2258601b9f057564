/** Rules of Prometheus in which a second stands for a minute, so that a rehearsal takes minutes instead of hours. */

const secsPer = { m: 60, h: 3600, d: 86_400 } as const;
const shorter = (count: string, unit: string) => `${(Number(count) * secsPer[unit as keyof typeof secsPer]) / 60}s`;

/**
 * Shortens windows, waiting times, and limits of a minute and more of what is told in seconds. What is told per second
 * or as a share stays.
 *
 * @param rules as deploy/alerts.yaml has them
 */
export const asSeconds = (rules: string): string =>
  rules
    .replace(/\[(\d+)([mhd])\]/g, (_, count: string, unit: string) => `[${shorter(count, unit)}]`)
    .replace(
      /^( +for: )(\d+)([mhd])$/gm,
      (_, before: string, count: string, unit: string) => before + shorter(count, unit),
    )
    .replace(/(_seconds\)? > )(\d{2,})\b/g, (_, before: string, secs: string) => `${before}${Number(secs) / 60}`)
    .replace(/(predict_linear\(.*, )(\d+)\)/g, (_, before: string, secs: string) => `${before}${Number(secs) / 60})`);
