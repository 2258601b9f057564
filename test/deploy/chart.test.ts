/** The chart of deploy/chart: what it makes of its values, by Helm, and what Kubernetes thinks of that. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { chart, hasHelm, inBucket, oneNode, template, variants } from "../support/deploy/chart.ts";

const root = resolve(import.meta.dirname, "../..");
/** `.ci/install-kubernetes-tools` puts them beside the folder of kubeconform. */
const which = spawnSync("sh", ["-c", "command -v kubeconform"], { encoding: "utf8" }).stdout.trim();
const schemas = join(dirname(which), "../schemas");
const hasSchemas = hasHelm && which !== "" && existsSync(schemas);

function objectsOf(set = ""): Map<string, string> {
  const { stdout, stderr, status } = template(set);
  expect([status, stderr]).toEqual([0, ""]);
  return new Map(stdout.split(/^---$/m).map((text) => [/^kind: (\w+)$/m.exec(text)?.[1] ?? "", text]));
}

const numberIn = (text: string, name: RegExp) => Number(name.exec(text)?.[1]);

describe.skipIf(!hasHelm)("the chart (skipped where there is no helm)", () => {
  it("passes helm lint", () => {
    expect(spawnSync("helm", ["lint", "--strict", "--kube-version", "1.34.0", chart]).status).toBe(0);
  });

  it("never has fewer nodes than wanted, and pauses for as long as a node announces that it goes", () => {
    for (const ms of [1000, 5000, 7500]) {
      const deployment = objectsOf(`drainAnnounceMs=${ms}`).get("Deployment")!;
      expect(deployment).toContain("maxUnavailable: 0,");
      expect(deployment).toContain(`name: PARLEY_DRAIN_ANNOUNCE_MS\n              value: "${ms}"`);
      const pauseSecs = numberIn(deployment, /command: \[sleep, "(\d+)"\]/);
      expect(pauseSecs * 1000).toBeGreaterThanOrEqual(ms);
      // Parley is gone ten seconds after it has announced that.
      const graceSecs = numberIn(deployment, /terminationGracePeriodSeconds: (\d+)/);
      expect(graceSecs).toBeGreaterThan(pauseSecs + ms / 1000 + 10);
    }
  });

  it("asks a node for its health, lets a start wait for migrations, and runs these first", () => {
    const objects = objectsOf("startupSecs=900");
    const startup = /startupProbe:[\s\S]*?failureThreshold: \d+/.exec(objects.get("Deployment")!)![0];
    expect(startup).toContain("path: /health");
    const [periodSecs, failures] = [/periodSeconds: (\d+)/, /failureThreshold: (\d+)/].map((name) =>
      numberIn(startup, name),
    );
    expect(periodSecs! * failures!).toBe(900);
    expect(objects.get("Job")).toContain("helm.sh/hook: pre-install,pre-upgrade");
  });

  it("opens the operators' port only where metrics are wanted, and to the namespace that is named", () => {
    expect([...objectsOf().values()].join("")).not.toContain("9990");
    const objects = objectsOf("serviceMonitor.enabled=true");
    expect(objects.get("Deployment")).toContain("value: 0.0.0.0:9990");
    expect(objects.get("NetworkPolicy")).toMatch(
      /port: metrics \}\]\n +from:\n +- namespaceSelector:[\s\S]*: monitoring/,
    );
    expect(objects.get("Ingress")).not.toContain("metrics");
  });

  it("has no volume where files are in a bucket, and its keys from a Secret or none", () => {
    const objects = objectsOf(`${inBucket},files.bucket.endpoint=https://s3.example.com,files.bucket.style=path`);
    expect(objects.has("PersistentVolumeClaim")).toBe(false);
    for (const kind of ["Deployment", "Job"]) {
      expect(objects.get(kind)).toMatch(/PARLEY_S3_BUCKET\n +value: "chat-files"/);
      expect(objects.get(kind)).toMatch(/PARLEY_S3_ENDPOINT\n +value: "https:\/\/s3.example.com"/);
      expect(objects.get(kind)).toMatch(/PARLEY_S3_STYLE\n +value: path/);
      expect(objects.get(kind)).toContain("{ name: parley-s3, key: secret-access-key }");
    }
    expect(objects.get("Deployment")).toMatch(/- name: files\n +emptyDir: \{\}/);
    const byRole = objectsOf("files.bucket.name=chat-files").get("Deployment")!;
    expect(byRole).toContain("PARLEY_S3_BUCKET");
    expect(byRole).not.toMatch(/PARLEY_S3_(?:ACCESS|SECRET|ENDPOINT|STYLE)/);
    expect(objectsOf().get("Deployment")).not.toContain("PARLEY_S3");
  });

  it("replaces a lone node without Redis by ending the old one first", () => {
    const objects = objectsOf(oneNode);
    expect(objects.get("Deployment")).toContain("strategy: { type: Recreate }");
    expect(objects.has("PodDisruptionBudget")).toBe(false);
  });

  it.each([
    ["several nodes without Redis", "redis.secret=", "/redis/secret"],
    ["several nodes on a volume for one", "files.accessMode=ReadWriteOnce", "/files"],
    ["a bucket's address with a path", `${inBucket},files.bucket.endpoint=https://s3.example.com/chat`, "endpoint"],
    ["a value that there is not", "replica=2", "replica"],
    ["a setting that the chart sets itself", "settings.PARLEY_URL=http://x", "PARLEY_URL"],
    ["an address with a path", "url=https://chat.example.com/chat", "/url"],
  ])("refuses %s, and names it", (_what, set, named) => {
    const { status, stderr } = template(set);
    expect([status, stderr]).toEqual([1, expect.stringContaining(named)]);
  });

  it.skipIf(!hasSchemas).each(variants)(
    "is what Kubernetes takes, with %j (skipped where there is no kubeconform)",
    (set) => {
      const place = `${schemas}/{{.ResourceKind}}{{.KindSuffix}}.json`;
      const words = ["-strict", "-summary", "-skip", "ServiceMonitor", "-schema-location", place];
      const { stdout, status } = spawnSync("kubeconform", words, { input: template(set).stdout, encoding: "utf8" });
      expect([status, stdout]).toEqual([0, expect.stringContaining("Invalid: 0, Errors: 0")]);
    },
  );
});

it("the chart is of this version, and names settings that there are", async () => {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  expect(await readFile(join(chart, "Chart.yaml"), "utf8")).toContain(`appVersion: "${version}"`);
  const folder = join(root, "http/process/settings");
  const tables = ["settings.ts", "file-settings.ts"].map((file) => readFile(join(folder, file), "utf8"));
  const declared = (await Promise.all(tables)).join("");
  const files = ["templates/_parts.tpl", "templates/deployment.yaml", "values.schema.json"];
  const text = (await Promise.all(files.map((file) => readFile(join(chart, file), "utf8")))).join("");
  const names = new Set(
    [...text.matchAll(/\b(?:PARLEY_[A-Z_]+[A-Z]|REDIS_URL|DATABASE_URL)\b/g)].map(([name]) => name),
  );
  expect(names.size).toBeGreaterThan(6);
  expect([...names].filter((name) => !declared.includes(`"${name}"`))).toEqual([]);
});
