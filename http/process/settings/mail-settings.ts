/** Settings of mail, both ways. */
import { checkMailPattern } from "../../../actors/email/mail-address.ts";
import { readSender, readSmtpUrl } from "../../../actors/email/smtp.ts";
import { readMailListen } from "../../mail-in/mail-in-settings.ts";
import { checked, integer, row, setting, textLike } from "./setting.ts";

export const mailSettings = {
  ...row(
    "The mail server that takes emails: `smtp://user:password@mail.example.com:587`, or `smtps://` for " +
      "TLS from the first byte. A password is only told over TLS, but on this machine. Without it nothing " +
      "is sent: invitations answer with their links, and who forgets their password needs an administrator",
    { smtpUrl: setting("PARLEY_SMTP_URL", checked(readSmtpUrl)) },
  ),
  ...row("Whom emails are from: `chat@example.com`, or `Chat <chat@example.com>`", {
    mailFrom: setting("PARLEY_MAIL_FROM", checked(readSender), undefined, "none, needed with `PARLEY_SMTP_URL`"),
  }),
  mailIn: {
    ...row(
      "Addresses by which mail becomes messages, with `%s` in it: `%s@chat.example.com`, or " +
        "`chat+%s@example.com` ([Mail](mail-and-calls.md)). Without it channels have no address, and nobody reads answers " +
        "to emails",
      { pattern: setting("PARLEY_MAIL_IN_ADDRESS", checked(checkMailPattern)) },
    ),
    ...row(
      "Where this node takes that mail from your mail server: `lmtp://127.0.0.1:2424`, or `smtp://`. Whoever " +
        "reaches it is believed, so put it where only the mail server does",
      { listen: setting("PARLEY_MAIL_IN_LISTEN", checked(readMailListen)) },
    ),
    ...row(
      "The name of your mail server in the `Authentication-Results` that it adds. With it answers count only " +
        "where SPF, DKIM or DMARC passed for the sender's domain, and mail that fails is refused",
      {
        authserv: setting(
          "PARLEY_MAIL_IN_AUTHSERV",
          textLike((given) => /^[\w.-]{1,255}$/.test(given), "a name like mx.example.com"),
        ),
      },
    ),
    ...row("MiB that one mail may have", { maxMib: setting("PARLEY_MAIL_IN_MAX_MIB", integer(1, 100), 25) }),
  },
} as const;
