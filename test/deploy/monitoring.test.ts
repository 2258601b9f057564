/** deploy/alerts.yaml and deploy/dashboard.json: they ask for what nodes tell, and each alert rings when it is to. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { HttpMetrics } from "../../http/process/metrics/metrics.ts";
import { faults as rehearsed } from "../scenario/alerts/faults.ts";
import { mildFaults } from "../scenario/alerts/mild-faults.ts";
import { faults, healthy } from "./alert-cases.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const rulesFile = join(root, "deploy/alerts.yaml");
const rules = read("deploy/alerts.yaml");
const document = read("docs/monitoring.md");
const dashboard = JSON.parse(read("deploy/dashboard.json")) as { panels: { targets: { expr: string }[] }[] };
const panels = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** Alerts with what is said of each. */
const alerts = new Map(
  [...rules.matchAll(/- alert: (\w+)\n[\s\S]*?summary: (.+)\n +runbook: (.+)\n/g)].map(([, name, summary, runbook]) => [
    name!,
    { summary: summary!, runbook: runbook! },
  ]),
);
const recorded = new Set([...rules.matchAll(/- record: (\S+)/g)].map(([, name]) => name!));

/** Series of docs/monitoring.md, which a test compares with what a node shows: kind and labels. */
const series = new Map(
  [...document.matchAll(/^\| `(parley_\w+)` \| (\w+) \| (.*?) \|/gm)].map(([, name, kind, labels]) => [
    name!,
    { kind, labels: [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!) },
  ]),
);

/** What is wrong with the names and labels that a query asks for. */
async function faultsIn(query: string): Promise<string[]> {
  const ofNode = await new HttpMetrics().text();
  return [...query.matchAll(/\b((?:parley|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)].flatMap(([, name, matchers]) => {
    const base = name!.replace(/_(?:bucket|sum|count)$/, "");
    const known = series.get(name!) ?? (series.get(base)?.kind === "histogram" ? series.get(base) : undefined);
    if (!known) return ofNode.includes(`# TYPE ${name} `) ? [] : [`no node shows ${name}`];
    const own = [...known.labels, "le", "instance", "job"];
    const asked = [...(matchers ?? "").matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!);
    return asked.filter((label) => !own.includes(label)).map((label) => `${name} has no ${label}`);
  });
}

it("ask for series and labels that nodes show, and no rule for one that is not recorded", async () => {
  for (const query of [rules.replace(/#.*$/gm, ""), ...panels]) {
    expect(await faultsIn(query)).toEqual([]);
    for (const [name] of query.matchAll(/\bparley:\w+:\w+/g)) expect(recorded).toContain(name);
  }
  expect(panels.length).toBeGreaterThan(20);
  expect(await faultsIn('parley_ready{nothing="x"} + parley_unheard_of')).toHaveLength(2);
});

it("docs/monitoring.md says what to do about each alert, and has no other", () => {
  const told = [...document.matchAll(/^\| `(Parley\w+)` \| \w+ \| .{20,} \|$/gm)].map(([, name]) => name);
  expect(told.sort()).toEqual([...alerts.keys()].sort());
  expect([...alerts.keys()].sort()).toEqual(Object.keys(faults).sort());
  expect(alerts.size).toBeGreaterThan(25);
});

it("the rehearsal makes a fault for each alert", () => {
  const rung = [...mildFaults, ...rehearsed].flatMap(({ rings, ringsLater = [] }) => [...rings, ...ringsLater]);
  expect([...new Set(rung)].sort()).toEqual([...alerts.keys()].sort());
});

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

describe.skipIf(!hasPromtool)("by promtool (skipped where there is none)", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-alerts-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Runs promtool on a file of JSON, which is YAML. Returns what it says when something is wrong. */
  function promtool(kind: "check" | "test", content: object): string {
    const file = join(folder, `${kind}.json`);
    writeFileSync(file, JSON.stringify(content));
    const { status, stdout, stderr } = spawnSync("promtool", [kind, "rules", file], { encoding: "utf8" });
    return status === 0 ? "" : stdout + stderr;
  }

  const testOf = (input: Readonly<Record<string, string>>, alertsAt: object[]) => ({
    interval: "1m",
    input_series: Object.entries(input).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: alertsAt,
  });

  it("the rules are rules, and each query of the dashboard is one", () => {
    expect(spawnSync("promtool", ["check", "rules", rulesFile]).status).toBe(0);
    const asRules = panels.map((expr, place) => ({
      record: `panel:${place}`,
      expr: expr.replaceAll("$__rate_interval", "5m").replaceAll("$instance", ".*"),
    }));
    expect(promtool("check", { groups: [{ name: "panels", rules: asRules }] })).toBe("");
  });

  it("each fault rings its alert, and hours without one ring none", () => {
    const rings = Object.entries(faults).map(([name, { input, at, labels }]) => {
      const { summary, runbook } = alerts.get(name)!;
      const alert = { exp_labels: labels, exp_annotations: { summary, runbook } };
      return testOf(input, [{ eval_time: at, alertname: name, exp_alerts: [alert] }]);
    });
    const quiet = testOf(
      healthy,
      [...alerts.keys()].map((name) => ({ eval_time: "8h", alertname: name, exp_alerts: [] })),
    );
    const all = { rule_files: [rulesFile], evaluation_interval: "5m", tests: [...rings, quiet] };
    expect(promtool("test", all)).toBe("");
    // It fails where an alert is expected that does not ring.
    const wrong = { eval_time: "1h", alertname: "ParleyDown", exp_alerts: [{ exp_labels: { severity: "page" } }] };
    expect(promtool("test", { ...all, tests: [testOf(healthy, [wrong])] })).toContain("FAILED");
  });
});
