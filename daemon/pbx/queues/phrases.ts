/** What callers of a queue hear, in the languages that the box has words for. */

export interface QueuePhrases {
  /** BCP 47. */
  readonly language: string
  /** How many are served before. */
  readonly position: (before: number) => string
  readonly wait: (minutes: number) => string
  readonly leave: (key: string) => string
  readonly callBack: (key: string) => string
  /** Before the call ends. */
  readonly willCall: string
  /** To who is called back, or to a machine there. */
  readonly back: (site: string) => string
}

const names: Readonly<Record<'en' | 'de' | 'es' | 'fr', Readonly<Record<string, string>>>> = {
  en: { '*': 'star', '#': 'pound' },
  de: { '*': 'Stern', '#': 'Raute' },
  es: { '*': 'asterisco', '#': 'almohadilla' },
  fr: { '*': 'étoile', '#': 'dièse' },
}

const phrases: Readonly<Record<string, QueuePhrases>> = {
  en: {
    language: 'en-US',
    position: (before) =>
      before === 0 ? 'You are next.' : before === 1 ? 'One caller is before you.' : `${before} callers are before you.`,
    wait: (minutes) => (minutes === 1 ? 'You will wait about one minute.' : `You will wait about ${minutes} minutes.`),
    leave: (key) => `If you do not want to wait, press ${names.en[key] ?? key}.`,
    callBack: (key) => `To be called back and keep your place, press ${names.en[key] ?? key}.`,
    willCall: 'We will call you back when it is your turn. Goodbye.',
    back: (site) => `This is ${site || 'your call-back'}. To talk to us, press 1.`,
  },
  de: {
    language: 'de-DE',
    position: (before) =>
      before === 0 ? 'Sie sind als Nächstes dran.' : before === 1 ? 'Vor Ihnen wartet ein Anrufer.' : `Vor Ihnen warten ${before} Anrufer.`,
    wait: (minutes) => (minutes === 1 ? 'Sie warten etwa eine Minute.' : `Sie warten etwa ${minutes} Minuten.`),
    leave: (key) => `Wenn Sie nicht warten möchten, drücken Sie die ${names.de[key] ?? key}.`,
    callBack: (key) => `Wenn Sie zurückgerufen werden möchten, drücken Sie die ${names.de[key] ?? key}. Ihr Platz bleibt erhalten.`,
    willCall: 'Wir rufen Sie zurück, sobald Sie an der Reihe sind. Auf Wiederhören.',
    back: (site) => `Hier ist ${site || 'Ihr Rückruf'}. Drücken Sie die 1, um mit uns zu sprechen.`,
  },
  es: {
    language: 'es-ES',
    position: (before) =>
      before === 0
        ? 'Usted es el siguiente.'
        : before === 1
          ? 'Hay una llamada antes que la suya.'
          : `Hay ${before} llamadas antes que la suya.`,
    wait: (minutes) =>
      minutes === 1 ? 'La espera es de un minuto aproximadamente.' : `La espera es de ${minutes} minutos aproximadamente.`,
    leave: (key) => `Si no desea esperar, pulse ${names.es[key] ?? key}.`,
    callBack: (key) => `Si desea que le llamemos sin perder su turno, pulse ${names.es[key] ?? key}.`,
    willCall: 'Le llamaremos cuando sea su turno. Adiós.',
    back: (site) => `Le llama ${site || 'el servicio que pidió'}. Para hablar con nosotros, pulse 1.`,
  },
  fr: {
    language: 'fr-FR',
    position: (before) =>
      before === 0
        ? 'Vous êtes le prochain.'
        : before === 1
          ? 'Une personne attend avant vous.'
          : `${before} personnes attendent avant vous.`,
    wait: (minutes) => (minutes === 1 ? 'L’attente est d’environ une minute.' : `L’attente est d’environ ${minutes} minutes.`),
    leave: (key) => `Si vous ne voulez pas attendre, appuyez sur ${names.fr[key] ?? key}.`,
    callBack: (key) => `Pour être rappelé sans perdre votre place, appuyez sur ${names.fr[key] ?? key}.`,
    willCall: 'Nous vous rappellerons quand ce sera votre tour. Au revoir.',
    back: (site) => `Ici ${site || 'votre rappel'}. Pour nous parler, appuyez sur 1.`,
  },
}

/** In the language of the site (BCP 47), else in English. */
export function queuePhrasesIn(language: string): QueuePhrases {
  return phrases[language.toLowerCase().split('-')[0]!] ?? phrases.en!
}
