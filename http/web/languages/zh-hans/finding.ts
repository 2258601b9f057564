/** What the palette, the search and the filters of lists say in simplified Chinese. */
import type { findingWords as english } from "../en/finding.ts";
import type { Translated } from "../translated.ts";

export const findingWords: Translated<typeof english> = {
  skipToContent: "跳到消息",
  reactionsToMe: "对你消息的回应",
  palette: "前往…",
  paletteHint: "话题、成员、频道和命令",
  paletteKinds: { topics: "话题", people: "成员", channels: "频道", commands: "命令" },
  recentPlaces: "最近位置",
  searchFor: (words) => `在消息中搜索“${words}”`,
  searchHere: (words, place) => `仅在 ${place} 中搜索“${words}”`,
  onlyHere: (place) => `仅在 ${place} 中搜索`,
  weekAgo: "一周前",
  monthAgo: "30 天前",
  yearAgo: "一年前",
  notADate: "请按年-月-日填写日期，例如 2026-03-31。",
  filterConversations: "按名称筛选",
  filters: "筛选",
  noneLeft: "没有符合筛选条件的会话。",
  clearFilters: "清除筛选",
  unreadOnly: "未读",
  participated: "我参与的",
  withMuted: "显示已静音",
  mentionsOnly: "提及",
  followedOnly: "已关注",
  fold: (name) => `折叠 ${name}`,
  unfold: (name) => `展开 ${name}`,
  justNow: "刚刚",
};
