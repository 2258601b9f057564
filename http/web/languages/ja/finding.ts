/** What the palette, the search and the filters of lists say in Japanese. */
import type { findingWords as english } from "../en/finding.ts";
import type { Translated } from "../translated.ts";

export const findingWords: Translated<typeof english> = {
  skipToContent: "メッセージへスキップ",
  reactionsToMe: "自分のメッセージへのリアクション",
  palette: "移動…",
  paletteHint: "トピック、メンバー、チャンネル、コマンド",
  paletteKinds: { topics: "トピック", people: "メンバー", channels: "チャンネル", commands: "コマンド" },
  recentPlaces: "最近の場所",
  searchFor: (words) => `メッセージから「${words}」を検索`,
  searchHere: (words, place) => `${place} だけで「${words}」を検索`,
  onlyHere: (place) => `${place} だけで検索`,
  weekAgo: "1 週間前",
  monthAgo: "30 日前",
  yearAgo: "1 年前",
  notADate: "日付は 2026-03-31 のように年-月-日で書いてください。",
  filterConversations: "名前で絞り込む",
  filters: "フィルター",
  noneLeft: "フィルターに一致する会話はありません。",
  clearFilters: "フィルターを解除",
  unreadOnly: "未読",
  participated: "参加中",
  withMuted: "ミュートも表示",
  mentionsOnly: "メンション",
  followedOnly: "フォロー中",
  fold: (name) => `${name} を折りたたむ`,
  unfold: (name) => `${name} を展開`,
  justNow: "たった今",
};
