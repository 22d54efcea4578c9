/** What is said to people who dial a feature code, in the languages that the box has words for. N stands for a number. */

const english = {
  doNotDisturbOn: 'Do not disturb is on.',
  doNotDisturbOff: 'Do not disturb is off.',
  forwardAll: 'All calls are forwarded to N.',
  forwardAllOff: 'Calls are not forwarded any more.',
  forwardBusy: 'While this phone is busy, calls are forwarded to N.',
  forwardBusyOff: 'Calls are not forwarded any more while this phone is busy.',
  forwardNoAnswer: 'Calls that nobody answers are forwarded to N.',
  forwardNoAnswerOff: 'Calls that nobody answers are not forwarded any more.',
  numberMissing: 'Please dial the code, followed by a number.',
  numberRefused: 'Calls cannot be forwarded to this number.',
  lastCaller: 'The last caller was N. To call back, press 1.',
  noLastCaller: 'There is no last caller, or the number was withheld.',
  noCallBack: 'This number cannot be called back.',
  queueIn: 'You are logged in to your queues.',
  queueOut: 'You are logged out of your queues.',
  noQueue: 'This phone is a member of no queue.',
  parkedAt: 'Parked at N.',
  nothingRings: 'No call is ringing there.',
  echo: 'After the tone you hear yourself. Hang up to end the test.',
  isOpen: 'It is open. To close for today, press 2. For the usual hours, press 3.',
  isClosed: 'It is closed. To open for today, press 1. For the usual hours, press 3.',
  openToday: 'It is open until the end of the day.',
  closedToday: 'It is closed until the end of the day.',
  byCalendar: 'The usual hours apply.',
  noHours: 'There are no such hours.',
} as const

export type PhraseName = keyof typeof english

const languages: Readonly<Record<string, Readonly<Record<PhraseName, string>>>> = {
  en: english,
  de: {
    doNotDisturbOn: 'Bitte nicht stören ist eingeschaltet.',
    doNotDisturbOff: 'Bitte nicht stören ist ausgeschaltet.',
    forwardAll: 'Alle Anrufe werden weitergeleitet an N.',
    forwardAllOff: 'Anrufe werden nicht mehr weitergeleitet.',
    forwardBusy: 'Wenn besetzt ist, werden Anrufe weitergeleitet an N.',
    forwardBusyOff: 'Wenn besetzt ist, werden Anrufe nicht mehr weitergeleitet.',
    forwardNoAnswer: 'Wenn niemand abnimmt, werden Anrufe weitergeleitet an N.',
    forwardNoAnswerOff: 'Wenn niemand abnimmt, werden Anrufe nicht mehr weitergeleitet.',
    numberMissing: 'Bitte wählen Sie nach dem Code eine Nummer.',
    numberRefused: 'An diese Nummer können Anrufe nicht weitergeleitet werden.',
    lastCaller: 'Der letzte Anruf kam von N. Für einen Rückruf drücken Sie die 1.',
    noLastCaller: 'Es gibt keinen letzten Anruf, oder seine Nummer war unterdrückt.',
    noCallBack: 'Diese Nummer kann nicht zurückgerufen werden.',
    queueIn: 'Sie sind an Ihren Warteschlangen angemeldet.',
    queueOut: 'Sie sind von Ihren Warteschlangen abgemeldet.',
    noQueue: 'Dieses Telefon gehört zu keiner Warteschlange.',
    parkedAt: 'Geparkt auf N.',
    nothingRings: 'Dort klingelt kein Anruf.',
    echo: 'Nach dem Ton hören Sie sich selbst. Legen Sie auf, um den Test zu beenden.',
    isOpen: 'Es ist geöffnet. Um heute zu schließen, drücken Sie die 2. Für die üblichen Zeiten die 3.',
    isClosed: 'Es ist geschlossen. Um heute zu öffnen, drücken Sie die 1. Für die üblichen Zeiten die 3.',
    openToday: 'Bis zum Ende des Tages ist geöffnet.',
    closedToday: 'Bis zum Ende des Tages ist geschlossen.',
    byCalendar: 'Es gelten die üblichen Zeiten.',
    noHours: 'Solche Öffnungszeiten gibt es nicht.',
  },
  es: {
    doNotDisturbOn: 'No molestar está activado.',
    doNotDisturbOff: 'No molestar está desactivado.',
    forwardAll: 'Todas las llamadas se desvían a N.',
    forwardAllOff: 'Las llamadas ya no se desvían.',
    forwardBusy: 'Cuando la línea está ocupada, las llamadas se desvían a N.',
    forwardBusyOff: 'Las llamadas ya no se desvían cuando la línea está ocupada.',
    forwardNoAnswer: 'Cuando nadie contesta, las llamadas se desvían a N.',
    forwardNoAnswerOff: 'Las llamadas ya no se desvían cuando nadie contesta.',
    numberMissing: 'Marque el código seguido de un número.',
    numberRefused: 'Las llamadas no se pueden desviar a este número.',
    lastCaller: 'La última llamada fue de N. Para devolverla, pulse 1.',
    noLastCaller: 'No hay última llamada, o su número estaba oculto.',
    noCallBack: 'No se puede devolver la llamada a este número.',
    queueIn: 'Ha entrado en sus colas.',
    queueOut: 'Ha salido de sus colas.',
    noQueue: 'Este teléfono no pertenece a ninguna cola.',
    parkedAt: 'Aparcada en el N.',
    nothingRings: 'Allí no suena ninguna llamada.',
    echo: 'Después del tono se oirá a sí mismo. Cuelgue para terminar la prueba.',
    isOpen: 'Está abierto. Para cerrar hoy, pulse 2. Para el horario habitual, pulse 3.',
    isClosed: 'Está cerrado. Para abrir hoy, pulse 1. Para el horario habitual, pulse 3.',
    openToday: 'Está abierto hasta el final del día.',
    closedToday: 'Está cerrado hasta el final del día.',
    byCalendar: 'Se aplica el horario habitual.',
    noHours: 'No existe ese horario.',
  },
  fr: {
    doNotDisturbOn: 'Ne pas déranger est activé.',
    doNotDisturbOff: 'Ne pas déranger est désactivé.',
    forwardAll: 'Tous les appels sont renvoyés vers le N.',
    forwardAllOff: 'Les appels ne sont plus renvoyés.',
    forwardBusy: 'Quand la ligne est occupée, les appels sont renvoyés vers le N.',
    forwardBusyOff: 'Les appels ne sont plus renvoyés quand la ligne est occupée.',
    forwardNoAnswer: 'Quand personne ne répond, les appels sont renvoyés vers le N.',
    forwardNoAnswerOff: 'Les appels ne sont plus renvoyés quand personne ne répond.',
    numberMissing: 'Composez le code, suivi d’un numéro.',
    numberRefused: 'Les appels ne peuvent pas être renvoyés vers ce numéro.',
    lastCaller: 'Le dernier appel venait du N. Pour rappeler, appuyez sur 1.',
    noLastCaller: 'Il n’y a pas de dernier appel, ou son numéro était masqué.',
    noCallBack: 'Ce numéro ne peut pas être rappelé.',
    queueIn: 'Vous êtes connecté à vos files d’attente.',
    queueOut: 'Vous êtes déconnecté de vos files d’attente.',
    noQueue: 'Ce téléphone n’est membre d’aucune file d’attente.',
    parkedAt: 'Parqué au N.',
    nothingRings: 'Aucun appel ne sonne là-bas.',
    echo: 'Après le bip vous vous entendrez. Raccrochez pour terminer le test.',
    isOpen: 'C’est ouvert. Pour fermer aujourd’hui, appuyez sur 2. Pour les horaires habituels, appuyez sur 3.',
    isClosed: 'C’est fermé. Pour ouvrir aujourd’hui, appuyez sur 1. Pour les horaires habituels, appuyez sur 3.',
    openToday: 'C’est ouvert jusqu’à la fin de la journée.',
    closedToday: 'C’est fermé jusqu’à la fin de la journée.',
    byCalendar: 'Les horaires habituels s’appliquent.',
    noHours: 'Ces horaires n’existent pas.',
  },
}

export const phraseNames = Object.keys(english) as readonly PhraseName[]

const placeOfNumber = /(?<!\p{L})N(?!\p{L})/u

/** The words in the language of the site (BCP 47), else in English. */
function wordsIn(language: string): { readonly words: Readonly<Record<PhraseName, string>>; readonly language: string } {
  const words = languages[language.toLowerCase().split('-')[0]!]
  return words === undefined ? { words: english, language: 'en-US' } : { words, language }
}

/** In the language of the site, else in English. `number`: as it is to be read out. */
export function phrase(language: string, name: PhraseName, number: string): { readonly text: string; readonly language: string } {
  const { words, language: spoken } = wordsIn(language)
  return { text: words[name].replace(placeOfNumber, number), language: spoken }
}

/** The sentences that have no number in them. (`splitSentences` would take the letter in its place for an initial.) */
export function fixedPhrases(language: string): readonly { readonly text: string; readonly language: string }[] {
  const { words, language: spoken } = wordsIn(language)
  const sentences = Object.values(words).flatMap((text) => text.split(/(?<=\.) /))
  return [...new Set(sentences)].filter((text) => !placeOfNumber.test(text)).map((text) => ({ text, language: spoken }))
}
