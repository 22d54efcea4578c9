/** German, with the formal address. */
import type { Words } from './en.ts'
import { clockTime, day, sentences, spelled } from './form.ts'

const keys: Readonly<Record<string, string>> = { '*': 'Stern-Taste', '#': 'Raute-Taste' }

export const german: Words = {
  tag: 'de-DE',

  prompts: {
    apology: 'Es tut uns leid, es ist ein technischer Fehler aufgetreten. Auf Wiederhören.',
    nobody: 'Zurzeit kann leider niemand Ihren Anruf annehmen. Bitte rufen Sie später noch einmal an. Auf Wiederhören.',
    'not-in-service': 'Die gewählte Nummer ist nicht vergeben. Auf Wiederhören.',
    'one-moment': 'Einen Moment, bitte.',
  },

  codes: {
    doNotDisturbOn: 'Bitte nicht stören ist eingeschaltet.',
    doNotDisturbOff: 'Bitte nicht stören ist ausgeschaltet.',
    forwardAll: (number) => `Alle Anrufe werden weitergeleitet an ${number}.`,
    forwardAllOff: 'Anrufe werden nicht mehr weitergeleitet.',
    forwardBusy: (number) => `Wenn besetzt ist, werden Anrufe weitergeleitet an ${number}.`,
    forwardBusyOff: 'Wenn besetzt ist, werden Anrufe nicht mehr weitergeleitet.',
    forwardNoAnswer: (number) => `Wenn niemand abnimmt, werden Anrufe weitergeleitet an ${number}.`,
    forwardNoAnswerOff: 'Wenn niemand abnimmt, werden Anrufe nicht mehr weitergeleitet.',
    numberMissing: 'Bitte wählen Sie nach dem Code eine Nummer.',
    numberRefused: 'An diese Nummer können Anrufe nicht weitergeleitet werden.',
    lastCaller: (number) => `Der letzte Anruf kam von ${number}. Für einen Rückruf drücken Sie die 1.`,
    noLastCaller: 'Es gibt keinen letzten Anruf, oder seine Nummer war unterdrückt.',
    noCallBack: 'Diese Nummer kann nicht zurückgerufen werden.',
    queueIn: 'Sie sind an Ihren Warteschlangen angemeldet.',
    queueOut: 'Sie sind von Ihren Warteschlangen abgemeldet.',
    noQueue: 'Dieses Telefon gehört zu keiner Warteschlange.',
    parkedAt: (number) => `Geparkt auf ${number}.`,
    nothingRings: 'Dort klingelt kein Anruf.',
    echo: 'Nach dem Ton hören Sie sich selbst. Legen Sie auf, um den Test zu beenden.',
    isOpen: 'Es ist geöffnet. Um heute zu schließen, drücken Sie die 2. Für die üblichen Zeiten die 3.',
    isClosed: 'Es ist geschlossen. Um heute zu öffnen, drücken Sie die 1. Für die üblichen Zeiten die 3.',
    openToday: 'Bis zum Ende des Tages ist geöffnet.',
    closedToday: 'Bis zum Ende des Tages ist geschlossen.',
    byCalendar: 'Es gelten die üblichen Zeiten.',
    noHours: 'Solche Öffnungszeiten gibt es nicht.',
  },

  phones: {
    parked: (slot) => `Geparkt ${slot}`,
    queue: () => 'Warteschlange',
  },

  recording: {
    recorded: 'Dieses Gespräch wird aufgezeichnet.',
    begun: 'Das Gespräch wird jetzt aufgezeichnet.',
    ended: 'Das Gespräch wird nicht mehr aufgezeichnet.',
    failed: 'Das Gespräch kann nicht aufgezeichnet werden.',
  },

  menus: {
    wrongChoice: 'Diese Auswahl gibt es nicht.',
  },

  groups: {
    offer: (group) => `Ein Anruf für ${group}. Drücken Sie die 1, um ihn anzunehmen.`,
  },

  queues: {
    position: (before) =>
      before === 0
        ? 'Sie sind als Nächstes an der Reihe.'
        : before === 1
          ? 'Vor Ihnen wartet ein Anrufer.'
          : `Vor Ihnen warten ${before} Anrufer.`,
    wait: (minutes) => (minutes === 1 ? 'Sie warten etwa eine Minute.' : `Sie warten etwa ${minutes} Minuten.`),
    leave: (key) => `Wenn Sie nicht warten möchten, drücken Sie die ${keys[key] ?? key}.`,
    callBack: (key) => `Wenn Sie zurückgerufen werden möchten, drücken Sie die ${keys[key] ?? key}. Ihr Platz bleibt erhalten.`,
    willCall: 'Wir rufen Sie zurück, sobald Sie an der Reihe sind. Auf Wiederhören.',
    back: (site) => `Hier ist ${site || 'Ihr Rückruf'}. Drücken Sie die 1, um mit uns zu sprechen.`,
  },

  mailbox: {
    extension: (number) => `Die Nebenstelle ${number}`,
    greeting: (owner) => `${owner} kann Ihren Anruf nicht annehmen. Bitte hinterlassen Sie eine Nachricht nach dem Ton.`,
    afterTone: 'Bitte hinterlassen Sie eine Nachricht nach dem Ton.',
    saved: 'Ihre Nachricht wurde gespeichert.',
    goodbye: 'Auf Wiederhören.',
    full: 'Zurzeit können leider keine Nachrichten angenommen werden. Bitte rufen Sie später noch einmal an. Auf Wiederhören.',
    notRecorded: 'Ihre Nachricht konnte leider nicht aufgenommen werden. Bitte rufen Sie später noch einmal an. Auf Wiederhören.',
  },

  mailboxMenu: {
    enterBox: 'Bitte geben Sie die Nummer der Mailbox ein, dann die Raute-Taste.',
    enterPin: 'Bitte geben Sie Ihre PIN ein, dann die Raute-Taste.',
    wrongPin: 'Das ist nicht richtig.',
    locked: 'Diese Mailbox ist für eine Stunde gesperrt. Auf Wiederhören.',
    closed: 'Diese Mailbox kann von diesem Telefon nicht geöffnet werden. Auf Wiederhören.',
    counts: (fresh, old) => `Neue Nachrichten: ${fresh}. Alte Nachrichten: ${old}.`,
    from: (caller, when) => `Nachricht von ${caller}, ${when}.`,
    withheld: 'einer unterdrückten Nummer',
    noMore: 'Es gibt keine weiteren Nachrichten.',
    noEarlier: 'Das war die erste Nachricht.',
    deleted: 'Gelöscht. Zum Wiederherstellen drücken Sie die 7.',
    restored: 'Wiederhergestellt.',
    saved: 'Gespeichert.',
    options: 'Noch einmal hören, 5. Nächste Nachricht, 6. Löschen, 7. Speichern, 9. Für alle Möglichkeiten drücken Sie die 0.',
    help: 'Fünf Sekunden zurück, 1. Zurückrufen, 2. Fünf Sekunden vor, 3. Vorige Nachricht, 4. Wiederholen, 5. Nächste, 6. Löschen oder wiederherstellen, 7. Kopie an eine andere Mailbox, 8. Speichern, 9. Begrüßung und PIN mit der Stern-Taste. Beenden mit der Raute-Taste.',
    noCallBack: 'Die Nummer war unterdrückt.',
    notCallable: 'Diese Nummer kann nicht zurückgerufen werden.',
    settingsHint: 'Für Begrüßung oder PIN drücken Sie die Stern-Taste. Beenden mit der Raute-Taste.',
    enterForward: 'Bitte geben Sie die Nummer der Mailbox ein, die eine Kopie bekommen soll, dann die Raute-Taste.',
    noSuchBox: 'Diese Mailbox gibt es nicht.',
    forwarded: 'Die Kopie ist unterwegs.',
    settings: 'Ihre Begrüßung, 1. Die Begrüßung, wenn besetzt ist, 2. Ihre PIN, 3. Zurück mit der Stern-Taste.',
    greetingMenu: 'Begrüßung anhören, 1. Aufnehmen, 2. Löschen, 3. Zurück mit der Stern-Taste.',
    noGreeting: 'Es wurde keine aufgenommen. Anrufer hören den üblichen Text.',
    recordNow: 'Bitte sprechen Sie nach dem Ton, und beenden Sie mit der Raute-Taste.',
    tooShort: 'Das war zu kurz.',
    keepGreeting: 'Behalten, 1. Noch einmal aufnehmen, 2. Alles lassen, wie es war, mit der Stern-Taste.',
    greetingKept: 'Die Begrüßung ist gespeichert.',
    greetingDeleted: 'Gelöscht. Anrufer hören den üblichen Text.',
    notKept: 'Das konnte nicht gespeichert werden. Es bleibt alles, wie es war.',
    newPin: 'Bitte geben Sie die neue PIN ein, 4 bis 10 Ziffern, dann die Raute-Taste.',
    newPinAgain: 'Bitte geben Sie sie noch einmal ein, dann die Raute-Taste.',
    pinForm: 'Eine PIN hat 4 bis 10 Ziffern.',
    pinDiffers: 'Die beiden Eingaben stimmen nicht überein. Ihre PIN bleibt unverändert.',
    pinSet: 'Ihre neue PIN gilt ab sofort.',
    goodbye: 'Auf Wiederhören.',
  },

  emergency: {
    extension: (number, name) => (name === '' ? `Nebenstelle ${number}` : `Nebenstelle ${number}, ${name}`),
    subject: (number, extension) => `NOTRUF an ${number} von ${extension}`,
    title: 'NOTRUF',
    shown: (name) => `NOTRUF ${name}`,
    said: (number, extension, place) => `Notruf an ${number} von ${extension}, ${place}.`,
    from: (extension) => `Von: ${extension}`,
    dialled: (number) => `Gewählt: ${number}`,
    where: (place) => `Ort: ${place}`,
    noPlace: 'nicht eingetragen',
    when: (when) => `Wann: ${when}`,
    call: (id) => `Anruf: ${id}`,
  },

  alarms: {
    time: (at, zone) => clockTime('de-DE', at, zone),
    test: (rule) => `Test des Alarms ${rule}`,
    testText: (rule, site) => `Dies ist ein Test des Alarms ${rule} der Telefonanlage von ${site}.`,
    nothingToDo: 'Es liegt keine Störung vor, und es ist nichts zu tun.',
    testBrief: (rule, site) => `${site}: Test des Alarms ${rule}. Es liegt keine Störung vor.`,
    fault: (text) => `STÖRUNG: ${text}`,
    over: (text) => `Behoben: ${text}`,
    overBrief: (text) => `BEHOBEN: ${text}`,
    more: (count) => ` (und ${count} weitere)`,
    severity: 'Schwere:',
    severities: { error: 'Fehler', warning: 'Warnung', notice: 'Hinweis' },
    since: 'Seit:',
    until: 'Bis:',
    fix: 'Abhilfe:',
    head: (site) => `Telefonanlage von ${site}:`,
    hand: 'Wenn Sie sich darum kümmern, geben Sie an der Anlage "pbx alarms ack" ein. Dann wird niemand mehr benachrichtigt.',
    rule: (rule) => `Alarmregel: ${rule}`,
    brief: (site, faults) => `${site}, Telefonanlage: ${faults}`,
    sinceTime: (text, time) => `${text} (seit ${time})`,
    untilTime: (text, time) => `${text} (bis ${time})`,
    hello: (site) => `Hier ist die Telefonanlage von ${site}.`,
    saidTest: (rule) => `Dies ist ein Test des Alarms ${rule}. Es liegt keine Störung vor.`,
    saidEnd: 'Es liegt keine Störung mehr vor.',
    saidFaults: (count) => (count === 1 ? 'Es liegt eine Störung vor.' : `Es liegen ${count} Störungen vor.`),
    saidMore: (count) => (count === 1 ? 'Es gibt noch eine weitere.' : `Es gibt noch ${count} weitere.`),
    takeInHand: 'Wenn Sie sich darum kümmern, drücken Sie die 1.',
    confirm: 'Um zu bestätigen, drücken Sie die 1.',
    taken: 'Vielen Dank. Sie kümmern sich darum.',
  },

  notices: {
    voicemail: (whom) => `Sprachnachricht für ${whom}`,
    fax: (whom) => `Fax für ${whom}`,
    text: (whom) => `SMS für ${whom}`,
    missed: (whom) => `Verpasster Anruf für ${whom}`,
    missedSeveral: (count, whom) => `${count} verpasste Anrufe für ${whom}`,
    by: (caller) => ` von ${caller}`,
    for: (whom) => `Für: ${whom}`,
    from: (caller) => `Von: ${caller}`,
    when: (when) => `Wann: ${when}`,
    length: (length) => `Dauer: ${length}`,
    pages: (count) => `Seiten: ${count}`,
    pictures: (count) => `Bilder: ${count}`,
    incomplete: 'Das Fax ist unvollständig: Die Verbindung brach ab.',
    withheld: 'unterdrückte Nummer',
    transcript: 'Abschrift:',
    noTranscript: 'Es wurde nichts verstanden.',
    body: 'Text:',
    tooLarge: 'Die Aufnahme ist zu groß, um angehängt zu werden.',
    faxTooLarge: 'Das Fax ist zu groß, um angehängt zu werden.',
    pictureTooLarge: 'Das Bild ist zu groß, um angehängt zu werden.',
    pictureLost: 'Das Bild war beim Anbieter nicht abzuholen.',
  },

  reminderCall: {
    when: (moment) => {
      const { hour, minute } = moment
      return `am ${day('de-DE', moment).replace(', ', ', dem ')}, um ${hour === 1 ? 'ein' : hour} Uhr${minute === 0 ? '' : ` ${minute}`}`
    },
    number: spelled,
    opening: ({ name, clinic, number, when, service, staff }) =>
      sentences(
        name === '' ? 'Guten Tag.' : `Guten Tag, ${name}.`,
        `Hier ist ${clinic}${number === '' ? '' : `, ${number},`} mit einer Erinnerung an Ihren Termin ${when}.`,
        service === '' ? '' : `Es geht um: ${service}.`,
        staff === '' ? '' : `Ihr Termin ist bei ${staff}.`,
      ),
    confirm: 'Um zu bestätigen, drücken Sie die 1.',
    cancel: 'Um abzusagen, drücken Sie die 2.',
    reschedule: 'Für einen anderen Termin drücken Sie die 3.',
    reception: 'Um mit dem Empfang zu sprechen, drücken Sie die 0.',
    again: 'Um dies noch einmal zu hören, drücken Sie die 9.',
    optOut: 'Wenn Sie solche Anrufe nicht mehr möchten, drücken Sie die Stern-Taste.',
    sure: 'Um Ihren Termin abzusagen, drücken Sie noch einmal die 2.',
    kept: 'Ihr Termin ist nicht abgesagt.',
    wrongKey: 'Diese Taste ist hier nicht belegt.',
    confirmed: 'Vielen Dank. Ihr Termin ist bestätigt. Auf Wiederhören.',
    canceled: 'Vielen Dank. Wir haben notiert, dass Sie den Termin absagen. Auf Wiederhören.',
    rescheduled: 'Vielen Dank. Wir haben notiert, dass Sie einen anderen Termin brauchen, und melden uns bei Ihnen. Auf Wiederhören.',
    optedOut: 'Wir rufen diese Nummer nicht mehr mit Erinnerungen an. Auf Wiederhören.',
    toReception: 'Bitte warten Sie, wir verbinden Sie.',
    nobodyThere: 'Am Empfang kann Ihren Anruf im Moment niemand annehmen.',
    goodbye: 'Auf Wiederhören.',
    message: (clinic, number, optOut) =>
      sentences(
        `Guten Tag. Hier ist ${clinic} mit einer Erinnerung an einen Termin.`,
        number === '' ? 'Bitte rufen Sie uns an.' : `Bitte rufen Sie uns an unter ${number}.`,
        optOut && number !== '' ? 'Wenn Sie solche Anrufe nicht mehr möchten, rufen Sie dieselbe Nummer an.' : '',
        'Vielen Dank. Auf Wiederhören.',
      ),
  },

  reminderText: ({ name, clinic, number, date, time }) =>
    `${clinic}: ${name === '' ? 'Wir' : `Guten Tag ${name}, wir`} erinnern Sie an Ihren Termin am ${date} um ${time} Uhr.` +
    `${number === '' ? '' : ` Zum Ändern: ${number}.`} Antworten Sie mit STOP, um keine Nachrichten mehr zu erhalten.`,

  faxCover: { to: 'An', faxNumber: 'Faxnummer', from: 'Von', subject: 'Betreff', date: 'Datum', pages: 'Seiten' },

  faxReceipt: {
    title: 'Faxbeleg',
    to: 'An',
    before: 'Zuerst versucht',
    station: 'Gemeldet als',
    from: 'Von',
    accepted: 'Angenommen',
    ended: 'Beendet',
    pages: 'Seiten',
    result: 'Ergebnis',
    printed: (person, time) => `Gedruckt von ${person}, ${time}`,
    ofPages: (sent, all) => `${sent} von ${all}`,
    results: {
      sent: 'Gesendet: die Gegenstelle hat jede Seite bestätigt',
      failed: 'Nicht gesendet',
      canceled: 'Abgebrochen',
      open: 'Nicht beendet',
    },
  },

  understood: {
    optOut: ['STOPP', 'ABMELDEN', 'ENDE', 'ABBESTELLEN'],
    start: ['ANMELDEN'],
    help: ['HILFE'],
    cancel: [],
    end: ['ENDE'],
  },
}
