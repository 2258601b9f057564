/** The systemd units of deploy/ and the command beside them, as docs/one-machine.md has them installed. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "deploy");
const services = ["parley.service", "parley-backup.service"];
const analyze = (...words: string[]) => spawnSync("systemd-analyze", words, { cwd: folder, encoding: "utf8" });
const hasAnalyze = analyze("--version").status === 0;

/** `Name=value` of a unit; of a name that comes several times, all. */
async function linesOf(unit: string): Promise<string[]> {
  return (await readFile(join(folder, unit), "utf8")).split("\n").filter((line) => /^\w+=/.test(line));
}

describe.skipIf(!hasAnalyze)("systemd-analyze (skipped where there is none)", () => {
  it.each(services)("finds %s exposed to at most 3.0", (unit) => {
    const { stdout } = analyze("security", "--offline=true", "--no-pager", unit);
    const level = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    expect(level).toBeGreaterThan(0);
    expect(level).toBeLessThanOrEqual(3);
  });

  it("reads the timer's hour", async () => {
    const calendar = (await linesOf("parley-backup.timer")).find((line) => line.startsWith("OnCalendar="))!;
    expect(analyze("calendar", calendar.slice("OnCalendar=".length)).status).toBe(0);
  });
});

it("both services are confined alike, start the program that is built, and name settings that there are", async () => {
  const [serve, backup] = (await Promise.all(services.map(linesOf))) as [string[], string[]];
  const confining = /^(?:Ambient|Capability|Lock|NoNew|Private|Protect|Remove|Restrict(?!art)|SystemCall|UMask)/;
  expect(backup.filter((line) => confining.test(line))).toEqual(serve.filter((line) => confining.test(line)));
  const { bin } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { bin: { parley: string } };
  const declared = await readFile(join(root, "http/process/settings/settings.ts"), "utf8");
  for (const lines of [serve, backup]) {
    expect(lines.find((line) => line.startsWith("ExecStart="))).toContain(`/opt/parley/${bin.parley} `);
    const names = [...lines.join("\n").matchAll(/\b(PARLEY_\w+|HOST)=/g)].map((match) => match[1]!);
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !declared.includes(`"${name}"`))).toEqual([]);
  }
});

it("the command runs what the service runs, by its account, in its folder and with its settings", async () => {
  const script = await readFile(join(folder, "parley-command"), "utf8");
  expect(spawnSync("sh", ["-n"], { input: script, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  const serve = await linesOf("parley.service");
  const lineOf = (name: string) => serve.find((line) => line.startsWith(`${name}=`)) ?? name;
  for (const name of ["User", "Group", "UMask", "EnvironmentFile"])
    expect(script).toContain(`--property=${lineOf(name)} `);
  expect(script).toContain(lineOf("WorkingDirectory").replace("WorkingDirectory", "--working-directory"));
  const program = lineOf("ExecStart").replace(/^ExecStart=(.*) serve$/, "$1");
  expect(script).toContain(`\n  ${program} "$@"\n`);
});

it("docs/one-machine.md installs all of them", async () => {
  const page = await readFile(join(root, "docs/one-machine.md"), "utf8");
  const named = [...page.matchAll(/\bdeploy\/([\w.-]+)/g)].map((match) => match[1]!);
  const units = (await readdir(folder)).filter((name) => /\.(?:service|timer)$|-command$/.test(name));
  expect(named.filter((name) => existsSync(join(folder, name))).sort()).toEqual(units.sort());
});

it("the lines that docs/proxies-and-services.md adds change what the unit has, and keep its folders", async () => {
  const page = await readFile(join(root, "docs/proxies-and-services.md"), "utf8");
  const added = /^```ini\n(.*?)^```/ms.exec(page)![1]!.split("\n");
  const serve = await linesOf("parley.service");
  const start = serve.find((line) => line.startsWith("ExecStart="))!;
  // systemd adds to a list; an empty line empties it first.
  expect(added.filter((line) => line.startsWith("ExecStart="))).toEqual(["ExecStart=", `${start} --workers 4`]);
  expect(added.join("\n")).not.toMatch(/WorkingDirectory|PARLEY_DATA_DIR/);
  expect(serve.join("\n")).toMatch(/\bPARLEY_DATA_DIR=(\S+).*?\nWorkingDirectory=\1\n/s);
});
