/** A real directory: Debian's slapd, on loopback, with what it knows in a temporary folder. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Attribute, Change, Client } from "ldapts";
import { afterAll, beforeAll } from "vitest";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { until } from "../time/until.ts";

/** Not on everybody's PATH. */
const program = existsSync("/usr/sbin/slapd") ? "/usr/sbin/slapd" : "slapd";

/** Why tests with a directory are skipped; empty: they are not. */
export const lacksSlapd = spawnSync(program, ["-VV"]).error === undefined ? "" : " (skipped: slapd is not installed)";

export const certificate = new URL("../server/localhost.pem", import.meta.url);
export const suffix = "dc=example,dc=com";
export const people = `ou=people,${suffix}`;
export const groups = `ou=groups,${suffix}`;
const root = { dn: `cn=root,${suffix}`, password: "the root's password" };
/** By which servers search. It may read, and no more. */
export const service = { dn: `cn=parley,${suffix}`, password: "the service's password" };

export type Values = Record<string, string | string[] | Buffer>;

export class Slapd {
  #child: ChildProcess | undefined;
  #folder = "";
  #port = 0;
  #tlsPort = 0;

  get url(): string {
    return `ldap://127.0.0.1:${this.#port}`;
  }
  get tlsUrl(): string {
    return `ldaps://localhost:${this.#tlsPort}`;
  }
  get pid(): number {
    return this.#child!.pid!;
  }

  /** Settings by which it is searched. */
  get setting() {
    return { url: this.url, bind_dn: service.dn, bind_password: service.password, base: people };
  }

  async start(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), "parley-slapd-"));
    [this.#port, this.#tlsPort] = [await freePort(), await freePort()];
    await mkdir(join(this.#folder, "data"));
    await copyFile(certificate, join(this.#folder, "tls.pem"));
    await writeFile(join(this.#folder, "microsoft.schema"), microsoft);
    await writeFile(join(this.#folder, "slapd.conf"), configuration(this.#folder));
    await this.run();
    await this.add(suffix, { objectClass: ["dcObject", "organization"], dc: "example", o: "Example" });
    for (const ou of ["people", "groups"])
      await this.add(`ou=${ou},${suffix}`, { objectClass: "organizationalUnit", ou });
    const account = { objectClass: ["simpleSecurityObject", "organizationalRole"], userPassword: service.password };
    await this.add(service.dn, { ...account, cn: "parley" });
  }

  /** Starts it, or starts it again, with all that it knew. */
  async run(): Promise<void> {
    const words = ["-f", join(this.#folder, "slapd.conf"), "-h", `${this.url} ${this.tlsUrl}`, "-d", "0"];
    let complaints = "";
    const child = spawn(program, words, { stdio: ["ignore", "ignore", "pipe"] });
    child.stderr.on("data", (text) => {
      complaints += text;
    });
    this.#child = child;
    await until("slapd to serve", async () => {
      if (child.exitCode !== null) throw new Error(`slapd ended: ${complaints}`);
      return this.#asRoot(() => Promise.resolve()).then(
        () => true,
        () => false,
      );
    });
  }

  /** Ends it, as `kill -9` does. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  /** Adds so many people at once, all of whom the server's account may read. Begins anew. */
  async fill(count: number): Promise<void> {
    await this.kill();
    const [settings, entries] = ["slapd.conf", "people.ldif"].map((name) => join(this.#folder, name)) as [
      string,
      string,
    ];
    const told = Array.from({ length: count }, (_, n) =>
      [`dn: uid=p${n},${people}`, "objectClass: inetOrgPerson", `uid: p${n}`, `cn: Person ${n}`, `sn: ${n}`, ""].join(
        "\n",
      ),
    );
    await writeFile(entries, told.join("\n"));
    await appendFile(settings, `limits dn.exact="${service.dn}" size=unlimited size.prtotal=unlimited\n`);
    const loader = program.replace(/slapd$/, "slapadd");
    const { status, stderr } = spawnSync(loader, ["-q", "-f", settings, "-l", entries], { encoding: "utf8" });
    if (status !== 0) throw new Error(`slapadd ended: ${stderr}`);
    await this.run();
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  add(dn: string, values: Values): Promise<void> {
    const attributes = Object.entries(values).map(([type, value]) => attribute(type, value));
    return this.#asRoot((client) => client.add(dn, attributes));
  }

  /** Adds somebody, whose password is `PASSWORD of UID`. Returns their DN. */
  async person(uid: string, more: Values = {}): Promise<string> {
    const dn = `uid=${uid},${people}`;
    const name = { cn: uid, sn: uid, mail: `${uid}@example.net` };
    await this.add(dn, { objectClass: ["inetOrgPerson"], uid, ...name, userPassword: passwordOf(uid), ...more });
    return dn;
  }

  /** Gives an entry other values of an attribute. */
  set(dn: string, type: string, value: Values[string]): Promise<void> {
    const change = new Change({ operation: "replace", modification: attribute(type, value) });
    return this.#asRoot((client) => client.modify(dn, change));
  }

  remove(dn: string): Promise<void> {
    return this.#asRoot((client) => client.del(dn));
  }

  async #asRoot<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({ url: this.url });
    try {
      await client.bind(root.dn, root.password);
      return await work(client);
    } finally {
      await client.unbind();
    }
  }
}

export const passwordOf = (uid: string): string => `password of ${uid}`;

/** A directory for the tests of a file: it starts before them and stops after them. */
export function testSlapd(): Slapd {
  const slapd = new Slapd();
  if (lacksSlapd === "") {
    beforeAll(() => slapd.start());
    afterAll(() => slapd.stop());
  }
  return slapd;
}

const attribute = (type: string, value: Values[string]): Attribute =>
  new Attribute({ type, values: (Array.isArray(value) ? value : [value]) as string[] });

/** What Active Directory has and OpenLDAP does not. Source: [MS-ADA1], [MS-ADA3], [MS-ADSC] */
const microsoft = `attributetype ( 1.2.840.113556.1.4.2 NAME 'objectGUID'
  EQUALITY octetStringMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.221 NAME 'sAMAccountName'
  EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.656 NAME 'userPrincipalName'
  EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.8 NAME 'userAccountControl'
  EQUALITY integerMatch ORDERING integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.159 NAME 'accountExpires'
  EQUALITY integerMatch ORDERING integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( 2.16.840.1.113730.3.1.35 NAME 'thumbnailPhoto'
  EQUALITY octetStringMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
objectclass ( 1.2.840.113556.1.5.6 NAME 'securityPrincipal' SUP top AUXILIARY MAY ( objectGUID $ sAMAccountName ) )
objectclass ( 1.2.840.113556.1.5.9 NAME 'user' SUP organizationalPerson STRUCTURAL MAY ( mail $ displayName $
  objectGUID $ sAMAccountName $ userPrincipalName $ userAccountControl $ accountExpires $ thumbnailPhoto ) )
objectclass ( 1.2.840.113556.1.5.8 NAME 'group' SUP top STRUCTURAL MUST cn MAY ( member $ sAMAccountName ) )
`;

function configuration(folder: string): string {
  const schemas = ["/etc/ldap/schema", "/etc/openldap/schema"].find(existsSync);
  const modules = ["/usr/lib/ldap", "/usr/lib64/openldap", "/usr/lib/openldap"].find(existsSync);
  return `${["core", "cosine", "inetorgperson", "nis"].map((name) => `include ${schemas}/${name}.schema`).join("\n")}
include ${folder}/microsoft.schema
modulepath ${modules}
moduleload back_mdb
moduleload memberof
TLSCertificateFile ${folder}/tls.pem
TLSCertificateKeyFile ${folder}/tls.pem
TLSCACertificateFile ${folder}/tls.pem
pidfile ${folder}/slapd.pid
sizelimit 500
database mdb
maxsize 104857600
suffix ${suffix}
rootdn ${root.dn}
rootpw "${root.password}"
directory ${folder}/data
dbnosync
overlay memberof
overlay memberof
memberof-group-oc group
access to attrs=userPassword by self write by anonymous auth by * none
access to * by dn.exact="${service.dn}" read by self read by * none
`;
}
