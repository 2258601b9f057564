/** What settings offer to choose from, in Chinese. */
import type { choices as english } from "../en/choices.ts";
import type { Translated } from "../translated.ts";

export const choices: Translated<typeof english> = {
  colorScheme: "颜色",
  highContrast: "高对比度",
  schemes: { 1: "跟随系统", 2: "深色", 3: "浅色" },
  fontSize: "文字大小",
  density: "消息间距",
  densities: { compact: "紧凑", usual: "标准", roomy: "宽松" },
  atAnyTime: "随时",
  listStyle: "成员列表",
  listStyles: {
    1: "仅名称",
    2: "带头像",
    3: "带头像和状态",
  },
  markingRead: "将看到的消息标记为已读",
  markingReads: { 1: "始终", 2: "仅在会话中", 3: "从不" },
  animation: "动图播放",
  animations: { always: "始终", on_hover: "鼠标悬停时", never: "仅在打开后" },
  inactiveLast: "将不活跃的频道排在最后",
  inactiveLastChoices: { 1: "加入的频道较多时", 2: "始终", 3: "从不" },
  emojiset: "消息中的表情",
  emojisets: {
    google: "显示为图片",
    text: "显示名称，例如 :tada:",
  },
  gifRating: "可搜索的 GIF 动图",
  gifRatings: {
    0: "无",
    1: "G 级：适合所有人",
    2: "最高 PG 级：儿童须家长陪同",
    3: "最高 PG-13 级：13 岁以上",
    4: "最高 R 级：仅限成人",
  },
  fieldKinds: {
    1: "短文本",
    2: "长文本",
    3: "选项列表",
    4: "日期",
    5: "链接",
    6: "成员",
    7: "外部账号",
    8: "人称代词",
  },
};
