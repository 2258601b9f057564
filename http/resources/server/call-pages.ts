/** What a person's browser is led through for a video call. */
import { joinBigBlueButtonCall } from "../../../actors/calls/big-blue-button.ts";
import { completeRegistration, type OAuthService, registrationUrl } from "../../../actors/calls/oauth.ts";
import { type CallServices, callServicesOf } from "../../../actors/calls/services.ts";
import { webexService } from "../../../actors/calls/webex.ts";
import { zoomService } from "../../../actors/calls/zoom.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { loginTokens } from "../../api/cookies.ts";
import { text } from "../../api/params.ts";
import type { RawReply } from "../../api/reply.ts";
import { route } from "../../api/route.ts";
import { callRefusedPage, callServiceReadyPage } from "../../pages/call-pages.ts";
import { orRefused, redirect } from "../../pages/page.ts";
import { type Asking, languageOfPage } from "../../pages/words/words.ts";
import type { Exchange } from "../../server/exchange.ts";

const doc = "https://zulip.com/help/configure-call-provider";

/** Somebody who is not logged in does so first, and comes back. */
async function toUser(asking: Asking, show: (user: UserRow) => Promise<RawReply>): Promise<RawReply> {
  const { exchange, user } = asking;
  if (user)
    return orRefused(
      asking,
      () => show(user),
      ({ error, status }) => callRefusedPage(languageOfPage(asking), error, status),
    );
  const place = `${exchange.path.slice(1)}${exchange.query === "" ? "" : `?${exchange.query}`}`;
  return redirect(`/login/?next=${encodeURIComponent(place)}`);
}

const browserOf = ({ cookie }: Exchange): string => loginTokens(cookie).csrf ?? "";

export const joinBigBlueButton = route({
  doc,
  summary: "Leads whoever opens the link of a call to its meeting on BigBlueButton.",
  auth: ["cookie", "anybody"],
  redirects: "To the meeting, or to log in first.",
  refusesWithPages: true,
  params: { bigbluebutton: text().describe("The call, as its link has it.") },
  handle({ realm, user, params, exchange }) {
    return toUser({ realm, user, exchange }, async (caller) =>
      redirect(await joinBigBlueButtonCall(realm, caller, params.bigbluebutton)),
    );
  },
});

type FindService = (services: CallServices) => OAuthService;

const registerAt = (service: FindService) =>
  route({
    doc,
    summary: "Leads a person to the service for video calls, to let this server into their account there.",
    auth: ["cookie", "anybody"],
    redirects: "To the service, or to log in first.",
    refusesWithPages: true,
    params: {},
    handle({ realm, user, exchange }) {
      const callServices = callServicesOf(realm.state);
      return toUser({ realm, user, exchange }, async (caller) =>
        redirect(await registrationUrl(realm, caller, service(callServices), browserOf(exchange))),
      );
    },
  });

const completeAt = (service: FindService) =>
  route({
    doc,
    summary: "Where the service for video calls sends a person's browser back.",
    auth: ["cookie", "anybody"],
    redirects: "To log in first.",
    refusesWithPages: true,
    params: {
      code: text().default("").describe("What the service says to prove that the person agreed."),
      state: text().default("").describe("What this server told the service, to know its answer again."),
    },
    handle({ realm, user, params, exchange }) {
      return toUser({ realm, user, exchange }, async (caller) => {
        const found = service(callServicesOf(realm.state));
        await completeRegistration(realm, caller, found, { ...params, browser: browserOf(exchange) });
        return callServiceReadyPage(languageOfPage({ realm, user, exchange }), found.name);
      });
    },
  });

export const registerZoom = registerAt(zoomService);
export const completeZoom = completeAt(zoomService);
export const registerWebex = registerAt(webexService);
export const completeWebex = completeAt(webexService);

/** Zoom refuses the token from then on. It is forgotten when it is used next. */
export const deauthorizeZoom = route({
  doc,
  summary: "Zoom tells here that somebody ended this server's access to their account.",
  auth: ["anybody"],
  bodyParam: "notice",
  params: { notice: text().default("").describe("What Zoom tells, as JSON.") },
  handle: () => ({}),
});
