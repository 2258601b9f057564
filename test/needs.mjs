// What `npm test` needs, and what of it is here: said before anything runs. Nothing is installed unless
// PARLEY_INSTALL_TOOLS=1 asks for it (Debian, as root).
import { spawnSync } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

const programs = [
  { name: "redis-server", instead: "REDIS_URL", without: "the tests of several nodes are left out" },
  { name: "chromium", or: "/usr/bin/google-chrome", without: "the tests in a browser are skipped" },
  { name: "nginx", without: "the tests behind it are skipped" },
  { name: "haproxy", without: "the tests behind it are skipped" },
  { name: "caddy", without: "the tests behind it are skipped" },
  { name: "slapd", or: "/usr/sbin/slapd", without: "the tests with a directory (LDAP) are skipped" },
  { name: "pgbouncer", or: "/usr/sbin/pgbouncer", without: "the tests behind a pooler are skipped" },
  { name: "clamd", or: "/usr/sbin/clamd", without: "the tests with a virus scanner are skipped" },
  { name: "ffmpeg", without: "the tests of films are skipped" },
  { name: "heif-convert", without: "the tests of HEIC are skipped" },
  { name: "versitygw", without: "the tests with an object store are skipped (.ci/install-s3 FOLDER installs it)" },
  { name: "promtool", without: "the tests of the alerts are skipped" },
  { name: "curl", without: "the tests of the commands of README.md and docs/ fail" },
  { name: "python3", without: "examples in Python are not looked at" },
];

const isProgram = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
const find = ({ name, or }) =>
  [...(process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name)), or ?? ""].find(isProgram);
const isMissing = (program) => process.env[program.instead] === undefined && find(program) === undefined;

const wanted = programs.filter(isMissing).map(({ name }) => name);
if (process.env["PARLEY_INSTALL_TOOLS"] === "1" && wanted.length > 0) {
  const script = new URL("../.ci/install-tools", import.meta.url).pathname;
  spawnSync("bash", [script, ...wanted], { stdio: ["ignore", "inherit", "inherit"] });
}

const database = process.env["TEST_DATABASE_URL"] || process.env["DATABASE_URL"];
const lines = [
  ["Node.js", `${process.versions.node} (${engines.node})`],
  ["PostgreSQL", database ? "the one that the environment names" : "its own, in a temporary folder"],
  ...programs.map((program) => {
    const { name, instead, without } = program;
    const given = instead !== undefined && process.env[instead] !== undefined;
    return [name, given ? `${instead} instead` : (find(program) ?? `not there: ${without}`)];
  }),
];
const width = Math.max(...lines.map(([name]) => name.length));
console.log("npm test needs, and has:");
for (const [name, text] of lines) console.log(`  ${name.padEnd(width)}  ${text}`);
if (programs.some(isMissing))
  console.log(
    "It installs nothing. PARLEY_INSTALL_TOOLS=1 has the missing ones installed from Debian's packages, as root.",
  );
