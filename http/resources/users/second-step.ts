/** The second step of a log-in, for whoever has a second factor. */
import { badRequest } from "../../../actors/errors.ts";
import { checkNewPasskey } from "../../../actors/users/second-factors/passkeys.ts";
import { openPendingLogIn, sealPendingLogIn } from "../../../actors/users/second-factors/pending-log-in.ts";
import { otpauthUrl } from "../../../actors/users/second-factors/totp.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { text } from "../../api/params.ts";
import { type ApiRequest, route } from "../../api/route.ts";
import { loginPage } from "../../pages/login-page.ts";
import { checkOrigin, orRefused } from "../../pages/page.ts";
import { qrCode } from "../../pages/qr-code.ts";
import { enrolmentPage, recoveryCodesPage, secondFactorPage } from "../../pages/second-factor-page.ts";
import { languageAsked } from "../../pages/words/words.ts";
import { programOf } from "./devices.ts";
import { confirmCode } from "./identity.ts";
import { type Destination, finishLogIn, type LoginMethod, loginForm } from "./log-in.ts";
import { askBrowser, confirmPasskey, partyOf, passkeyParams } from "./passkey-proof.ts";

/** What of a log-in waits for the second step. */
interface Begun {
  method: LoginMethod;
  to: Destination;
  /** Of the second factor that it sets up. */
  secret?: string;
  /** Whether that is done. */
  isSetUp?: true;
}

/** Bytes of the form. */
const maxFormBytes = 16 * 1024;

const secondStepParams = {
  pending: text().default("").describe("The log-in so far, as the page has it."),
  code: text({ maxLength: 100 }).default("").describe("A code of the application, or a recovery code."),
  ...passkeyParams,
};
const tooLate = () => badRequest("This took too long, or something has changed: log in again.");

export const submitSecondStep = route({
  doc: "README.md",
  summary: "Logs a browser in by a code, after the password.",
  auth: ["anybody"],
  refusesWithPages: true,
  maxBodyBytes: maxFormBytes,
  params: secondStepParams,
  async handle(request) {
    const { realm, params, exchange } = request;
    const realmName = realm.state.row.name;
    const { pending } = params;
    const found = openPendingLogIn<Begun>(realm, pending);
    const goOn = async () => {
      checkOrigin(exchange);
      if (!found) throw tooLate();
      const { user, begun } = found;
      if (params.credential) await confirmPasskey(request, "second step", params, user);
      else await confirmCode({ ...request, user }, params.code);
      return finishLogIn(request, user, begun.method, begun.to);
    };
    return orRefused(request, goOn, async (refused) => {
      if (!found) return loginPage({ ...(await loginForm(request)), ...refused });
      const passkey = await askBrowser(request, "second step", found.user);
      return secondFactorPage({
        language: languageAsked(exchange, realm.state),
        realmName,
        ...refused,
        pending,
        passkey,
      });
    });
  },
});

type SetUp = Pick<ApiRequest, "app" | "realm" | "exchange">;

/** Sets up what was shown, a passkey or a code. Returns recovery codes. @throws BAD_REQUEST */
async function setUp(
  request: SetUp,
  user: UserRow,
  { code, ...shown }: { code: string; challenge: string; credential: string },
): Promise<readonly string[]> {
  const { realm } = request;
  const actorId = user.id;
  if (!shown.credential) return (await realm.execute("confirmTotp", { actorId, code })).recovery_codes;
  const passkey = await checkNewPasskey(realm, user, partyOf(request), shown);
  const name = programOf(request, user);
  return (await realm.execute("addPasskey", { actorId, name, passkey })).recovery_codes;
}

/** The same for whoever has to have one and has none: the log-in sets it up. */
export const submitEnrolment = route({
  doc: "README.md",
  summary: "Turns on a second factor that the organization requires, and logs the browser in.",
  auth: ["anybody"],
  refusesWithPages: true,
  maxBodyBytes: maxFormBytes,
  params: secondStepParams,
  async handle(request) {
    const { realm, params, exchange } = request;
    const realmName = realm.state.row.name;
    const { pending } = params;
    const found = openPendingLogIn<Begun>(realm, pending);
    const goOn = async () => {
      checkOrigin(exchange);
      if (!found) throw tooLate();
      const { user, begun } = found;
      const { method, to } = begun;
      if (begun.isSetUp) return finishLogIn(request, user, method, to);
      if (!begun.secret) throw tooLate();
      const codes = await setUp(request, user, params);
      const goesOn = sealPendingLogIn(realm, user, { method, to, isSetUp: true } satisfies Begun);
      return recoveryCodesPage({ language: languageAsked(exchange, realm.state), realmName, codes, pending: goesOn });
    };
    return orRefused(request, goOn, async (refused) => {
      if (!found?.begun.secret) return loginPage({ ...(await loginForm(request)), ...refused });
      const { secret } = found.begun;
      const qr = qrCode(otpauthUrl(secret, found.user.delivery_email, realmName));
      const passkey = await askBrowser(request, "registration", found.user);
      const language = languageAsked(exchange, realm.state);
      return enrolmentPage({ language, realmName, ...refused, pending, secret, qr, passkey });
    });
  },
});
