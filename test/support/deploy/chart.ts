/** What the chart makes of its values, by Helm. */
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";

export const chart = join(resolve(import.meta.dirname, "../../.."), "deploy/chart");
export const hasHelm = spawnSync("helm", ["version"]).status === 0;

export const oneNode = "replicas=1,redis.secret=,files.accessMode=ReadWriteOnce";
export const inBucket = "files.bucket.name=chat-files,files.bucket.secret=parley-s3";
/** Values that differ in which objects there are. */
export const variants = [
  "",
  "serviceMonitor.enabled=true",
  `${oneNode},networkPolicy.enabled=false,ingress.enabled=false`,
  inBucket,
];

export function template(set: string) {
  const more = set === "" ? [] : ["--set", set];
  return spawnSync("helm", ["template", "chat", chart, "--kube-version", "1.34.0", ...more], { encoding: "utf8" });
}
