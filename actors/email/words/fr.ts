/** What emails and notifications say in French. */
import type { Translated } from "../../text/languages.ts";
import type { words as english } from "./en.ts";

export const words: Translated<typeof english> = {
  invitationSubject: (name, realm) => `${name} vous invite sur ${realm}`,
  invitation: (name, email, realm) =>
    `${name} (${email}) vous invite sur ${realm}, où discutent les personnes d’une organisation.`,
  join: "Rejoindre",
  invitationUntil: (time) => `L’invitation est valable jusqu’au ${time}.`,
  unexpected: "Si vous n’attendiez pas ce message, ne faites rien : aucun compte n’est créé sans vous.",
  joinSubject: (realm) => `Rejoindre ${realm}`,
  joinAsked: (realm) =>
    `Quelqu’un, sans doute vous, veut rejoindre ${realm} avec cette adresse. Créez votre compte ici, dans la journée :`,
  joinOnce:
    "Le lien sert une fois. Si vous avez déjà un compte, connectez-vous. Si ce n’était pas vous, ne faites rien.",
  makeAccount: "Créer votre compte",
  welcomeSubject: (realm) => `Bienvenue sur ${realm}`,
  welcome: (realm, email) => `Vous avez maintenant un compte sur ${realm}, avec l’adresse ${email}.`,
  confirmWelcome: "Confirmez que cette adresse est la vôtre, pour que l’on puisse vous y joindre.",
  open: (realm) => `Ouvrir ${realm}`,
  applications: (url) =>
    `Les applications pour Zulip fonctionnent aussi : donnez-leur l’adresse ${url} et connectez-vous avec votre adresse e-mail.`,
  notYours: "Si ce n’était pas vous, quelqu’un a donné votre adresse : ne faites rien, et vous ne recevrez plus rien.",
  passwordSubject: (realm) => `Un nouveau mot de passe pour ${realm}`,
  passwordAsked: (realm) =>
    `Quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour votre compte sur ${realm}. Choisissez-le ici, dans la journée :`,
  passwordAskedBy: (name, realm) =>
    `${name}, de l’administration, a demandé un nouveau mot de passe pour votre compte sur ${realm}. Choisissez-le ici, dans la journée :`,
  passwordOnce:
    "Le lien sert une fois. Si vous n’en avez pas besoin, ne faites rien : votre mot de passe ne change pas.",
  choosePassword: "Choisir un nouveau mot de passe",
  accountSubject: (realm) => `Votre compte sur ${realm}`,
  accountMade: (realm) =>
    `Un compte a été créé pour vous sur ${realm}, où discutent les personnes d’une organisation. Choisissez un mot de passe ici :`,
  accountOnce: (url, email) =>
    `Le lien sert une fois, dans la journée. Ensuite, demandez-en un autre sur ${url}, par « Mot de passe oublié ? ». Vous vous connectez avec ${email}.`,
  accountApplications: (url) => `Les applications pour Zulip fonctionnent aussi : donnez-leur l’adresse ${url}.`,
  knowNobody: "Si vous n’y connaissez personne, ne faites rien.",
  deactivatedSubject: (realm) => `Votre compte sur ${realm} a été désactivé`,
  deactivated: (name, realm) => `${name} a désactivé votre compte sur ${realm}. Vous êtes déconnecté partout.`,
  says: (name, comment) => `${name} écrit :\n${comment}`,
  askIfMistake: "Si c’est une erreur, demandez à un administrateur de votre organisation.",
  passwordChangedSubject: (realm) => `Votre mot de passe pour ${realm} a changé`,
  passwordChanged: (realm) =>
    `Votre compte sur ${realm} a un nouveau mot de passe, choisi par un lien envoyé à cette adresse.`,
  loggedOutAll:
    "Tous les navigateurs ont été déconnectés. Si ce n’était pas vous, demandez tout de suite de l’aide à un administrateur de votre organisation.",
  notYou: "Si ce n’était pas vous, demandez tout de suite de l’aide à un administrateur de votre organisation.",
  factorOnSubject: (realm) => `Votre second facteur pour ${realm} est activé`,
  factorOffSubject: (realm) => `Votre second facteur pour ${realm} est désactivé`,
  factorOn: (realm) => `La connexion à votre compte sur ${realm} demande désormais un code en plus du mot de passe.`,
  factorOff: (realm) => `La connexion à votre compte sur ${realm} ne demande plus que le mot de passe.`,
  logInSubject: (realm) => `Votre connexion à ${realm} a changé`,
  totpAdded: "Une application d’authentification a été ajoutée à votre compte.",
  totpRemoved: "Une application d’authentification a été retirée de votre compte.",
  passkeyAdded: (name) => `La clé d’accès « ${name} » a été ajoutée à votre compte.`,
  passkeyRemoved: (name) => `La clé d’accès « ${name} » a été retirée de votre compte.`,
  passkeyBlocked: (name) =>
    `La clé d’accès « ${name} » de votre compte est bloquée. Quelqu’un en a utilisé une copie : connectez-vous autrement et retirez-la.`,
  confirmAddressSubject: (realm) => `Confirmez votre nouvelle adresse pour ${realm}`,
  confirmAddress: (name, realm) => `${name} veut cette adresse pour son compte sur ${realm}. Si c’est vous :`,
  confirmOnce: "Le lien sert une fois, dans la journée. Si ce n’est pas vous, ne faites rien.",
  confirmButton: "Confirmer cette adresse",
  addressAskedSubject: (realm) => `Votre adresse pour ${realm} va changer`,
  addressAsked: (realm, email) =>
    `Quelqu’un qui est connecté à votre compte sur ${realm} veut lui donner l’adresse ${email}.`,
  addressAskedHint:
    "Elle change quand cette adresse est confirmée. Si ce n’était pas vous, changez tout de suite votre mot de passe.",
  addressChangedSubject: (realm) => `Votre adresse pour ${realm} a changé`,
  addressChanged: (realm, from, to) =>
    `Votre compte sur ${realm} avait l’adresse ${from} et a maintenant ${to}. Connectez-vous avec celle-ci.`,
  identitySubject: (provider, realm) => `Associer ${provider} à votre compte sur ${realm}`,
  identity: (provider, realm) =>
    `Quelqu’un, sans doute vous, veut se connecter à votre compte sur ${realm} par ${provider}. Autorisez-le ici, dans la journée :`,
  identityOnce: "Le lien sert une fois. Si ce n’était pas vous, ne faites rien : personne n’entre dans votre compte.",
  linkIdentity: "L’associer à mon compte",
  linkedSubject: (provider, realm) => `Vous vous connectez à ${realm} par ${provider}`,
  linked: (provider, realm) =>
    `Votre compte sur ${realm} est associé à un compte chez ${provider} : qui a celui-ci peut entrer.`,
  deviceSubject: (realm) => `Une nouvelle connexion à ${realm}`,
  device: (realm) => `Quelque chose qui n’avait pas encore servi s’est connecté à votre compte sur ${realm}.`,
  deviceDetails: (time, program, address) => `Quand : ${time}\nAvec : ${program}\nDepuis : ${address}`,
  programOn: (program, system) => `${program} sur ${system}`,
  unknownProgram: "un programme inconnu",
  deviceHint:
    "Si c’était vous, tout va bien. Sinon, changez tout de suite votre mot de passe : cela déconnecte tous les autres.",
  unsubscribe: "Ne plus recevoir ces e-mails",
  missedOne: "Vous avez manqué un message",
  missed: (n) => `Vous avez manqué ${n} messages`,
  notSent: "Le contenu des messages n’est pas envoyé par e-mail.",
  olderOnes: (n) => `Messages plus anciens, non affichés ici : ${n}.`,
  noAnswers: "Personne ne lit les réponses à cet e-mail : écrivez dans la conversation.",
  answers: "Ce que vous répondez à cet e-mail, depuis cette adresse, est publié dans la conversation.",
  andOthers: (names) => `${names} et d’autres`,
  spoiler: "(un message avec un spoiler)",
  unknownUser: "Personne inconnue",
  directMessages: (names) => `Messages directs avec ${names}`,
  andMore: (names, n) => `${names} et ${n} autres`,
  digestSubject: (realm) => `Ce que vous avez manqué sur ${realm}`,
  digestMore: (n) => `Autres conversations avec du nouveau : ${n}`,
  digestHidden: (conversations) => `Il y a du nouveau dans ${conversations} de vos canaux.`,
  digestBy: (messages, people) => `${messages}, par ${people}`,
  digestFooter: "Vous recevez ceci une fois par semaine pendant votre absence.",
  oneConversation: "une conversation",
  conversations: (n) => `${n} conversations`,
  oneMessage: "un message",
  messages: (n) => `${n} messages`,
  onePerson: "une personne",
  people: (n) => `${n} personnes`,
  newMessage: "Nouveau message",
  newDirectMessage: "Nouveau message direct",
};
