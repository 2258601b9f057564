/** https://www.zabbix.com/documentation/current/en/manual/config/notifications/media/webhook */
import type { Integration } from "../notice/integration.ts";
import { link } from "../notice/markdown.ts";

export const zabbix: Integration = {
  name: "zabbix",
  displayName: "Zabbix",
  read({ payload }) {
    const host = payload.need("hostname");
    const lines = ["trigger", "item"].map((field) => payload.line(field)).filter(Boolean);
    const head = `${payload.line("status") || "Alert"} (${payload.line("severity") || "no severity"}) of ${link(host, payload.text("link"))}:`;
    return { topic: host, content: [head, "", ...lines.map((line) => `* ${line}`)].join("\n") };
  },
};
