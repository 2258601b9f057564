/** Pages for people with a browser: about this server, and logging in. */

import { directoryOf } from "../../../actors/identities/directories.ts";
import { renderPlain } from "../../../actors/organization/markdown-context.ts";
import { featureLevel, version } from "../../../actors/version.ts";
import { pathText, text } from "../../api/params.ts";
import { route } from "../../api/route.ts";
import { landingPage } from "../../pages/landing-page.ts";
import { loginPage } from "../../pages/login-page.ts";
import { checkOrigin, orRefused } from "../../pages/page.ts";
import { languageOfPage } from "../../pages/words/words.ts";
import { takeDesktopToken } from "../users/application-log-in.ts";
import { letInByDirectory } from "../users/directory-login.ts";
import {
  type Destination,
  destinationParams,
  finishLogIn,
  type LoginMethod,
  letBrowserIn,
  loginForm,
  readDestination,
} from "../users/log-in.ts";
import { accessByPassword } from "../users/password-login.ts";

/** The page about this server. */
export const getAboutPage = route({
  doc: "README.md",
  summary: "A page that tells what this server is.",
  auth: ["cookie", "anybody"],
  params: {},
  handle({ realm, user, exchange }) {
    const { state } = realm;
    return landingPage({
      language: languageOfPage({ exchange, realm, user }),
      realmName: state.row.name,
      description: renderPlain(state, state.setting("description")),
      url: state.url,
      version,
      featureLevel,
      user: user && { name: user.full_name, email: user.delivery_email, role: user.role },
    });
  },
});

/** Bytes of a form. Its fields are short, and what is shown again has to be escaped. */
const maxFormBytes = 16 * 1024;
const maxEmail = 254;
const maxTyped = 1000;

export const getLoginPage = route({
  doc: "README.md",
  summary: "A page on which people log in.",
  auth: ["anybody"],
  refusesWithPages: true,
  params: destinationParams,
  handle: (request) =>
    orRefused(
      request,
      async () => loginPage(await loginForm(request, readDestination(request.params))),
      async (refused) => loginPage({ ...(await loginForm(request)), ...refused }),
    ),
});

/** Logs a browser in. If a mobile app asked, it gets the key, encrypted with its one-time pad. */
export const submitLoginPage = route({
  doc: "README.md",
  summary: "Logs a browser in.",
  auth: ["anybody"],
  maxBodyBytes: maxFormBytes,
  params: {
    username: text({ maxLength: maxEmail }).default(""),
    password: text({ maxLength: maxTyped }).default(""),
    ...destinationParams,
  },
  async handle(request) {
    const { params, exchange } = request;
    const form = await loginForm(request);
    return orRefused(
      request,
      async () => {
        checkOrigin(exchange);
        const destination = readDestination(params);
        Object.assign(form, await loginForm(request, destination), { username: params.username });
        const { username, password } = params;
        const found = await accessByPassword(request, username, password, directoryOf(request.realm.state));
        if (found.inDirectory) return letInByDirectory(request, found.inDirectory, destination);
        return letBrowserIn(request, found.user, "password", destination);
      },
      (refused) => loginPage({ ...form, ...refused }),
    );
  },
});

/** Logs a desktop application in, which has a browser of its own. */
export const takeDesktopLogIn = route({
  doc: "README.md",
  summary: "Logs a desktop application in, by the token that its person was shown in a browser.",
  auth: ["anybody"],
  redirects: "Into the page.",
  refusesWithPages: true,
  params: { token: pathText().describe("What the person was shown.") },
  handle(request) {
    const { realm, params } = request;
    const take = async () => {
      const { user, logIn } = await takeDesktopToken<{ method: LoginMethod; to: Destination }>(realm, params.token);
      // Its person has shown every factor in the browser.
      return finishLogIn(request, user, logIn.method, logIn.to);
    };
    return orRefused(request, take, async (refused) => loginPage({ ...(await loginForm(request)), ...refused }));
  },
});
