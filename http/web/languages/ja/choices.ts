/** What settings offer to choose from, in Japanese. */
import type { choices as english } from "../en/choices.ts";
import type { Translated } from "../translated.ts";

export const choices: Translated<typeof english> = {
  colorScheme: "配色",
  highContrast: "ハイコントラスト",
  schemes: { 1: "システムに合わせる", 2: "ダーク", 3: "ライト" },
  fontSize: "文字サイズ",
  density: "メッセージの間隔",
  densities: { compact: "コンパクト", usual: "標準", roomy: "ゆったり" },
  atAnyTime: "いつでも",
  listStyle: "メンバーの一覧",
  listStyles: {
    1: "名前のみ",
    2: "写真付き",
    3: "写真とステータス付き",
  },
  markingRead: "表示したメッセージを既読にする",
  markingReads: { 1: "常に", 2: "会話の中でのみ", 3: "しない" },
  animation: "アニメーション画像を動かす",
  animations: { always: "常に", on_hover: "マウスを重ねたとき", never: "開いたときだけ" },
  inactiveLast: "動きのないチャンネルを最後に表示する",
  inactiveLastChoices: { 1: "参加チャンネルが多いとき", 2: "常に", 3: "しない" },
  emojiset: "メッセージの絵文字",
  emojisets: {
    google: "画像で表示",
    text: "名前で表示（例 :tada:）",
  },
  gifRating: "ここで検索できる GIF",
  gifRatings: {
    0: "なし",
    1: "G：全年齢向け",
    2: "PG まで：保護者の指導が必要",
    3: "PG-13 まで：13 歳以上",
    4: "R まで：成人向け",
  },
  fieldKinds: {
    1: "短いテキスト",
    2: "長いテキスト",
    3: "選択肢",
    4: "日付",
    5: "リンク",
    6: "メンバー",
    7: "外部アカウント",
    8: "代名詞",
  },
};
