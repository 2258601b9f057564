/** https://github.com/louislam/uptime-kuma/wiki/Notification-Methods */
import type { Integration } from "./integration.ts";
import { link } from "./payload.ts";

export const uptimekuma: Integration = {
  name: "uptimekuma",
  displayName: "Uptime Kuma",
  events: ["up", "down"],
  read({ payload }) {
    const topic = payload.text("monitor.name", "Uptime Kuma");
    if (!payload.has("heartbeat.status")) {
      const says = payload.text("msg");
      return says === "" ? "empty" : { topic, content: says };
    }
    const isUp = payload.is("heartbeat.status", 1);
    const where = payload.text("monitor.url", payload.text("monitor.hostname"));
    const says = payload.text("heartbeat.msg", payload.text("msg"));
    return {
      event: isUp ? "up" : "down",
      topic,
      content: `${isUp ? ":check: " : ":alert: "}${link(topic, where)} is **${isUp ? "up" : "down"}**${says === "" ? "." : `: ${says}`}`,
    };
  },
};
