/** What the mailbox says to its people, in the languages that the box has words for. N, M, W and D stand for what is filled in. */

const english = {
  enterBox: 'Please enter the number of the mailbox, then the hash key.',
  enterPin: 'Please enter your PIN, then the hash key.',
  wrongPin: 'That is not right.',
  locked: 'This mailbox is locked for an hour. Goodbye.',
  closed: 'This mailbox cannot be opened from this phone. Goodbye.',
  counts: 'New messages: N. Old messages: M.',
  from: 'Message from W, D.',
  withheld: 'a withheld number',
  noMore: 'There are no more messages.',
  noEarlier: 'This was the first message.',
  deleted: 'Deleted. To restore it, press 7.',
  restored: 'Restored.',
  saved: 'Saved.',
  options: 'To hear it again, press 5. Next message, 6. Delete, 7. For all choices, press 0.',
  help: 'Back five seconds, 1. Call back, 2. Forward five seconds, 3. Previous message, 4. Repeat, 5. Next, 6. Delete or restore, 7. Save, 9. To end, press the hash key.',
  noCallBack: 'The number was withheld.',
  goodbye: 'Goodbye.',
} as const

export type MenuPhrase = keyof typeof english

const languages: Readonly<Record<string, Readonly<Record<MenuPhrase, string>>>> = {
  en: english,
  de: {
    enterBox: 'Bitte geben Sie die Nummer der Mailbox ein, dann die Raute-Taste.',
    enterPin: 'Bitte geben Sie Ihre PIN ein, dann die Raute-Taste.',
    wrongPin: 'Das ist nicht richtig.',
    locked: 'Diese Mailbox ist für eine Stunde gesperrt. Auf Wiederhören.',
    closed: 'Diese Mailbox kann von diesem Telefon nicht geöffnet werden. Auf Wiederhören.',
    counts: 'Neue Nachrichten: N. Alte Nachrichten: M.',
    from: 'Nachricht von W, D.',
    withheld: 'einer unterdrückten Nummer',
    noMore: 'Es gibt keine weiteren Nachrichten.',
    noEarlier: 'Das war die erste Nachricht.',
    deleted: 'Gelöscht. Zum Wiederherstellen drücken Sie die 7.',
    restored: 'Wiederhergestellt.',
    saved: 'Gespeichert.',
    options: 'Noch einmal hören, 5. Nächste Nachricht, 6. Löschen, 7. Für alle Möglichkeiten drücken Sie die 0.',
    help: 'Fünf Sekunden zurück, 1. Zurückrufen, 2. Fünf Sekunden vor, 3. Vorige Nachricht, 4. Wiederholen, 5. Nächste, 6. Löschen oder wiederherstellen, 7. Speichern, 9. Beenden mit der Raute-Taste.',
    noCallBack: 'Die Nummer war unterdrückt.',
    goodbye: 'Auf Wiederhören.',
  },
  es: {
    enterBox: 'Introduzca el número del buzón y pulse almohadilla.',
    enterPin: 'Introduzca su PIN y pulse almohadilla.',
    wrongPin: 'No es correcto.',
    locked: 'Este buzón está bloqueado durante una hora. Adiós.',
    closed: 'Este buzón no se puede abrir desde este teléfono. Adiós.',
    counts: 'Mensajes nuevos: N. Mensajes escuchados: M.',
    from: 'Mensaje de W, D.',
    withheld: 'un número oculto',
    noMore: 'No hay más mensajes.',
    noEarlier: 'Este era el primer mensaje.',
    deleted: 'Borrado. Para recuperarlo, pulse 7.',
    restored: 'Recuperado.',
    saved: 'Guardado.',
    options: 'Para oírlo de nuevo, pulse 5. Siguiente mensaje, 6. Borrar, 7. Para todas las opciones, pulse 0.',
    help: 'Cinco segundos atrás, 1. Devolver la llamada, 2. Cinco segundos adelante, 3. Mensaje anterior, 4. Repetir, 5. Siguiente, 6. Borrar o recuperar, 7. Guardar, 9. Para terminar, pulse almohadilla.',
    noCallBack: 'El número estaba oculto.',
    goodbye: 'Adiós.',
  },
  fr: {
    enterBox: 'Saisissez le numéro de la messagerie, puis dièse.',
    enterPin: 'Saisissez votre code, puis dièse.',
    wrongPin: 'Ce n’est pas correct.',
    locked: 'Cette messagerie est bloquée pendant une heure. Au revoir.',
    closed: 'Cette messagerie ne peut pas être ouverte depuis ce téléphone. Au revoir.',
    counts: 'Nouveaux messages : N. Messages écoutés : M.',
    from: 'Message de W, D.',
    withheld: 'un numéro masqué',
    noMore: 'Il n’y a plus de messages.',
    noEarlier: 'C’était le premier message.',
    deleted: 'Effacé. Pour le récupérer, appuyez sur 7.',
    restored: 'Récupéré.',
    saved: 'Conservé.',
    options: 'Pour réécouter, appuyez sur 5. Message suivant, 6. Effacer, 7. Pour tous les choix, appuyez sur 0.',
    help: 'Cinq secondes en arrière, 1. Rappeler, 2. Cinq secondes en avant, 3. Message précédent, 4. Réécouter, 5. Suivant, 6. Effacer ou récupérer, 7. Conserver, 9. Pour terminer, appuyez sur dièse.',
    noCallBack: 'Le numéro était masqué.',
    goodbye: 'Au revoir.',
  },
}

export const menuPhrases = Object.keys(english) as readonly MenuPhrase[]

/** In the language of the site (BCP 47), else in English. `filled`: what stands for N, M, W and D. */
export function menuPhrase(
  language: string,
  name: MenuPhrase,
  filled: Readonly<Record<string, string>> = {},
): { readonly text: string; readonly language: string } {
  const words = languages[language.toLowerCase().split('-')[0]!]
  const text = (words ?? english)[name].replaceAll(/(?<!\p{L})[NMWD](?!\p{L})/gu, (letter) => filled[letter] ?? letter)
  return { text, language: words === undefined ? 'en-US' : language }
}
