/** What emails and notifications say in Japanese. */
import type { Translated } from "../../text/languages.ts";
import type { words as english } from "./en.ts";

export const words: Translated<typeof english> = {
  invitationSubject: (name, realm) => `${name} さんから ${realm} への招待`,
  invitation: (name, email, realm) => `${name} さん (${email}) が、組織のチャット ${realm} にあなたを招待しました。`,
  join: "参加する",
  invitationUntil: (time) => `招待の有効期限は ${time} です。`,
  unexpected: "心当たりがない場合は何もしないでください。あなたが作らない限り、アカウントは作られません。",
  joinSubject: (realm) => `${realm} に参加`,
  joinAsked: (realm) =>
    `このアドレスで ${realm} への参加が申し込まれました (おそらくあなたです)。1 日以内にここでアカウントを作成してください:`,
  joinOnce:
    "リンクは 1 回だけ使えます。すでにアカウントがある場合はログインしてください。心当たりがない場合は何もしないでください。",
  makeAccount: "アカウントを作成",
  welcomeSubject: (realm) => `${realm} へようこそ`,
  welcome: (realm, email) => `${realm} に ${email} のアカウントができました。`,
  confirmWelcome: "連絡を受け取れるように、このアドレスがあなたのものであることを確認してください。",
  open: (realm) => `${realm} を開く`,
  applications: (url) => `Zulip 用のアプリも使えます。アドレス ${url} を指定し、メールアドレスでログインしてください。`,
  notYours: "心当たりがない場合は、誰かがあなたのアドレスを入力しました。何もしなければ、以後のメールは届きません。",
  passwordSubject: (realm) => `${realm} の新しいパスワード`,
  passwordAsked: (realm) =>
    `${realm} のアカウントの新しいパスワードが申し込まれました (おそらくあなたです)。1 日以内にここで設定してください:`,
  passwordAskedBy: (name, realm) =>
    `管理者の ${name} さんが、${realm} のあなたのアカウントの新しいパスワードを申し込みました。1 日以内にここで設定してください:`,
  passwordOnce: "リンクは 1 回だけ使えます。不要な場合は何もしないでください。パスワードは変わりません。",
  choosePassword: "新しいパスワードを設定",
  accountSubject: (realm) => `${realm} のアカウント`,
  accountMade: (realm) =>
    `組織のチャット ${realm} にあなたのアカウントが作成されました。ここでパスワードを設定してください:`,
  accountOnce: (url, email) =>
    `リンクは 1 日以内に 1 回だけ使えます。その後は ${url} の「パスワードをお忘れですか?」から申し込めます。ログインには ${email} を使います。`,
  accountApplications: (url) => `Zulip 用のアプリも使えます。アドレス ${url} を指定してください。`,
  knowNobody: "心当たりがない場合は何もしないでください。",
  deactivatedSubject: (realm) => `${realm} のアカウントが無効になりました`,
  deactivated: (name, realm) =>
    `${name} さんが ${realm} のあなたのアカウントを無効にしました。すべての場所からログアウトしました。`,
  says: (name, comment) => `${name} さんからのメッセージ:\n${comment}`,
  askIfMistake: "間違いと思われる場合は、組織の管理者に問い合わせてください。",
  passwordChangedSubject: (realm) => `${realm} のパスワードが変更されました`,
  passwordChanged: (realm) =>
    `${realm} のアカウントに新しいパスワードが設定されました。このアドレスに送られたリンクからの変更です。`,
  loggedOutAll: "すべてのブラウザがログアウトしました。心当たりがない場合は、すぐに組織の管理者に相談してください。",
  notYou: "心当たりがない場合は、すぐに組織の管理者に相談してください。",
  factorOnSubject: (realm) => `${realm} の二段階認証がオンになりました`,
  factorOffSubject: (realm) => `${realm} の二段階認証がオフになりました`,
  factorOn: (realm) => `${realm} へのログインには、パスワードに加えてコードが必要になりました。`,
  factorOff: (realm) => `${realm} へのログインは、パスワードだけでできるようになりました。`,
  logInSubject: (realm) => `${realm} へのログイン方法が変わりました`,
  totpAdded: "アカウントに認証アプリが追加されました。",
  totpRemoved: "アカウントから認証アプリが削除されました。",
  passkeyAdded: (name) => `アカウントにパスキー「${name}」が追加されました。`,
  passkeyRemoved: (name) => `アカウントからパスキー「${name}」が削除されました。`,
  passkeyBlocked: (name) =>
    `アカウントのパスキー「${name}」がブロックされました。複製された可能性があります。別の方法でログインし、削除してください。`,
  confirmAddressSubject: (realm) => `${realm} の新しいアドレスの確認`,
  confirmAddress: (name, realm) =>
    `${name} さんが、${realm} のアカウントのアドレスをこのアドレスにしようとしています。あなたの場合は:`,
  confirmOnce: "リンクは 1 日以内に 1 回だけ使えます。あなたでない場合は何もしないでください。",
  confirmButton: "このアドレスを確認",
  addressAskedSubject: (realm) => `${realm} のアドレスが変更されようとしています`,
  addressAsked: (realm, email) =>
    `あなたとしてログインしている人が、${realm} のアカウントのアドレスを ${email} にしようとしています。`,
  addressAskedHint:
    "そのアドレスが確認されると変更されます。心当たりがない場合は、すぐにパスワードを変更してください。",
  addressChangedSubject: (realm) => `${realm} のアドレスが変更されました`,
  addressChanged: (realm, from, to) =>
    `${realm} のアカウントのアドレスが ${from} から ${to} に変わりました。今後はこちらでログインしてください。`,
  identitySubject: (provider, realm) => `${provider} を ${realm} のアカウントと連携`,
  identity: (provider, realm) =>
    `${provider} で ${realm} のアカウントにログインしようとしています (おそらくあなたです)。1 日以内にここで許可してください:`,
  identityOnce: "リンクは 1 回だけ使えます。心当たりがない場合は何もしないでください。誰もアカウントに入れません。",
  linkIdentity: "自分のアカウントと連携する",
  linkedSubject: (provider, realm) => `${realm} に ${provider} でログインできます`,
  linked: (provider, realm) =>
    `${realm} のアカウントは ${provider} のログインと連携されています。それを持つ人はログインできます。`,
  deviceSubject: (realm) => `${realm} への新しいログイン`,
  device: (realm) => `${realm} のアカウントに、これまで使われていない環境からログインがありました。`,
  deviceDetails: (time, program, address) => `日時: ${time}\n環境: ${program}\nアドレス: ${address}`,
  programOn: (program, system) => `${system} の ${program}`,
  unknownProgram: "不明なプログラム",
  deviceHint:
    "あなたの場合は問題ありません。そうでない場合は、すぐにパスワードを変更してください。ほかの全員がログアウトします。",
  unsubscribe: "このようなメールを受け取らない",
  missedOne: "1 件のメッセージを見逃しています",
  missed: (n) => `${n} 件のメッセージを見逃しています`,
  notSent: "メッセージの内容はメールでは送られません。",
  olderOnes: (n) => `これより古い ${n} 件はここに表示されていません。`,
  noAnswers: "このメールへの返信は誰にも読まれません。会話に書き込んでください。",
  answers: "このアドレスからこのメールに返信すると、会話に投稿されます。",
  andOthers: (names) => `${names} ほか`,
  spoiler: "(ネタバレを含むメッセージ)",
  unknownUser: "不明なユーザー",
  directMessages: (names) => `${names} とのダイレクトメッセージ`,
  andMore: (names, n) => `${names} ほか ${n} 人`,
  digestSubject: (realm) => `${realm} で見逃したこと`,
  digestMore: (n) => `ほかに新着のある会話: ${n} 件`,
  digestHidden: (conversations) => `あなたのチャンネルの${conversations}に新着があります。`,
  digestBy: (messages, people) => `${people}から${messages}`,
  digestFooter: "ご不在の間、週に 1 回お届けします。",
  oneConversation: "会話 1 件",
  conversations: (n) => `会話 ${n} 件`,
  oneMessage: "メッセージ 1 件",
  messages: (n) => `メッセージ ${n} 件`,
  onePerson: "1 人",
  people: (n) => `${n} 人`,
  newMessage: "新しいメッセージ",
  newDirectMessage: "新しいダイレクトメッセージ",
};
