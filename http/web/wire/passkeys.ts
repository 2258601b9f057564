/** Passkeys of this browser, in the JSON that the server speaks. */

/** What the server asks of the browser. */
export interface PasskeyQuestion {
  options: unknown;
  challenge: string;
}

/** Whether this browser has passkeys, at this address. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === "function" && "parseCreationOptionsFromJSON" in PublicKeyCredential;

/** What the server is answered; undefined when the person, or the browser, does not want to. */
async function answered(
  { challenge }: PasskeyQuestion,
  ask: () => Promise<Credential | null>,
): Promise<{ challenge: string; credential: string } | undefined> {
  try {
    const credential = await ask();
    return credential ? { challenge, credential: JSON.stringify(credential) } : undefined;
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

export const makePasskey = (question: PasskeyQuestion) =>
  answered(question, () => {
    const options = question.options as PublicKeyCredentialCreationOptionsJSON;
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
  });

export const showPasskey = (question: PasskeyQuestion) =>
  answered(question, () => {
    const options = question.options as PublicKeyCredentialRequestOptionsJSON;
    return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  });
