/**
 * The chart's objects at the API server of Kubernetes, which knows what schemas do not: fields that belong together,
 * names, ports, and what the strictest of its security levels forbids to a pod.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasApiServer, hasControllers, TestApiServer } from "../support/deploy/api-server.ts";
import { chart, hasHelm, inBucket, oneNode, template, variants } from "../support/deploy/chart.ts";
import { until } from "../support/time/until.ts";

/** Of the Prometheus operator, as far as the API server has to know it. */
const serviceMonitors = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "servicemonitors.monitoring.coreos.com" },
  spec: {
    group: "monitoring.coreos.com",
    scope: "Namespaced",
    names: { kind: "ServiceMonitor", plural: "servicemonitors", singular: "servicemonitor" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
const strictest = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: {
    name: "chat",
    labels: {
      "pod-security.kubernetes.io/enforce": "restricted",
      "pod-security.kubernetes.io/warn": "restricted",
    },
  },
};
const into = ["--namespace", "chat", "--filename", "-"];
const objectsIn = (yaml: string) => yaml.match(/^kind: /gm)!.length;

describe.skipIf(!hasHelm || !hasApiServer)("the chart at an API server (skipped where there is none)", () => {
  let server: TestApiServer;
  beforeAll(async () => {
    server = await TestApiServer.start();
    for (const object of [strictest, serviceMonitors])
      expect(server.kubectl(["apply", "--filename", "-"], JSON.stringify(object))).toMatchObject({
        status: 0,
        stderr: "",
      });
    const isThere = ["wait", "--for", "condition=established", `crd/${serviceMonitors.metadata.name}`];
    expect(server.kubectl(isThere)).toMatchObject({ status: 0, stderr: "" });
  }, 300_000);
  afterAll(() => server?.stop());
  const upgrade = (release: string, set: string) =>
    server.helm([
      "upgrade",
      "--install",
      "--no-hooks",
      "--namespace",
      "chat",
      release,
      chart,
      ...(set && ["--set", set]),
    ]);

  it.each(variants)("is taken whole and without a warning, with %j", (set) => {
    const yaml = template(set).stdout;
    const tried = server.kubectl(["apply", "--dry-run=server", "--validate=strict", ...into], yaml);
    expect([tried.status, tried.stderr]).toEqual([0, ""]);
    expect(tried.stdout.match(/ created \(server dry run\)$/gm)).toHaveLength(objectsIn(yaml));
  });

  it("is installed, and goes from each set of values to the next", () => {
    const lone = "replicas=1,redis.secret=,networkPolicy.enabled=false,ingress.enabled=false";
    // Nobody runs the job of the migrations here.
    for (const set of ["", "serviceMonitor.enabled=true", lone, inBucket, ""])
      expect(upgrade("chat", set)).toMatchObject({ status: 0, stderr: "" });
  });

  it("is told that a claim stays as it was made", () => {
    expect(upgrade("small", oneNode)).toMatchObject({ status: 0, stderr: "" });
    const { status, stderr } = upgrade("small", "files.accessMode=ReadWriteMany");
    expect([status, stderr]).toEqual([1, expect.stringContaining("spec is immutable after creation")]);
    expect(upgrade("small", "files.existingClaim=larger")).toMatchObject({ status: 0, stderr: "" });
    expect(server.kubectl(["get", "pvc", "small-parley-files", "--namespace", "chat"])).toMatchObject({
      status: 0,
      stderr: "",
    });
  });

  it("would be warned of a pod that may do more", () => {
    const yaml = template("").stdout.replaceAll("allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true");
    const { stderr } = server.kubectl(["apply", "--dry-run=server", ...into], yaml);
    expect(stderr).toContain('would violate PodSecurity "restricted:latest"');
  });

  describe.skipIf(!hasControllers)("whose controllers run (skipped where there are none)", () => {
    const release = ["upgrade", "--install", "--wait", "--namespace", "rolled", "--create-namespace"];
    const rolled = (set: string) => [...release, "chat", chart, "--set", `${inBucket},${set}`];
    const about = (kind: string, path: string) =>
      server.kubectl(["get", kind, "--namespace", "rolled", "--output", `jsonpath=${path}`]).stdout;
    beforeAll(() => server.startControllers(4), 300_000);

    it("brings the tables up to date first, and has never fewer nodes than wanted while it replaces them", async () => {
      expect(server.helm(rolled("image.tag=v1"))).toMatchObject({ status: 0, stderr: "" });
      const upgrade = server.begin("helm", rolled("image.tag=v2"));
      const available = new Set<string>();
      await until(
        "the new version to be there",
        () => {
          available.add(about("deployment", "{.items[0].status.availableReplicas}"));
          return upgrade.exitCode !== null;
        },
        240_000,
      );
      expect([upgrade.exitCode, [...available].filter((count) => !["3", "4"].includes(count))]).toEqual([0, []]);
      expect(about("deployment", "{.items[0].status.updatedReplicas}")).toBe("3");
      const { stdout } = server.helm(["status", "chat", "--namespace", "rolled", "--output", "json"]);
      const { hooks } = JSON.parse(stdout) as { hooks: { kind: string; last_run: { phase: string } }[] };
      expect(hooks.map(({ kind, last_run }) => [kind, last_run.phase])).toEqual([["Job", "Succeeded"]]);
    });

    it("has its nodes on machines of their own where there are enough", async () => {
      const images = () => about("pods", "{.items[*].spec.containers[0].image}");
      await until("the old nodes to be gone", () => images() === Array(3).fill("parley:v2").join(" "), 240_000);
      expect(new Set(about("pods", "{.items[*].spec.nodeName}").split(" ")).size).toBe(3);
    });
  });
});
