/** Passkeys of this browser, in the JSON that the server speaks. */

/** What the server asks of the browser. */
export interface PasskeyQuestion<Options> {
  options: Options;
  challenge: string;
}

/** Whether this browser has passkeys, at this address. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === "function" && "parseCreationOptionsFromJSON" in PublicKeyCredential;

/** What the server is answered; undefined when the person, or the browser, does not want to. */
async function answered(
  { challenge }: PasskeyQuestion<unknown>,
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

export const makePasskey = (question: PasskeyQuestion<PublicKeyCredentialCreationOptionsJSON>) =>
  answered(question, () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(question.options);
    return navigator.credentials.create({ publicKey });
  });

export const showPasskey = (question: PasskeyQuestion<PublicKeyCredentialRequestOptionsJSON>) =>
  answered(question, () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(question.options);
    return navigator.credentials.get({ publicKey });
  });
