/** https://www.pingdom.com/resources/webhooks */
import { byEvent, type Teller } from "../notice/integration.ts";
import { code, quote } from "../notice/markdown.ts";

const types = ["HTTP", "HTTP_CUSTOM", "HTTPS", "SMTP", "POP3", "IMAP", "PING", "DNS", "UDP", "PORT_TCP", "TRANSACTION"];

const changed: Teller = (payload) => {
  const [before, now] = [payload.line("previous_state"), payload.line("current_state")];
  const place = payload.line("check_params.hostname", "check_params.url", "check_name");
  const said = now === "DOWN" ? quote(payload.text("long_description", "description")) : "";
  return `${now === "DOWN" ? ":alert:" : ":check:"} ${code(place)} (${payload.line("check_type")}) went from **${before}** to **${now}**${said === "" ? "." : `:${said}`}`;
};

export const pingdom = byEvent<string>({
  name: "pingdom",
  displayName: "Pingdom",
  event: ({ payload }) => payload.need("check_type"),
  topic: (payload) => `${payload.raw("check_name")} status.`,
  tells: Object.fromEntries(types.map((type) => [type, changed])),
});
