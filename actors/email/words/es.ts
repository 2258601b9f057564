/** What emails and notifications say in Spanish. */
import type { Translated } from "../../text/languages.ts";
import type { words as english } from "./en.ts";

export const words: Translated<typeof english> = {
  invitationSubject: (name, realm) => `${name} te invita a ${realm}`,
  invitation: (name, email, realm) =>
    `${name} (${email}) te invita a ${realm}, donde conversan las personas de una organización.`,
  join: "Unirse",
  invitationUntil: (time) => `La invitación vale hasta el ${time}.`,
  unexpected: "Si no esperabas esto, no hagas nada: no se crea ninguna cuenta si no la creas tú.",
  joinSubject: (realm) => `Unirse a ${realm}`,
  joinAsked: (realm) =>
    `Alguien, seguramente tú, quiere unirse a ${realm} con esta dirección. Crea tu cuenta aquí, en el plazo de un día:`,
  joinOnce: "El enlace sirve una vez. Si ya tienes una cuenta, inicia sesión con ella. Si no fuiste tú, no hagas nada.",
  makeAccount: "Crear tu cuenta",
  welcomeSubject: (realm) => `Te damos la bienvenida a ${realm}`,
  welcome: (realm, email) => `Ahora tienes una cuenta en ${realm}, con la dirección ${email}.`,
  confirmWelcome: "Confirma que esta dirección es tuya para que se te pueda escribir.",
  open: (realm) => `Abrir ${realm}`,
  applications: (url) =>
    `Las aplicaciones para Zulip también funcionan: dales la dirección ${url} e inicia sesión con tu correo.`,
  notYours: "Si no fuiste tú, alguien dio tu dirección como suya: no hagas nada y no recibirás nada más.",
  passwordSubject: (realm) => `Una contraseña nueva para ${realm}`,
  passwordAsked: (realm) =>
    `Alguien, seguramente tú, pidió una contraseña nueva para tu cuenta en ${realm}. Elígela aquí, en el plazo de un día:`,
  passwordAskedBy: (name, realm) =>
    `${name}, de la administración, pidió una contraseña nueva para tu cuenta en ${realm}. Elígela aquí, en el plazo de un día:`,
  passwordOnce: "El enlace sirve una vez. Si no lo necesitas, no hagas nada: tu contraseña sigue igual.",
  choosePassword: "Elegir una contraseña nueva",
  accountSubject: (realm) => `Tu cuenta en ${realm}`,
  accountMade: (realm) =>
    `Se creó una cuenta para ti en ${realm}, donde conversan las personas de una organización. Elige aquí una contraseña:`,
  accountOnce: (url, email) =>
    `El enlace sirve una vez, en el plazo de un día. Después, pide otro en ${url}, con «¿Olvidaste tu contraseña?». Inicias sesión con ${email}.`,
  accountApplications: (url) => `Las aplicaciones para Zulip también funcionan: dales la dirección ${url}.`,
  knowNobody: "Si no conoces a nadie allí, no hagas nada.",
  deactivatedSubject: (realm) => `Tu cuenta en ${realm} se ha desactivado`,
  deactivated: (name, realm) =>
    `${name} ha desactivado tu cuenta en ${realm}. Se ha cerrado tu sesión en todas partes.`,
  says: (name, comment) => `${name} dice:\n${comment}`,
  askIfMistake: "Si es un error, pregunta a un administrador de tu organización.",
  passwordChangedSubject: (realm) => `Tu contraseña de ${realm} ha cambiado`,
  passwordChanged: (realm) =>
    `Tu cuenta en ${realm} tiene una contraseña nueva, elegida con un enlace que se envió a esta dirección.`,
  loggedOutAll:
    "Se cerró la sesión en todos los navegadores. Si no fuiste tú, pide ayuda enseguida a un administrador de tu organización.",
  notYou: "Si no fuiste tú, pide ayuda enseguida a un administrador de tu organización.",
  factorOnSubject: (realm) => `Tu segundo factor para ${realm} está activado`,
  factorOffSubject: (realm) => `Tu segundo factor para ${realm} está desactivado`,
  factorOn: (realm) => `Iniciar sesión en tu cuenta de ${realm} pide desde ahora un código además de la contraseña.`,
  factorOff: (realm) => `Iniciar sesión en tu cuenta de ${realm} vuelve a pedir solo la contraseña.`,
  logInSubject: (realm) => `Tu inicio de sesión en ${realm} ha cambiado`,
  totpAdded: "Se añadió una aplicación de autenticación a tu cuenta.",
  totpRemoved: "Se quitó una aplicación de autenticación de tu cuenta.",
  passkeyAdded: (name) => `Se añadió a tu cuenta la llave de acceso «${name}».`,
  passkeyRemoved: (name) => `Se quitó de tu cuenta la llave de acceso «${name}».`,
  passkeyBlocked: (name) =>
    `La llave de acceso «${name}» de tu cuenta está bloqueada. Parece que alguien tiene una copia. Inicia sesión de otra forma y quítala.`,
  confirmAddressSubject: (realm) => `Confirma tu nueva dirección para ${realm}`,
  confirmAddress: (name, realm) => `${name} quiere que esta sea la dirección de su cuenta en ${realm}. Si eres tú:`,
  confirmOnce: "El enlace sirve una vez, en el plazo de un día. Si no eres tú, no hagas nada.",
  confirmButton: "Confirmar esta dirección",
  addressAskedSubject: (realm) => `Tu dirección para ${realm} está a punto de cambiar`,
  addressAsked: (realm, email) =>
    `Alguien con tu sesión iniciada quiere que tu cuenta en ${realm} tenga la dirección ${email}.`,
  addressAskedHint: "Cambia cuando se confirme esa dirección. Si no fuiste tú, cambia tu contraseña enseguida.",
  addressChangedSubject: (realm) => `Tu dirección para ${realm} ha cambiado`,
  addressChanged: (realm, from, to) =>
    `Tu cuenta en ${realm} tenía la dirección ${from} y ahora tiene ${to}. Inicia sesión con esta.`,
  identitySubject: (provider, realm) => `Vincular ${provider} con tu cuenta en ${realm}`,
  identity: (provider, realm) =>
    `Alguien, seguramente tú, quiere entrar en tu cuenta de ${realm} con ${provider}. Permítelo aquí, en el plazo de un día:`,
  identityOnce: "El enlace sirve una vez. Si no fuiste tú, no hagas nada: nadie entra en tu cuenta.",
  linkIdentity: "Vincularlo con mi cuenta",
  linkedSubject: (provider, realm) => `Inicias sesión en ${realm} con ${provider}`,
  linked: (provider, realm) =>
    `Tu cuenta en ${realm} está vinculada con una de ${provider}: quien tenga esa puede entrar.`,
  deviceSubject: (realm) => `Un nuevo inicio de sesión en ${realm}`,
  device: (realm) => `Se inició sesión en tu cuenta de ${realm} con algo que no se había usado antes para ella.`,
  deviceDetails: (time, program, address) => `Cuándo: ${time}\nCon: ${program}\nDesde: ${address}`,
  unknownProgram: "un programa desconocido",
  deviceHint: "Si fuiste tú, todo va bien. Si no, cambia tu contraseña enseguida: así se cierran las demás sesiones.",
  unsubscribe: "No recibir más correos como este",
  missedOne: "Te perdiste un mensaje",
  missed: (n) => `Te perdiste ${n} mensajes`,
  notSent: "El contenido de los mensajes no se envía por correo.",
  olderOnes: (n) => `Mensajes anteriores que no se muestran aquí: ${n}.`,
  noAnswers: "Nadie lee las respuestas a este correo: escribe en la conversación.",
  answers: "Lo que respondas a este correo, desde esta dirección, se publica en la conversación.",
  andOthers: (names) => `${names} y otros`,
  spoiler: "(un mensaje con spoiler)",
  unknownUser: "Persona desconocida",
  directMessages: (names) => `Mensajes directos con ${names}`,
  andMore: (names, n) => `${names} y ${n} más`,
  digestSubject: (realm) => `Lo que te has perdido en ${realm}`,
  digestMore: (n) => `Más conversaciones con novedades: ${n}`,
  digestHidden: (conversations) => `Hay novedades en ${conversations} de tus canales.`,
  digestBy: (messages, people) => `${messages} de ${people}`,
  digestFooter: "Recibes esto una vez por semana mientras no estás.",
  oneConversation: "una conversación",
  conversations: (n) => `${n} conversaciones`,
  oneMessage: "un mensaje",
  messages: (n) => `${n} mensajes`,
  onePerson: "una persona",
  people: (n) => `${n} personas`,
  newMessage: "Mensaje nuevo",
  newDirectMessage: "Mensaje directo nuevo",
};
