/** https://github.com/louislam/uptime-kuma/wiki/Notification-Methods */
import type { Integration } from "../notice/integration.ts";
import { link } from "../notice/markdown.ts";
import { malformed } from "../notice/payload.ts";

export const uptimekuma: Integration = {
  name: "uptimekuma",
  displayName: "Uptime Kuma",
  events: ["up", "down"],
  read({ payload }) {
    const topic = payload.raw("monitor.name") || "Uptime Kuma";
    if (!payload.has("heartbeat.status")) {
      const content = payload.line("msg");
      if (content === "") throw malformed("msg is missing");
      return { topic, content };
    }
    const isUp = payload.is("heartbeat.status", 1);
    const where = payload.text("monitor.url", "monitor.hostname");
    const says = payload.line("heartbeat.msg", "msg");
    return {
      event: isUp ? "up" : "down",
      topic,
      content: `${isUp ? ":check:" : ":alert:"} ${link(topic, where)} is **${isUp ? "up" : "down"}**${says === "" ? "." : `: ${says}`}`,
    };
  },
};
