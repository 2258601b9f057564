/**
 * `npm run bench -- [NAME…] [--json] [--write] [--check] [--quick] [--seconds N] [--people N] [--messages N]
 * [--only TEXT] [--node PROGRAM…]`
 *
 * Runs the named benches, or all: each tells its progress on stderr and prints a table. `--write` also rewrites its
 * section of `bench/RESULTS.md` and its plots; nothing else is ever written. `--json` prints one line per row and per
 * bound instead. `--check` ends with 1 when a bound is broken; at the end it tells which. `--quick` runs tiny sizes to
 * try the benches themselves; it is not written. `--seconds` says for how long `hostile` repeats the largest values of
 * each group of routes (5 unless told; 60 is the full form), and how long a `day` is (600 unless told). `--people` is
 * the size of `crowd` (100,000 unless told) and the accounts of a `day` (20,000 unless told). `--messages` is the size
 * of `import` (40,000 unless told) and of `find` (2,000,000 unless told). `--only` runs those parts of `hostile`,
 * `long-commands` and `outage` whose names hold the text; it is not written. `--node` names a program that runs Node,
 * as often as there are some for `builds` to compare.
 */
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { audience } from "./audience.ts";
import { hanging } from "./beside/hanging.ts";
import { retention } from "./beside/retention.ts";
import { builds } from "./builds.ts";
import { burst } from "./burst.ts";
import { cluster } from "./cluster.ts";
import { crowd } from "./crowd.ts";
import { day } from "./day/day.ts";
import { fullCrowd } from "./day/full-crowd.ts";
import { distance } from "./distance/distance.ts";
import { fanOut } from "./fan-out.ts";
import { files } from "./files/files.ts";
import { resumed } from "./files/resumed.ts";
import { greatTopics } from "./great-topics.ts";
import { type Bench, formatBound, formatTable, isKept, type Report } from "./harness/report.ts";
import { writeResults } from "./harness/results.ts";
import { Setup } from "./harness/setup.ts";
import { herd } from "./herd.ts";
import { history } from "./history.ts";
import { hostile } from "./hostile.ts";
import { idle } from "./idle.ts";
import { importing } from "./import.ts";
import { latency } from "./latency.ts";
import { directories } from "./login/directories.ts";
import { login } from "./login/login.ts";
import { longCommands } from "./long-commands.ts";
import { mix } from "./mix.ts";
import { online } from "./online.ts";
import { manyOrganizations } from "./organizations/many.ts";
import { organizations } from "./organizations/organizations.ts";
import { outage } from "./outage/outage.ts";
import { outagePrimary } from "./outage/primary.ts";
import { presence } from "./presence.ts";
import { announcement } from "./reading/announcement.ts";
import { find } from "./reading/find.ts";
import { flags } from "./reading/flags.ts";
import { scattered } from "./reading/scattered.ts";
import { unread } from "./reading/unread.ts";
import { register } from "./register.ts";
import { send } from "./send.ts";
import { start } from "./start.ts";
import { trace } from "./traces/trace.ts";
import { web } from "./web.ts";

const benches: readonly Bench[] = [
  fanOut,
  builds,
  burst,
  audience,
  send,
  latency,
  distance,
  idle,
  organizations,
  manyOrganizations,
  register,
  login,
  directories,
  herd,
  unread,
  presence,
  online,
  history,
  find,
  flags,
  announcement,
  scattered,
  mix,
  start,
  trace,
  hanging,
  cluster,
  outage,
  outagePrimary,
  hostile,
  longCommands,
  retention,
  greatTopics,
  crowd,
  fullCrowd,
  day,
  importing,
  files,
  resumed,
  web,
];

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean" },
    write: { type: "boolean" },
    check: { type: "boolean" },
    quick: { type: "boolean" },
    seconds: { type: "string" },
    people: { type: "string" },
    messages: { type: "string" },
    only: { type: "string" },
    node: { type: "string", multiple: true },
    help: { type: "boolean" },
  },
});
const unknown = names.filter((name) => !benches.some((bench) => bench.name === name));
if (options.help === true || unknown.length > 0) {
  for (const name of unknown) process.stderr.write(`There is no bench "${name}".\n`);
  process.stderr.write(
    "Usage: npm run bench -- [NAME…] [--json] [--write] [--check] [--quick] [--seconds N] [--people N] [--messages N] [--only TEXT] [--node PROGRAM…]\n\n",
  );
  for (const bench of benches) process.stderr.write(`  ${bench.name.padEnd(10)} ${bench.question}\n`);
  process.exit(unknown.length > 0 ? 2 : 0);
}

let failed = false;
const broken: string[] = [];
const isWhole = options.quick !== true && options.only === undefined;
if (options.write === true && !isWhole) process.stderr.write("With --quick or --only nothing is written.\n");
const chosen = benches.filter(({ name }) => names.length === 0 || names.includes(name));
for (const [index, bench] of chosen.entries()) {
  process.stderr.write(`${bench.name} (${index + 1} of ${chosen.length}): ${bench.question}\n`);
  const setup = new Setup(
    bench.name,
    options.quick === true,
    options.seconds === undefined ? undefined : Number(options.seconds),
    options.people === undefined ? undefined : Number(options.people),
    options.only,
    options.messages === undefined ? undefined : Number(options.messages),
    options.node,
  );
  const endEarly = (): void => void setup.end().then(() => process.exit(130));
  process.once("SIGINT", endEarly).once("SIGTERM", endEarly);
  try {
    const report = await bench.run(setup);
    show(bench, report);
    const { seconds, people, messages } = options;
    // By their names: where they lie is of no interest.
    const node = options.node?.map((path) => basename(path)).join(" --node ");
    if (options.write === true && isWhole) writeResults(bench, report, new Date(), { seconds, people, messages, node });
    for (const bound of report.bounds) if (!isKept(bound)) broken.push(`${bench.name}: ${formatBound(bound)}`);
  } catch (error) {
    process.stderr.write(`${bench.name} could not be run: ${error instanceof Error ? error.stack : String(error)}\n`);
    failed = true;
  } finally {
    process.off("SIGINT", endEarly).off("SIGTERM", endEarly);
    await setup.end();
  }
}
if (options.check === true) for (const line of broken) process.stderr.write(`${line}\n`);
process.exit(failed || (options.check === true && broken.length > 0) ? 1 : 0);

function show(bench: Bench, report: Report): void {
  if (options.json === true) {
    for (const row of report.rows) console.log(JSON.stringify({ bench: bench.name, ...row }));
    for (const bound of report.bounds) {
      const { what, ...figures } = bound;
      console.log(JSON.stringify({ bench: bench.name, bound: what, ...figures, kept: isKept(bound) }));
    }
    return;
  }
  console.log(`\n${formatTable(report.columns, report.rows)}\n`);
  for (const bound of report.bounds) console.log(formatBound(bound));
  for (const note of report.notes) console.log(`- ${note}`);
  console.log();
}
