// What kubeconform checks objects by, from Kubernetes' own description: `node kubernetes-schemas.mjs SWAGGER FOLDER`.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [swagger, folder] = process.argv.slice(2);
const { definitions } = JSON.parse(readFileSync(swagger, "utf8"));

/** The description has no word for a field that there is not. */
function strict(value) {
  if (Array.isArray(value)) return value.map(strict);
  if (value === null || typeof value !== "object") return value;
  const { format, ...fields } = value;
  if (format === "int-or-string") return { type: ["string", "integer"] };
  const found = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, strict(field)]));
  if (typeof found.$ref === "string") found.$ref = found.$ref.replace("#", "_definitions.json#");
  // A property may be called "properties": then that is no schema.
  if (typeof found.properties === "object" && typeof found.type === "string") found.additionalProperties ??= false;
  return found;
}

const named = Object.entries(definitions).map(([name, each]) => [name, strict(each)]);
const all = Object.fromEntries(named);
all["io.k8s.apimachinery.pkg.api.resource.Quantity"].type = ["string", "number"];
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "_definitions.json"), JSON.stringify({ definitions: all }));
for (const [name, each] of Object.entries(definitions))
  for (const { group, version, kind } of each["x-kubernetes-group-version-kind"] ?? []) {
    const file = [kind, group.split(".")[0], version].filter(Boolean).join("-").toLowerCase();
    writeFileSync(join(folder, `${file}.json`), JSON.stringify(all[name]));
  }
