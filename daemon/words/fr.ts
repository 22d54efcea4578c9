/** French, with the formal address. */
import type { Words } from './en.ts'
import { clockTime, day, sentences, type LocalTime } from './form.ts'

const keys: Readonly<Record<string, string>> = { '*': 'étoile', '#': 'dièse' }

function time({ hour, minute }: LocalTime): string {
  const minutes = minute === 0 ? '' : ` ${minute}`
  if (hour === 12) return `midi${minutes}`
  return `${hour} ${hour < 2 ? 'heure' : 'heures'}${minutes}`
}

export const french: Words = {
  tag: 'fr-FR',

  prompts: {
    apology: 'Nous sommes désolés, une erreur technique est survenue. Au revoir.',
    nobody: 'Nous sommes désolés, personne ne peut prendre votre appel pour le moment. Veuillez rappeler plus tard. Au revoir.',
    'not-in-service': 'Le numéro que vous avez composé n’est pas en service. Au revoir.',
    'one-moment': 'Un instant, s’il vous plaît.',
  },

  codes: {
    doNotDisturbOn: 'Ne pas déranger est activé.',
    doNotDisturbOff: 'Ne pas déranger est désactivé.',
    forwardAll: (number) => `Tous les appels sont renvoyés vers le ${number}.`,
    forwardAllOff: 'Les appels ne sont plus renvoyés.',
    forwardBusy: (number) => `Quand la ligne est occupée, les appels sont renvoyés vers le ${number}.`,
    forwardBusyOff: 'Les appels ne sont plus renvoyés quand la ligne est occupée.',
    forwardNoAnswer: (number) => `Quand personne ne répond, les appels sont renvoyés vers le ${number}.`,
    forwardNoAnswerOff: 'Les appels ne sont plus renvoyés quand personne ne répond.',
    numberMissing: 'Composez le code, suivi d’un numéro.',
    numberRefused: 'Les appels ne peuvent pas être renvoyés vers ce numéro.',
    lastCaller: (number) => `Le dernier appel venait du ${number}. Pour rappeler, appuyez sur 1.`,
    noLastCaller: 'Il n’y a pas de dernier appel, ou son numéro était masqué.',
    noCallBack: 'Ce numéro ne peut pas être rappelé.',
    queueIn: 'Vous êtes connecté à vos files d’attente.',
    queueOut: 'Vous êtes déconnecté de vos files d’attente.',
    noQueue: 'Ce téléphone n’est membre d’aucune file d’attente.',
    parkedAt: (number) => `Appel parqué au ${number}.`,
    nothingRings: 'Aucun appel n’y sonne.',
    echo: 'Après le bip, vous entendrez votre propre voix. Raccrochez pour terminer le test.',
    isOpen: 'C’est ouvert. Pour fermer aujourd’hui, appuyez sur 2. Pour les horaires habituels, appuyez sur 3.',
    isClosed: 'C’est fermé. Pour ouvrir aujourd’hui, appuyez sur 1. Pour les horaires habituels, appuyez sur 3.',
    openToday: 'C’est ouvert jusqu’à la fin de la journée.',
    closedToday: 'C’est fermé jusqu’à la fin de la journée.',
    byCalendar: 'Les horaires habituels s’appliquent.',
    noHours: 'Ces horaires n’existent pas.',
  },

  phones: {
    parked: (slot) => `Parqué ${slot}`,
    queue: () => "File d'attente",
  },

  recording: {
    recorded: 'Cet appel est enregistré.',
    begun: 'L’appel est maintenant enregistré.',
    ended: 'L’appel n’est plus enregistré.',
    failed: 'L’appel ne peut pas être enregistré.',
  },

  menus: {
    wrongChoice: 'Ce choix n’existe pas.',
  },

  groups: {
    offer: (group) => `Un appel pour ${group}. Appuyez sur 1 pour le prendre.`,
  },

  queues: {
    position: (before) =>
      before === 0
        ? 'Votre appel est le prochain.'
        : before === 1
          ? 'Une personne attend avant vous.'
          : `${before} personnes attendent avant vous.`,
    wait: (minutes) => (minutes === 1 ? 'L’attente est d’environ une minute.' : `L’attente est d’environ ${minutes} minutes.`),
    leave: (key) => `Si vous ne voulez pas attendre, appuyez sur ${keys[key] ?? key}.`,
    callBack: (key) => `Pour être rappelé sans perdre votre place, appuyez sur ${keys[key] ?? key}.`,
    willCall: 'Nous vous rappellerons quand ce sera votre tour. Au revoir.',
    back: (site) => `Ici ${site || 'votre rappel'}. Pour nous parler, appuyez sur 1.`,
  },

  mailbox: {
    extension: (number) => `Le poste ${number}`,
    greeting: (owner) => `${owner} ne peut pas prendre votre appel. Veuillez laisser un message après le bip.`,
    afterTone: 'Veuillez laisser un message après le bip.',
    saved: 'Votre message a été enregistré.',
    goodbye: 'Au revoir.',
    full: 'Nous sommes désolés, aucun message ne peut être pris pour le moment. Veuillez rappeler plus tard. Au revoir.',
    notRecorded: 'Nous sommes désolés, votre message n’a pas pu être enregistré. Veuillez rappeler plus tard. Au revoir.',
  },

  mailboxMenu: {
    enterBox: 'Saisissez le numéro de la messagerie, puis dièse.',
    enterPin: 'Saisissez votre code, puis dièse.',
    wrongPin: 'Ce n’est pas correct.',
    locked: 'Cette messagerie est bloquée pendant une heure. Au revoir.',
    closed: 'Cette messagerie ne peut pas être ouverte depuis ce téléphone. Au revoir.',
    counts: (fresh, old) => `Nouveaux messages : ${fresh}. Messages écoutés : ${old}.`,
    from: (caller, when) => `Message de ${caller}, ${when}.`,
    withheld: 'un numéro masqué',
    noMore: 'Il n’y a plus de messages.',
    noEarlier: 'C’était le premier message.',
    deleted: 'Effacé. Pour le récupérer, appuyez sur 7.',
    restored: 'Récupéré.',
    saved: 'Conservé.',
    options: 'Pour réécouter, appuyez sur 5. Message suivant, 6. Effacer, 7. Conserver, 9. Pour tous les choix, appuyez sur 0.',
    help: 'Cinq secondes en arrière, 1. Rappeler, 2. Cinq secondes en avant, 3. Message précédent, 4. Réécouter, 5. Suivant, 6. Effacer ou récupérer, 7. Copie à une autre messagerie, 8. Conserver, 9. Annonce et code, étoile. Pour terminer, appuyez sur dièse.',
    noCallBack: 'Le numéro était masqué.',
    notCallable: 'Ce numéro ne peut pas être rappelé.',
    settingsHint: 'Pour l’annonce ou le code, appuyez sur étoile. Pour terminer, appuyez sur dièse.',
    enterForward: 'Saisissez le numéro de la messagerie qui doit recevoir une copie, puis dièse.',
    noSuchBox: 'Cette messagerie n’existe pas.',
    forwarded: 'La copie est en route.',
    settings: 'Votre annonce, 1. L’annonce quand vous êtes occupé, 2. Votre code, 3. Retour, étoile.',
    greetingMenu: 'Pour écouter l’annonce, 1. L’enregistrer, 2. L’effacer, 3. Retour, étoile.',
    noGreeting: 'Aucune n’a été enregistrée. Les appelants entendent le texte habituel.',
    recordNow: 'Parlez après le bip, et terminez par dièse.',
    tooShort: 'C’était trop court.',
    keepGreeting: 'Pour la conserver, 1. Pour recommencer, 2. Pour tout laisser comme avant, étoile.',
    greetingKept: 'L’annonce est conservée.',
    greetingDeleted: 'Effacée. Les appelants entendent le texte habituel.',
    notKept: 'Cela n’a pas pu être conservé. Rien n’a changé.',
    newPin: 'Saisissez le nouveau code, 4 à 10 chiffres, puis dièse.',
    newPinAgain: 'Saisissez-le encore une fois, puis dièse.',
    pinForm: 'Un code a 4 à 10 chiffres.',
    pinDiffers: 'Les deux codes sont différents. Votre code n’a pas changé.',
    pinSet: 'Votre nouveau code est enregistré.',
    goodbye: 'Au revoir.',
  },

  emergency: {
    extension: (number, name) => (name === '' ? `poste ${number}` : `poste ${number}, ${name}`),
    // Texts with a straight apostrophe stay in the GSM alphabet.
    subject: (number, extension) => `APPEL D'URGENCE au ${number} depuis le ${extension}`,
    title: "APPEL D'URGENCE",
    shown: (name) => `URGENCE ${name}`,
    said: (number, extension, place) => `Appel d’urgence au ${number} depuis le ${extension}, ${place}.`,
    from: (extension) => `De : ${extension}`,
    dialled: (number) => `Numéro composé : ${number}`,
    where: (place) => `Lieu : ${place}`,
    noPlace: 'non renseigné',
    when: (when) => `Quand : ${when}`,
    call: (id) => `Appel : ${id}`,
  },

  alarms: {
    time: (at, zone) => clockTime('fr-FR', at, zone),
    test: (rule) => `Test de l’alarme ${rule}`,
    testText: (rule, site) => `Ceci est un test de l’alarme ${rule} du système téléphonique de ${site}.`,
    nothingToDo: 'Il n’y a aucune panne, et rien n’est à faire.',
    testBrief: (rule, site) => `${site} : test de l'alarme ${rule}. Il n'y a aucune panne.`,
    fault: (text) => `PANNE : ${text}`,
    over: (text) => `Résolu : ${text}`,
    overBrief: (text) => `RÉSOLU : ${text}`,
    more: (count) => ` (et ${count} de plus)`,
    severity: 'Gravité :',
    severities: { error: 'erreur', warning: 'avertissement', notice: 'information' },
    since: 'Depuis :',
    until: 'Jusqu’à :',
    fix: 'Remède :',
    head: (site) => `Système téléphonique de ${site} :`,
    hand: 'Si vous vous en chargez, exécutez "pbx alarms ack" sur le système. Plus personne ne sera alors averti.',
    rule: (rule) => `Règle d’alarme : ${rule}`,
    brief: (site, faults) => `${site}, téléphones : ${faults}`,
    sinceTime: (text, time) => `${text} (depuis ${time})`,
    untilTime: (text, time) => `${text} (jusqu'à ${time})`,
    hello: (site) => `Ici le système téléphonique de ${site}.`,
    saidTest: (rule) => `Ceci est un test de l’alarme ${rule}. Il n’y a aucune panne.`,
    saidEnd: 'Il n’y a plus de panne.',
    saidFaults: (count) => (count === 1 ? 'Il y a une panne.' : `Il y a ${count} pannes.`),
    saidMore: (count) => (count === 1 ? 'Il y en a encore une.' : `Il y en a encore ${count}.`),
    takeInHand: 'Si vous vous en chargez, appuyez sur 1.',
    confirm: 'Pour confirmer, appuyez sur 1.',
    taken: 'Merci. Vous vous en chargez.',
  },

  notices: {
    voicemail: (whom) => `Message vocal pour ${whom}`,
    fax: (whom) => `Fax pour ${whom}`,
    text: (whom) => `SMS pour ${whom}`,
    missed: (whom) => `Appel manqué pour ${whom}`,
    missedSeveral: (count, whom) => `${count} appels manqués pour ${whom}`,
    by: (caller) => ` de ${caller}`,
    for: (whom) => `Pour : ${whom}`,
    from: (caller) => `De : ${caller}`,
    when: (when) => `Quand : ${when}`,
    length: (length) => `Durée : ${length}`,
    pages: (count) => `Pages : ${count}`,
    pictures: (count) => `Images : ${count}`,
    incomplete: 'Le fax est incomplet : la communication a été coupée.',
    withheld: 'numéro masqué',
    transcript: 'Transcription :',
    noTranscript: 'Rien n’a été compris.',
    body: 'Texte :',
    tooLarge: 'L’enregistrement est trop volumineux pour être joint.',
    faxTooLarge: 'Le fax est trop volumineux pour être joint.',
    pictureTooLarge: 'L’image est trop volumineuse pour être jointe.',
    pictureLost: 'L’image n’a pas pu être récupérée chez l’opérateur.',
  },

  reminderCall: {
    when: (moment) => `le ${day('fr-FR', moment).replace(/ 1 /, ' 1er ')}, à ${time(moment)}`,
    number: (national) => national,
    opening: ({ name, clinic, number, when, service, staff }) =>
      sentences(
        name === '' ? 'Bonjour.' : `Bonjour ${name}.`,
        `Ici ${clinic}${number === '' ? '' : `, ${number}`}. Nous vous rappelons votre rendez-vous, ${when}.`,
        service === '' ? '' : `Motif : ${service}.`,
        staff === '' ? '' : `Vous serez reçu par ${staff}.`,
      ),
    confirm: 'Pour confirmer, appuyez sur 1.',
    cancel: 'Pour annuler, appuyez sur 2.',
    reschedule: 'Pour demander un autre horaire, appuyez sur 3.',
    reception: 'Pour parler à la réception, appuyez sur 0.',
    again: 'Pour réécouter, appuyez sur 9.',
    optOut: 'Pour ne plus recevoir ces appels, appuyez sur étoile.',
    sure: 'Pour annuler votre rendez-vous, appuyez encore une fois sur 2.',
    kept: 'Votre rendez-vous n’est pas annulé.',
    wrongKey: 'Cette touche n’a pas de fonction ici.',
    confirmed: 'Merci. Votre rendez-vous est confirmé. Au revoir.',
    canceled: 'Merci. Nous avons noté que vous annulez votre rendez-vous. Au revoir.',
    rescheduled: 'Merci. Nous avons noté qu’il vous faut un autre horaire et nous vous contacterons. Au revoir.',
    optedOut: 'Nous n’appellerons plus ce numéro pour des rappels. Au revoir.',
    toReception: 'Veuillez patienter, nous vous mettons en relation.',
    nobodyThere: 'Personne ne peut vous répondre à la réception pour le moment.',
    goodbye: 'Au revoir.',
    message: (clinic, number, optOut) =>
      sentences(
        `Bonjour. Ici ${clinic}, pour vous rappeler un rendez-vous.`,
        number === '' ? 'Merci de nous appeler.' : `Merci de nous appeler au ${number}.`,
        optOut && number !== '' ? 'Pour ne plus recevoir ces appels, appelez le même numéro.' : '',
        'Merci. Au revoir.',
      ),
  },

  reminderText: ({ name, clinic, number, date, time: at }) =>
    `${clinic} : ${name === '' ? 'Nous' : `Bonjour ${name}, nous`} vous rappelons votre rendez-vous le ${date} à ${at}.` +
    `${number === '' ? '' : ` Pour le modifier : ${number}.`} Répondez STOP pour ne plus recevoir de messages.`,

  faxCover: { to: 'À', faxNumber: 'Numéro de fax', from: 'De', subject: 'Objet', date: 'Date', pages: 'Pages' },

  faxReceipt: {
    title: 'Reçu de fax',
    to: 'À',
    before: 'Premier essai',
    station: 'A répondu comme',
    from: 'De',
    accepted: 'Accepté',
    ended: 'Terminé',
    pages: 'Pages',
    result: 'Résultat',
    printed: (person, time) => `Imprimé par ${person}, ${time}`,
    ofPages: (sent, all) => `${sent} sur ${all}`,
    results: { sent: 'Envoyé : l’autre machine a confirmé chaque page', failed: 'Non envoyé', canceled: 'Annulé', open: 'Inachevé' },
  },

  understood: {
    optOut: ['ARRET', 'ARRETER', 'ARRETEZ', 'DESABONNER', 'DESABONNEMENT', 'FIN', 'ANNULER'],
    start: ['DEBUT', 'COMMENCER'],
    help: ['AIDE'],
    cancel: ['ANNULER'],
    end: ['FIN'],
  },
}
