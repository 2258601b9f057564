/**
 * Every setting: its variable, the values that it may have, its default, and what it is for. The type and the reader of
 * the environment and the table in docs/settings.md follow: `npm run settings` writes the table.
 */
import { gifProviderNames } from "../../../actors/gifs/providers.ts";
import { parseDirectories } from "../../../actors/identities/directories.ts";
import { parseProviders } from "../../../actors/identities/providers.ts";
import { checkFilter } from "../../../actors/ldap/connection.ts";
import { parseAllowedAddresses } from "../../../actors/outbound/allowed-addresses.mjs";
import { isMailDomain } from "../../../actors/realm/state/bot-domain.ts";
import { limits } from "../../../actors/realm/state/settings.ts";
import { parseJwtKeys } from "../../../actors/users/jwt.ts";
import { readRedisUrl } from "../../../storage/cluster/redis-url.ts";
import { readDatabaseUrl } from "../../../storage/database-url.ts";
import { readDatabaseList } from "../../../storage/directory/database-list.ts";
import { parseSecret } from "../../../storage/secret-key.ts";
import { type Rate, type RateName, rates } from "../../api/rate-limit.ts";
import { callSettings } from "./call-settings.ts";
import { fileSettings, programSettings, scanSettings } from "./file-settings.ts";
import { mailSettings } from "./mail-settings.ts";
import { pushSettings } from "./push-settings.ts";
import {
  addressWithPort,
  bytes,
  checked,
  flag,
  integer,
  mib,
  oneOf,
  parsed,
  rate,
  row,
  type Setting,
  setting,
  share,
  text,
  textLike,
  webAddress,
} from "./setting.ts";

/** Below the ports of nodes, which people count up from 9991. */
export const defaultAdminPort = 9990;

const rateOf = (name: RateName) => setting(`PARLEY_RATE_LIMIT_${name.toUpperCase()}`, rate(rates[name]), rates[name]);

/** What a check throws is the rest of a sentence. */
function checkRealmName(name: string): void {
  if ([...name].length > 40) throw new Error("must have at most 40 characters.");
}

function checkToken(token: string): void {
  if (!/^[!-~]{16,200}$/.test(token)) throw new Error("must have from 16 to 200 printable characters without spaces.");
}

const readDirectories = (text: string) => parseDirectories(text, checkFilter);

export const settings = {
  ...row("Where to listen", {
    port: setting("PORT", integer(0, 65_535), 9991),
    chosenHost: setting(
      "HOST",
      textLike((given) => !/[\s/]/.test(given), "an address to listen on"),
      undefined,
      "`0.0.0.0`",
    ),
  }),
  ...row(
    "The address clients use; put your public one here. Without it an organization that answers to any " +
      "host is where it was asked for, so that a phone in the same network logs in with nothing set: the " +
      "start names the addresses",
    { chosenUrl: setting("PARLEY_URL", webAddress, undefined, "`http://localhost:$PORT`") },
  ),
  ...row(
    "A PostgreSQL to use, `postgres://user:password@host:port/database`; without it Parley runs one of " +
      "its own. It may name several hosts (`@db1,db2/`), of which the first is used that takes changes and " +
      "was not replaced ([Databases](databases.md)), and libpq's `sslmode`, `sslrootcert`, `sslcert`, " +
      "`sslkey`, `target_session_attrs`",
    { databaseUrl: setting("DATABASE_URL", checked(readDatabaseUrl)) },
  ),
  ...row(
    "Further databases for organizations, by name ([Databases](databases.md)): JSON like " +
      '`{"east": "postgres://…"}`, or `east=postgres://… west=postgres://…`',
    { databases: setting("PARLEY_DATABASES", parsed(readDatabaseList)) },
  ),
  ...row(
    "Makes this process one node of many: `redis://:password@host:port/0`, `rediss://` with TLS, or " +
      "`redis+sentinel://:password@sentinel1,sentinel2/name` for the Redis that Sentinels call so " +
      "(`?sentinel_password=` is theirs)",
    { redisUrl: setting("REDIS_URL", checked(readRedisUrl)) },
  ),
  ...row("Uploaded files, `owner.zuliprc`, `owner-password`, `secret-key`, and the PostgreSQL of its own", {
    dataDir: setting("PARLEY_DATA_DIR", text, "./var"),
  }),
  files: fileSettings,
  ...scanSettings,
  pictureBy: programSettings,
  ...row(
    "The secret key, which seals API keys in the database: a file with it, or itself, 32 random bytes in " +
      "base64url without `=` or hexadecimal. The first start makes the default file. All nodes and commands " +
      "need the same one; a start with another is refused",
    {
      secretKeyFile: setting("PARLEY_SECRET_KEY_FILE", text, undefined, "`secret-key` in `PARLEY_DATA_DIR`"),
      secretKey: setting("PARLEY_SECRET_KEY", checked(parseSecret)),
    },
  ),
  ...row(
    `For the first start on an empty database; the password has from ${limits.passwordMin} to ${limits.passwordMax} characters and is not easily guessed`,
    {
      ownerEmail: setting(
        "PARLEY_OWNER_EMAIL",
        textLike((given) => /^[^\s@]+@[^\s@]+$/.test(given), "an email address"),
        "owner@example.com",
      ),
      ownerPassword: setting("PARLEY_OWNER_PASSWORD", { ...text, isVerbatim: true }, undefined, "random"),
      realmName: setting("PARLEY_REALM_NAME", checked(checkRealmName), "Parley"),
    },
  ),
  ...row("`off` for tests and benches; failed log-ins stay limited", {
    hasRateLimits: setting("PARLEY_RATE_LIMITS", flag, true),
  }),
  ...row(
    'Limits of organizations that have a host: JSON like `{"chat.example.com": {"api_by_user": ' +
      '"400/60"}}` with the names below in small letters; what it leaves out is as for everybody, and ' +
      "refused keys always are",
    { ownRates: setting("PARLEY_RATE_LIMITS_BY_HOST", text) },
  ),
  rates: {
    ...row(
      "Requests of an account, and of an address without one: so many in so many seconds. Of IPv6 a /64 " +
        "counts as one address, and a /48 as ten",
      { api_by_user: rateOf("api_by_user"), api_by_ip: rateOf("api_by_ip") },
    ),
    ...row("Requests of all bots of one owner together", { api_by_bots_of_owner: rateOf("api_by_bots_of_owner") }),
    ...row("Requests of a directory (SCIM) by one token", { api_by_scim_token: rateOf("api_by_scim_token") }),
    ...row(
      "Wrong passwords under one name: from one network, and from everywhere. A browser in which its person " +
        "has logged in before is counted for itself",
      {
        authenticate_by_username: rateOf("authenticate_by_username"),
        authenticate_by_username_anywhere: rateOf("authenticate_by_username_anywhere"),
      },
    ),
    ...row("Refused API keys from one address, and for one account; keys in use go on", {
      refused_key_by_ip: rateOf("refused_key_by_ip"),
      refused_key_by_user: rateOf("refused_key_by_user"),
    }),
    ...row("Changes of one's own address", { change_email: rateOf("change_email") }),
    ...row(
      "Links by which people join with an address of their choice: for one address, and asked for from one " +
        "machine",
      { join_by_address: rateOf("join_by_address"), join_by_ip: rateOf("join_by_ip") },
    ),
    ...row("Links for a new password: for one address, and asked for from one machine", {
      reset_password_by_username: rateOf("reset_password_by_username"),
      reset_password_by_ip: rateOf("reset_password_by_ip"),
    }),
    ...row("Summaries that a language model is asked for: by one person, and by all of an organization", {
      summaries_by_user: rateOf("summaries_by_user"),
      summaries_by_realm: rateOf("summaries_by_realm"),
    }),
    ...row("Times that a provider of GIFs is asked: by one person, and by all of an organization", {
      gifs_by_user: rateOf("gifs_by_user"),
      gifs_by_realm: rateOf("gifs_by_realm"),
    }),
    ...row("Mails that become messages: of an organization, and by one address; more waits at the mail server", {
      mail_in_by_realm: rateOf("mail_in_by_realm"),
      mail_in_by_address: rateOf("mail_in_by_address"),
    }),
  } satisfies Record<RateName, Setting<Rate>>,
  ...row("How many proxies in front may be believed about `X-Forwarded-For`, counted from its end", {
    trustedProxies: setting("PARLEY_TRUSTED_PROXIES", integer(0, 10), 0),
  }),
  ...row(
    "Lets anybody on this machine log in as anybody, for development; `HOST` is then `127.0.0.1` or " +
      "another loopback address",
    { isDevelopment: setting("PARLEY_DEV", flag, false) },
  ),
  ...row("Lets other machines do so as well", { isDevelopmentOpen: setting("PARLEY_DEV_OPEN", flag, false) }),
  ...row(
    "Who gets `/metrics`, `/replicas`, `/log_levels` and the details of `/health`: whoever asks at this address and " +
      "port, or says `Authorization: Bearer` and this token. With neither set, whoever asks on this machine, " +
      "at the default; a token alone leaves out the address",
    {
      adminAddress: setting("PARLEY_ADMIN_ADDRESS", addressWithPort, undefined, `\`127.0.0.1:${defaultAdminPort}\``),
      adminToken: setting("PARLEY_ADMIN_TOKEN", checked(checkToken)),
    },
  ),
  ...row("`debug` logs a line per request", {
    logLevel: setting("PARLEY_LOG_LEVEL", oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent"), "info"),
  }),
  ...row(
    "A collector of traces, to which `/v1/traces` is added (OTLP over HTTP, JSON); without it nothing is traced. " +
      "And the share of the requests that are ([Monitoring](monitoring.md#traces))",
    {
      otlpUrl: setting("PARLEY_OTLP_URL", webAddress),
      traceSampling: setting("PARLEY_TRACE_SAMPLING", share, 0.01),
    },
  ),
  ...row("Processes behind one port; more than one needs `REDIS_URL`", {
    workers: setting("PARLEY_WORKERS", integer(1, 256), 1),
  }),
  ...row("Connections to PostgreSQL per process, besides one that asks whether it answers", {
    maxConnections: setting("PARLEY_DATABASE_CONNECTIONS", integer(3, 1000), 16),
  }),
  ...row(
    "`required`: changes are refused while PostgreSQL is not set up to have a synchronous standby " +
      "([Databases](databases.md)). Without it what was acknowledged last is lost when a standby is promoted that is behind",
    { databaseSynchronous: setting("PARLEY_DATABASE_SYNCHRONOUS", oneOf("required")) },
  ),
  ...row(
    'Keys for `POST /jwt/fetch_api_key`: JSON of organization host (or `*`) → `{"algorithm": "HS256", ' +
      '"key": "…"}`, a PEM public key, or `{"jwks": "file"}`. A token with `aud` has to name the ' +
      'organization\'s host or address in it, or what `"audience"` beside its key says; beside other ' +
      "organizations one by the key `*` needs `aud`. One with `jti` is good once",
    { jwtKeys: setting("PARLEY_JWT_KEYS", parsed(parseJwtKeys), parseJwtKeys(""), "none") },
  ),
  ...row(
    "For how long after it was made (`iat`) a token is good; `0`: until its own `exp`, for ever without " + "one",
    { jwtMaxAgeSecs: setting("PARLEY_JWT_MAX_AGE_SECS", integer(0, 2_000_000_000), 0) },
  ),
  ...row(
    "Where people log in by OpenID Connect: JSON of organization host (or `*`) → a list of " +
      '`{"name", "display_name", "issuer", "client_id", "client_secret"}` and more ([Single sign-on](single-sign-on.md))',
    { identityProviders: setting("PARLEY_OIDC", parsed(parseProviders), parseProviders(""), "none") },
  ),
  ...row(
    "By whose passwords people log in besides, by LDAP: JSON of organization host (or `*`) → " +
      '`{"url", "bind_dn", "bind_password_file", "base"}` and more ([LDAP and Active Directory](ldap.md))',
    { directories: setting("PARLEY_LDAP", parsed(readDirectories), readDirectories(""), "none") },
  ),
  ...pushSettings,
  ...row(
    "Whether assistants may read and write by the Model Context Protocol, at `/mcp` ([Assistants](assistants.md))",
    {
      servesAssistants: setting("PARLEY_MCP", flag, false),
    },
  ),
  ai: {
    ...row(
      "A language model that summarizes conversations ([Summaries](summaries.md)): where its API is, like " +
        "`https://api.example.com/v1`, in the form of OpenAI's chat completions, what it is called there, and the key",
      {
        url: setting("PARLEY_AI_URL", webAddress),
        model: setting("PARLEY_AI_MODEL", text),
        key: setting("PARLEY_AI_KEY", text),
      },
    ),
    ...row("How long a summary may take", {
      timeoutMs: setting("PARLEY_AI_TIMEOUT_MS", integer(100, 600_000), 30_000),
    }),
  },
  gifs: row(
    "Who finds GIFs ([GIFs](gifs.md)): `giphy` or `klipy`, the key that it gave, and where its API is, if that is not " +
      "the provider's own address",
    {
      provider: setting("PARLEY_GIF_PROVIDER", oneOf(...gifProviderNames)),
      key: setting("PARLEY_GIF_KEY", text),
      url: setting("PARLEY_GIF_URL", webAddress, undefined, "the provider's"),
    },
  ),
  ...row(
    "Whether the server reads pages that messages link to, where an organization has " +
      "`inline_url_embed_preview` on; only public addresses, ports 80 and 443",
    { previewsLinks: setting("PARLEY_LINK_PREVIEWS", flag, false) },
  ),
  ...row(
    "Whether messages show pictures, films and sound of other sites that they link to, where an " +
      "organization has `inline_image_preview` on; readers fetch them through the server, which asks only " +
      "public addresses, ports 80 and 443",
    { showsExternalContent: setting("PARLEY_EXTERNAL_CONTENT", flag, true) },
  ),
  ...row("Domain of addresses that the server makes up: bots', and those of people who hide theirs", {
    botDomain: setting(
      "PARLEY_BOT_DOMAIN",
      textLike(isMailDomain, "a domain like bots.example.com"),
      undefined,
      "the organization's host, or `parley.localhost` where that is no mail domain",
    ),
  }),
  ...row(
    "Addresses and ranges of one's own network that outgoing webhooks, push services of browsers, video " +
      "calls, and previews of links and media on any port, may ask besides the open internet: `10.1.2.0/24, " +
      "127.0.0.1`",
    { alsoAllowed: setting("PARLEY_ALLOWED_ADDRESSES", checked(parseAllowedAddresses), "", "none") },
  ),
  calls: callSettings,
  ...row(
    "A new organization begins with a first topic; Welcome Bot writes to whoever joins, and they find the " +
      "last messages unread",
    { welcomes: setting("PARLEY_WELCOME", flag, true) },
  ),
  ...mailSettings,
  ...row("Whether channels may be web-public", {
    webPublicChannelsEnabled: setting("PARLEY_WEB_PUBLIC_STREAMS_ENABLED", flag, true),
  }),
  ...row("Presence only of people the caller may access", {
    limitsPresence: setting("PARLEY_CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE", flag, false),
  }),
  ...row("How long an invitation is good", {
    invitationValidityMinutes: setting("PARLEY_INVITATION_LINK_VALIDITY_MINUTES", integer(1, 2_000_000_000), 14_400),
  }),
  ...row("A queue that falls further behind is collected", {
    maxBacklogEvents: setting("PARLEY_QUEUE_MAX_EVENTS", integer(10, 10_000_000), 10_000),
    maxBacklogBytes: setting("PARLEY_QUEUE_MAX_BYTES", bytes(10_000), 64 * mib),
  }),
  ...row("Of an organization's log, this much is kept in memory; older entries are read from PostgreSQL", {
    recentBytes: setting("PARLEY_RECENT_MAX_BYTES", bytes(10_000), 32 * mib),
  }),
  ...row(
    "Large answers that wait to be read, without what many share; a quarter of it for one account or " + "address",
    { maxAnswerBytesAtOnce: setting("PARLEY_ANSWER_BYTES_AT_ONCE", bytes(64 * mib), 512 * mib) },
  ),
  ...row("Bodies of requests in memory at once; half of it for one address or account", {
    maxBodyBytesAtOnce: setting("PARLEY_BODY_BYTES_AT_ONCE", bytes(32 * mib), 384 * mib),
  }),
  ...row("Files on the disk that are still coming in, of one process; a quarter of it for one account", {
    incomingBytesAtOnce: setting("PARLEY_INCOMING_BYTES_AT_ONCE", bytes(404 * mib), 16 * 1024 * mib),
  }),
  ...row("MiB that one upload may have", {
    maxUploadMib: setting("PARLEY_MAX_UPLOAD_MIB", integer(1, 1_000_000), 100),
  }),
  ...row("Uploads of an account, and of an organization; `0`: no limit", {
    accountUploadQuotaMib: setting("PARLEY_ACCOUNT_UPLOAD_QUOTA_MIB", integer(0, 2 ** 31), 5 * 1024),
    realmUploadQuotaMib: setting("PARLEY_REALM_UPLOAD_QUOTA_MIB", integer(0, 2 ** 31), 50 * 1024),
  }),
  ...row(
    "Which HTTP server serves: `javascript` is Parley's own, `native` is uWebSockets.js, `auto` the " +
      "fastest that takes all that HTTP/1 allows: today Parley's own",
    { httpBuild: setting("PARLEY_HTTP_BUILD", oneOf("auto", "native", "javascript"), "auto") },
  ),
  ...row("Event queues of one account; one more ends the one that was polled longest ago", {
    maxQueuesPerUser: setting("PARLEY_QUEUE_MAX_PER_ACCOUNT", integer(1, 1_000_000), 1000),
  }),
  ...row("Seconds without a poll after which a queue gives its memory back", {
    idleAfterSecs: setting("PARLEY_QUEUE_IDLE_AFTER", integer(1, 86_400), 90),
  }),
  ...row(
    "Seconds without queues and requests after which an organization gives its caches back, and after as " +
      "long again all its memory",
    { realmIdleAfterSecs: setting("PARLEY_REALM_IDLE_AFTER", integer(1, 86_400), 600) },
  ),
  ...row("How long a request waits for the database or a writer before it is told 503", {
    commandDeadlineMs: setting("PARLEY_COMMAND_DEADLINE_MS", integer(100, 600_000), 10_000),
  }),
  ...row("How long PostgreSQL works on one statement of a read, a search say, before it is ended with 503", {
    readTimeoutMs: setting("PARLEY_READ_TIMEOUT_MS", integer(100, 600_000), 10_000),
  }),
  ...row(
    "Reads of one account, or of an address without one, that are under way at the same time; the rest " + "wait",
    { maxReadsPerAccount: setting("PARLEY_READS_PER_ACCOUNT", integer(1, 1000), 4) },
  ),
  ...row(
    "With Redis: how long `/health` of a node that stops says so before it takes no more connections; " +
      "longer than the balancer takes to notice",
    { drainAnnounceMs: setting("PARLEY_DRAIN_ANNOUNCE_MS", integer(0, 600_000), 1200) },
  ),
  ...row(
    "Of many nodes: how long one that says nothing keeps the organizations it writes; longer where " +
      "machines pause for longer",
    { leaseMs: setting("PARLEY_LEASE_MS", integer(1000, 60_000), 1500) },
  ),
  /** Set by a supervisor for the processes that it starts, by nobody else. */
  isWorker: setting("PARLEY_IS_WORKER", flag, false),
} as const;
