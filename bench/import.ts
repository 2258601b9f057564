/**
 * What does it cost to move in, and does what it takes in memory grow with the history?
 *
 * Setup: an export as Zulip's own writes it (`harness/zulip-export.ts`). 200 people are in 40 channels, and a fifth of
 * the messages is direct. Each message has some 30 rows of people, and some have reactions, mentions, links and edits.
 * `parley import zulip FOLDER` brings it into PostgreSQL as Parley embeds it; first a quarter of the messages, then
 * all. What is in the tables afterwards is counted.
 *
 * Units: ms of CPU per message, of the command's process and of PostgreSQL's; bytes of resident memory at its peak.
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { measureCommand } from "./harness/parley.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import type { Setup } from "./harness/setup.ts";
import { writeZulipExport } from "./harness/zulip-export.ts";

const usualMessages = 40_000;
const quickMessages = 2_000;
const people = 200;
const channels = 40;
/** Not the temporary folder, which may be memory: a million messages are gigabytes. */
const parent = fileURLToPath(new URL("../../var/bench", import.meta.url));
const bytesPerMegabyte = 1e6;

/** The bounds that the project set itself. A million messages at this price are ten minutes of one core. */
const mostMsPerMessage = 0.6;
const mostGrowth = 1.25;

export const importing: Bench = {
  name: "import",
  question: "What does it cost to bring in a Zulip organization's history, and does it take memory as it grows?",
  async run(setup) {
    const messages = setup.messages ?? (setup.quick ? quickMessages : usualMessages);
    const database = await BenchPostgres.start(setup);
    const rows: Row[] = [];
    for (const count of [Math.ceil(messages / 4), messages]) rows.push(await measure(setup, database, count));
    const [small, large] = rows as [Row, Row];
    return {
      columns: [
        { key: "messages", label: "messages", digits: 0 },
        { key: "receipts", label: "rows of people", digits: 0 },
        { key: "megabytes", label: "files MB", digits: 0 },
        { key: "nodeMs", label: "Parley ms/message", digits: 3 },
        { key: "postgresMs", label: "PostgreSQL ms/message", digits: 3 },
        { key: "totalMs", label: "together", digits: 3 },
        { key: "perSecond", label: "messages/s", digits: 0 },
        { key: "seconds", label: "s", digits: 0 },
        { key: "peakMegabytes", label: "peak resident MB", digits: 0 },
      ],
      rows,
      bounds: [
        {
          what: `CPU ms per message, with PostgreSQL, of ${large["messages"]}`,
          value: Number(large["totalMs"]),
          limit: mostMsPerMessage,
          sense: "most",
          kind: "machine",
        },
        {
          what: "resident memory at its peak, four times the messages / a quarter",
          value: Number(large["peakMegabytes"]) / Number(small["peakMegabytes"]),
          limit: mostGrowth,
          sense: "most",
          kind: "portable",
        },
      ],
      plots: [],
      notes: [
        "The export is a folder, as a tar file is unpacked to. The start of the command, its look through all files before anything is written, and the statistics at the end are in the figures.",
      ],
    };
  },
};

async function measure(setup: Setup, database: BenchPostgres, messages: number): Promise<Row> {
  const folder = join(parent, `export-${process.pid}-${messages}`);
  setup.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  setup.log(`writing an export of ${messages} messages`);
  const { receipts, reactions, bytes } = await writeZulipExport(folder, { messages, people, channels });
  setup.log(`importing ${readdirSync(folder).length} files`);
  const host = `import-${messages}.example.com`;
  const postgres = database.countCpu();
  const { wallMs, cpuMicroseconds, peakResidentBytes } = await measureCommand(setup, database, [
    "import",
    "zulip",
    folder,
    "--host",
    host,
  ]);
  const postgresMicroseconds = postgres.read();
  const [found] = await database.sql<{ messages: number; reactions: number; is_deactivated: boolean }[]>`
    select (select count(*)::int from messages where realm_id = r.id) as messages,
           (select count(*)::int from reactions where realm_id = r.id) as reactions, is_deactivated
    from realms r where host = ${host}`;
  // Somebody may have reacted twice with the same emoji.
  if (found?.messages !== messages || found.is_deactivated || found.reactions < 0.9 * reactions)
    throw new Error(`Not all came in: ${JSON.stringify(found)}`);
  rmSync(folder, { recursive: true, force: true });
  return {
    messages,
    receipts,
    megabytes: bytes / bytesPerMegabyte,
    nodeMs: cpuMicroseconds / 1000 / messages,
    postgresMs: postgresMicroseconds / 1000 / messages,
    totalMs: (cpuMicroseconds + postgresMicroseconds) / 1000 / messages,
    perSecond: messages / (wallMs / 1000),
    seconds: wallMs / 1000,
    peakMegabytes: peakResidentBytes / bytesPerMegabyte,
  };
}
