/** The second step of a log-in, for whoever has a second factor. */
import { ApiError, badRequest } from "../../../actors/errors.ts";
import { openPendingLogIn } from "../../../actors/users/second-factors/pending-log-in.ts";
import { text } from "../../api/params.ts";
import { retryHeaders } from "../../api/reply.ts";
import { route } from "../../api/route.ts";
import { loginPage } from "../../pages/login-page.ts";
import { checkOrigin } from "../../pages/page.ts";
import { secondFactorPage } from "../../pages/second-factor-page.ts";
import { confirmCode } from "./identity.ts";
import { type Destination, finishLogIn, type LoginMethod, loginForm } from "./log-in.ts";

/** What of a log-in waits for the second step. */
interface Begun {
  method: LoginMethod;
  to: Destination;
}

/** Bytes of the form. */
const maxFormBytes = 16 * 1024;

export const submitSecondStep = route({
  doc: "README.md",
  summary: "Logs a browser in by a code, after the password.",
  auth: ["anybody"],
  refusesWithPages: true,
  maxBodyBytes: maxFormBytes,
  params: {
    pending: text().default("").describe("The log-in so far, as the page has it."),
    code: text({ maxLength: 100 }).default("").describe("A code of the application, or a recovery code."),
  },
  async handle(request) {
    const { realm, params, exchange } = request;
    const realmName = realm.state.row.name;
    const { pending } = params;
    const found = openPendingLogIn<Begun>(realm, pending);
    try {
      checkOrigin(exchange);
      if (!found) throw badRequest("This took too long, or something has changed: log in again.");
      const { user, begun } = found;
      await confirmCode({ ...request, user }, params.code);
      return await finishLogIn(request, user, begun.method, begun.to);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      exchange.headers.push(...retryHeaders(error));
      const shown = { realmName, error: error.message, status: error.status };
      return found ? secondFactorPage({ ...shown, pending }) : loginPage({ ...loginForm(realm), ...shown });
    }
  },
});
