/** What pages say of refusals in Japanese. */
import type { Refusals } from "./en.ts";

export const refusals: Refusals = {
  notFromSite: "このフォームはこのサイトから送信されたものではありません。",
  wrongPassword: "ユーザー名またはパスワードが正しくありません。",
  deactivated: "アカウントは無効です。",
  otherNetwork: "この組織には、組織のネットワークからのみログインできます。",
  sendsNoEmail: "このサーバーはメールを送信しません。運営者に相談してください。",
  tookTooLong: "時間がかかりすぎたか、変更がありました。もう一度ログインしてください。",
  tookTooLongOrDone: "時間がかかりすぎたか、すでに完了しています。もう一度ログインしてください。",
  linkIsOver: "このリンクはもう無効です。",
  invitationIsOver: "この招待はもう無効です。",
  confirmFirst: "先にアドレスを確認してください。",
  passwordLength: (least, most) => `パスワードは ${least} ～ ${most} 文字にしてください。`,
  passwordEasy: "パスワードが推測されやすすぎます。",
  passwordNames: "パスワードが名前やアドレス、組織の名前とほとんど同じです。",
  nameShort: "名前が短すぎます。",
  nameLong: "名前が長すぎます。",
  nameCharacters: "名前に使えない文字があります。",
  nameFormat: "この形式の名前は使えません。",
  nameTaken: "この組織では同じ名前を使えません。",
  addressInvalid: "アドレスが正しくありません。",
  addressInUse: (email) => `${email} はすでに使われています。`,
  addressPlus: "+ を含むアドレスは使えません。",
  addressDomain: (domain) => `アドレスのドメイン ${domain} はこの組織では使えません。`,
  addressDisposable: "本来のメールアドレスを使ってください。",
  addressUnconfirmed:
    "この組織では特定のドメインのアドレスだけが使えますが、このサーバーは確認メールを送信しません。管理者にアドレスの招待を頼んでください。",
  wrongCode: "コードが違うか、すでに使われています。",
  otherCode: "アプリに今表示されているコードではありません。",
  nothingSetUp: "設定中のものがありません。最初からやり直してください。",
  challengeOver: "この要求は期限切れか使用済みです。最初からやり直してください。",
  otherPasskey: "あなたのパスキーの応答ではありません。",
  passkeyRegistered: "このパスキーはすでに登録されています。",
  passkeyBlocked:
    "このパスキーはブロックされています。誰かが複製を持っているようです。別の方法でログインして削除してください。",
  noProvider: "そのプロバイダーではログインできません。",
  staleLogIn: (provider) =>
    `${provider} でのこのログインはここで始まっていないか、終了しています。もう一度始めてください。`,
  notLoggedIn: (provider, reason) => `${provider} でログインできませんでした: ${reason}。`,
  invalidAnswer: (provider) =>
    `${provider} の応答が正しくないため、ログインできませんでした。もう一度試すか、サーバーの運営者に知らせてください。`,
  didNotSay: (provider) => `${provider} から利用者の情報が届きませんでした。`,
  unavailable: (provider, reason) =>
    `現在 ${provider} に問い合わせできません: ${reason}。別の方法で、または後でログインしてください。`,
  notLinked: "このログインと連携したアカウントがありません。",
  nobodyWaits: "この連携を待っている人はいません。",
  linkedAlready: "このログインはすでにアカウントと連携しています。",
  nobodyToMail: "リンクの送り先がありません。",
  callElsewhere: "この通話リンクはここで作られたものではありません。",
  callStale: (service) => `これはここで始まっていません。${service} の通話をもう一度始めてください。`,
  noService: (service) => `${service} は設定されていません。`,
};
