/** The caller's passkeys, and logging in by one. A browser alone registers, names and removes them. */
import { array, record, string, unknown } from "superstruct";
import { badRequest } from "../../../actors/errors.ts";
import { passkeyId } from "../../../actors/id-shapes.ts";
import { described } from "../../../actors/shape.ts";
import { checkNewPasskey } from "../../../actors/users/second-factors/passkeys.ts";
import type { PasskeyId } from "../../../storage/ids.ts";
import { pathInt, text } from "../../api/params.ts";
import { route } from "../../api/route.ts";
import { loginPage } from "../../pages/login-page.ts";
import { checkOrigin, orRefused } from "../../pages/page.ts";
import { programOf } from "./devices.ts";
import { checkIdentity } from "./identity.ts";
import { destinationParams, finishLogIn, loginForm, readDestination } from "./log-in.ts";
import { askBrowser, confirmPasskey, partyOf, passkeyParams } from "./passkey-proof.ts";

/** Bytes of the form. */
const maxFormBytes = 16 * 1024;

const question = {
  options: described(record(string(), unknown()), "What to ask the browser, in WebAuthn's JSON."),
  challenge: described(string(), "The challenge, sealed; it is sent back with the answer, once within ten minutes."),
};

const passkeyName = text({ maxLength: 1000 });
const oneOfTheirs = { passkey_id: pathInt<PasskeyId>().describe("The passkey's id.") };

export const askForNewPasskey = route({
  doc: "README.md",
  summary: "Asks the caller's browser to make a passkey.",
  auth: ["cookie"],
  params: {},
  returns: question,
  async handle(request) {
    checkIdentity(request);
    partyOf(request);
    return (await askBrowser(request, "registration", request.user))!;
  },
});

export const addPasskey = route({
  doc: "README.md",
  summary: "Registers a passkey that the caller's browser has made. From then on log-ins ask for a second factor.",
  auth: ["cookie"],
  params: {
    ...passkeyParams,
    name: passkeyName.optional().describe("What the person calls it; the browser's name, unless told."),
  },
  returns: {
    passkey_id: described(passkeyId(), "The passkey's id."),
    recovery_codes: described(
      array(string()),
      "Recovery codes, which are told this once; none where the person had a second factor before.",
    ),
  },
  async handle(request) {
    checkIdentity(request);
    const { realm, user, params } = request;
    const passkey = await checkNewPasskey(realm, user, partyOf(request), params);
    const name = params.name ?? programOf(request, user);
    const { id, recovery_codes } = await realm.execute("addPasskey", { actorId: user.id, name, passkey });
    return { passkey_id: id, recovery_codes };
  },
});

export const renamePasskey = route({
  doc: "README.md",
  summary: "Gives one of the caller's passkeys another name.",
  auth: ["cookie"],
  params: { ...oneOfTheirs, name: passkeyName.describe("What the person calls it.") },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("renamePasskey", { actorId: user.id, id: params.passkey_id, name: params.name });
  },
});

export const endPasskey = route({
  doc: "README.md",
  summary: "Removes one of the caller's passkeys. The last second factor takes the recovery codes along.",
  auth: ["cookie"],
  params: oneOfTheirs,
  returns: {},
  handle(request) {
    checkIdentity(request);
    return request.realm.execute("endPasskey", { actorId: request.user.id, id: request.params.passkey_id });
  },
});

export const askForIdentity = route({
  doc: "README.md",
  summary: "Asks the caller's browser for a passkey, by which `POST /users/me/reauthenticate` knows them.",
  auth: ["cookie"],
  params: {},
  returns: question,
  async handle(request) {
    partyOf(request);
    const asked = await askBrowser(request, "identity", request.user);
    if (!asked) throw badRequest("You have no passkey.");
    return asked;
  },
});

/** Logs a browser in by a passkey alone: it knows whose it is, and has asked who is there. */
export const submitPasskey = route({
  doc: "README.md",
  summary: "Logs a browser in by a passkey.",
  auth: ["anybody"],
  refusesWithPages: true,
  maxBodyBytes: maxFormBytes,
  params: { ...passkeyParams, ...destinationParams },
  async handle(request) {
    const { params, exchange } = request;
    let destination: ReturnType<typeof readDestination> = { next: "" };
    const goOn = async () => {
      checkOrigin(exchange);
      destination = readDestination(params);
      const user = await confirmPasskey(request, "log-in", params);
      return finishLogIn(request, user, "passkey", destination);
    };
    const form = async () => loginForm(request, destination);
    return orRefused(request, goOn, async (refused) => loginPage({ ...(await form()), ...refused }));
  },
});
