/** The server itself: its settings, its health, and how people get their keys. */

import { array, boolean, integer, nullable, object, record, string } from "superstruct";
import { errors } from "../../../actors/errors.ts";
import { logPosition, realmId, userId } from "../../../actors/id-shapes.ts";
import { directoryOf, hasPlainNames } from "../../../actors/identities/directories.ts";
import { providersOf } from "../../../actors/identities/organization-providers.ts";
import { loginPath, signupPath } from "../../../actors/identities/providers.ts";
import { realmPictureUrl } from "../../../actors/organization/changes/pictures.ts";
import { renderPlain } from "../../../actors/organization/markdown-context.ts";
import { isAdmin } from "../../../actors/realm/access.ts";
import { digestState } from "../../../actors/realm/state/digest.ts";
import { described } from "../../../actors/shape.ts";
import { featureLevel, mergeBase, version } from "../../../actors/version.ts";
import { checkDevelopment } from "../../api/development.ts";
import { checkOperator, isOperator } from "../../api/operators.ts";
import { urlAsAsked } from "../../api/own-url.ts";
import { text } from "../../api/params.ts";
import { JsonReply, RawReply } from "../../api/reply.ts";
import { nodeRoute, route } from "../../api/route.ts";
import { hasPhones } from "../push/devices.ts";
import { accessInDirectory } from "../users/directory-login.ts";
import { letProgramIn } from "../users/log-in.ts";
import { accessByPassword } from "../users/password-login.ts";
import { databaseTroubles, troubleOf } from "./health.ts";

const externalMethod = object({
  name: described(string(), "The service's name for programs."),
  display_name: string(),
  display_icon: described(nullable(string()), "Its picture."),
  login_url: described(string(), "Where to log in by it."),
  signup_url: described(string(), "Where to join by it."),
});

/** Applications open it in a browser, where a log-in may take more steps than a password. */
const passwordPage = {
  name: "browser",
  display_name: "the browser",
  display_icon: null,
  login_url: "/login/",
  signup_url: "/login/",
};

/** What a client needs before it logs in. https://zulip.com/api/get-server-settings */
export const getServerSettings = route({
  doc: "https://zulip.com/api/get-server-settings",
  summary: "Describes the server and the organization before anybody logs in.",
  auth: ["anybody"],
  params: {},
  returns: {
    authentication_methods: described(record(string(), boolean()), "Which ways to log in are open."),
    external_authentication_methods: described(
      array(externalMethod),
      "Other ways in, each with a page of its own. The last is this server's page for passwords.",
    ),
    zulip_version: string(),
    zulip_merge_base: string(),
    zulip_feature_level: integer(),
    push_notifications_enabled: described(boolean(), "Whether phones can be notified."),
    is_incompatible: described(boolean(), "Whether the client is too old for this server."),
    email_auth_enabled: described(boolean(), "Whether people log in by address and password."),
    require_email_format_usernames: described(
      boolean(),
      "Whether people log in by an address, and not by another name.",
    ),
    realm_url: string(),
    realm_uri: string(),
    realm_name: string(),
    realm_icon: described(string(), "Where its icon is."),
    realm_description: string(),
    realm_web_public_access_enabled: described(
      boolean(),
      "Whether people without an account may read web-public channels.",
    ),
  },
  handle({ realm, app, exchange }) {
    const { state } = realm;
    const directory = directoryOf(state);
    const realm_url = urlAsAsked({ app, realm, exchange });
    return {
      authentication_methods: {
        password: true,
        dev: app.config.isDevelopment,
        email: true,
        ldap: directory !== undefined,
        remoteuser: false,
        github: false,
        azuread: false,
        gitlab: false,
        google: false,
        apple: false,
        saml: false,
        "openid connect": providersOf(state).length > 0,
      },
      external_authentication_methods: [
        ...providersOf(state).map((provider) => ({
          name: `oidc:${provider.name}`,
          display_name: provider.displayName,
          display_icon: provider.displayIcon,
          login_url: loginPath(provider),
          signup_url: signupPath(provider),
        })),
        passwordPage,
      ],
      zulip_version: version,
      zulip_merge_base: mergeBase,
      zulip_feature_level: featureLevel,
      push_notifications_enabled: hasPhones(app.config),
      is_incompatible: false,
      email_auth_enabled: true,
      require_email_format_usernames: !directory || !hasPlainNames(directory),
      realm_url,
      realm_uri: realm_url,
      realm_name: state.row.name,
      realm_icon: realmPictureUrl(state, "icon"),
      realm_description: renderPlain(state, state.setting("description")),
      realm_web_public_access_enabled: state.hasSpectators,
    };
  },
});

/** Exchanges an email and a password for an API key. https://zulip.com/api/fetch-api-key */
export const fetchApiKey = route({
  doc: "https://zulip.com/api/fetch-api-key",
  summary: "Exchanges an email and a password for an API key.",
  auth: ["anybody"],
  params: {
    username: text().describe("The address of the account, or a name in the directory."),
    password: text().describe("Its password."),
  },
  returns: { api_key: string(), email: string(), user_id: userId() },
  async handle(request) {
    const { username, password } = request.params;
    const found = await accessByPassword(request, username, password, directoryOf(request.realm.state));
    if (found.user) return letProgramIn(request, found.user, "password");
    const { user } = await accessInDirectory(request, found.inDirectory);
    return letProgramIn(request, user, "directory");
  },
});

/** Logs anybody in without a password. Only on a development server. https://zulip.com/api/dev-fetch-api-key */
export const devFetchApiKey = route({
  doc: "https://zulip.com/api/dev-fetch-api-key",
  summary: "Gives anybody's API key, on a development server only.",
  auth: ["anybody"],
  params: { username: text() },
  returns: { api_key: string(), email: string(), user_id: userId() },
  async handle(request) {
    const { app, realm, params } = request;
    checkDevelopment(app, request.exchange);
    const user = realm.state.userByEmail(params.username.trim());
    if (!user) throw errors.AUTHENTICATION_FAILED("Your username or password is incorrect");
    if (!user.is_active) throw errors.USER_DEACTIVATED();
    const key = await letProgramIn(request, user, "development");
    await app.authenticator.startSession(realm, user.id, request.exchange);
    return key;
  },
});

const account = object({ email: string(), realm_url: string(), realm_uri: string() });

/** The accounts that a development server logs in. */
export const devListUsers = route({
  doc: "https://zulip.com/api/dev-list-users",
  summary: "Lists the accounts of a development server.",
  auth: ["anybody"],
  params: {},
  returns: {
    direct_admins: described(array(account), "Accounts of administrators."),
    direct_users: described(array(account), "Accounts of others."),
  },
  handle({ app, realm, exchange }) {
    checkDevelopment(app, exchange);
    const list = (isAdministrator: boolean) =>
      [...realm.state.users.values()]
        .filter((user) => user.is_active && !user.is_bot && isAdmin(user) === isAdministrator)
        .map((user) => ({ email: user.delivery_email, realm_url: realm.state.url, realm_uri: realm.state.url }));
    return { direct_admins: list(true), direct_users: list(false) };
  },
});

/** Whether this node should receive traffic. */
export const getHealth = nodeRoute({
  doc: "ARCHITECTURE.md",
  summary: "Tells whether this node lives, is ready or is draining; why, and what it runs, to whoever runs the server.",
  handle({ app, exchange }) {
    const reason = app.health.state === "ready" ? troubleOf(app) : undefined;
    const isReady = app.health.state === "ready" && reason === undefined;
    const body = JSON.stringify({
      status: reason === undefined ? app.health.state : "unwell",
      live: true,
      ready: isReady,
      draining: app.health.state === "draining",
      // A stranger who knows the build knows what to try on it.
      ...(isOperator(app, exchange) && {
        reason,
        // All goes on by another one; the next failover might not.
        warning:
          reason === undefined
            ? app.system.homes.map(({ database }) => database.replaced).find((replaced) => replaced !== undefined)
            : undefined,
        ...(app.system.homes.length > 1 && {
          databases: databaseTroubles(app).map(({ name, trouble }) => ({
            name,
            ready: trouble === undefined,
            reason: trouble,
          })),
        }),
        http: { flavour: app.uws.flavour, build: app.uws.build },
        version,
        feature_level: featureLevel,
      }),
    });
    // The answer is JSON without the usual envelope, which would call a server that is not ready a success.
    return new JsonReply(isReady ? 200 : 503, body);
  },
});

/** Prometheus metrics of this node. */
export const getMetrics = nodeRoute({
  doc: "ARCHITECTURE.md",
  summary: "Prometheus series of this node, for whoever runs the server.",
  async handle({ app, exchange }) {
    checkOperator(app, exchange);
    return new RawReply(200, [["Content-Type", app.metrics.contentType]], await app.metrics.text());
  },
});

/** Digests of this node's replicas. Two nodes at equal positions have equal digests. */
export const getReplicas = nodeRoute({
  doc: "ARCHITECTURE.md",
  summary: "Position and digest of each organization's replica on this node, for whoever runs the server.",
  returns: {
    replicas: array(object({ realm_id: realmId(), is_writer: boolean(), position: logPosition(), digest: string() })),
  },
  handle({ app, exchange }) {
    checkOperator(app, exchange);
    const replicas = app.system.realms().map((realm) => ({
      realm_id: realm.id,
      is_writer: realm.isWriter,
      position: realm.position,
      digest: digestState(realm.state),
    }));
    return { replicas };
  },
});
