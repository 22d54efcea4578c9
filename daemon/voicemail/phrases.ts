/** What callers hear of a mailbox, in the languages that the box has words for. */

export interface MailboxPhrases {
  /** BCP 47. */
  readonly language: string
  readonly greeting: (owner: string) => string
  readonly afterTone: string
  readonly saved: string
  readonly goodbye: string
  /** The disk has no room for a message. */
  readonly full: string
  readonly notRecorded: string
}

const phrases: Readonly<Record<string, Omit<MailboxPhrases, 'language'>>> = {
  en: {
    greeting: (owner) => `${owner} cannot take your call. Please leave a message after the tone.`,
    afterTone: 'Please leave a message after the tone.',
    saved: 'Your message was saved.',
    goodbye: 'Goodbye.',
    full: 'We are sorry, no messages can be taken at the moment. Please call again later. Goodbye.',
    notRecorded: 'We are sorry, your message could not be recorded. Please call again later. Goodbye.',
  },
  de: {
    greeting: (owner) => `${owner} kann Ihren Anruf nicht annehmen. Bitte hinterlassen Sie eine Nachricht nach dem Ton.`,
    afterTone: 'Bitte hinterlassen Sie eine Nachricht nach dem Ton.',
    saved: 'Ihre Nachricht wurde gespeichert.',
    goodbye: 'Auf Wiederhören.',
    full: 'Zurzeit können leider keine Nachrichten angenommen werden. Bitte rufen Sie später noch einmal an. Auf Wiederhören.',
    notRecorded: 'Ihre Nachricht konnte leider nicht aufgenommen werden. Bitte rufen Sie später noch einmal an. Auf Wiederhören.',
  },
  es: {
    greeting: (owner) => `${owner} no puede atender su llamada. Deje un mensaje después de la señal.`,
    afterTone: 'Deje un mensaje después de la señal.',
    saved: 'Su mensaje se ha guardado.',
    goodbye: 'Adiós.',
    full: 'Lo sentimos, en este momento no se pueden dejar mensajes. Llame de nuevo más tarde. Adiós.',
    notRecorded: 'Lo sentimos, no se ha podido grabar su mensaje. Llame de nuevo más tarde. Adiós.',
  },
  fr: {
    greeting: (owner) => `${owner} ne peut pas prendre votre appel. Veuillez laisser un message après le bip.`,
    afterTone: 'Veuillez laisser un message après le bip.',
    saved: 'Votre message a été enregistré.',
    goodbye: 'Au revoir.',
    full: 'Nous sommes désolés, aucun message ne peut être pris pour le moment. Veuillez rappeler plus tard. Au revoir.',
    notRecorded: 'Nous sommes désolés, votre message n’a pas pu être enregistré. Veuillez rappeler plus tard. Au revoir.',
  },
}

/** In the language of the site (BCP 47), else in English. */
export function mailboxPhrasesIn(language: string): MailboxPhrases {
  const own = phrases[language.toLowerCase().split('-')[0]!]
  return own === undefined ? { ...phrases['en']!, language: 'en-US' } : { ...own, language }
}
