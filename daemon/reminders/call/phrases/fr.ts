/** French. */
import type { LocalTime, Phrases } from '../phrases.ts'
import { day, sentences } from './form.ts'

function time({ hour, minute }: LocalTime): string {
  const minutes = minute === 0 ? '' : ` ${minute}`
  if (hour === 12) return `midi${minutes}`
  return `${hour} ${hour < 2 ? 'heure' : 'heures'}${minutes}`
}

export const french: Phrases = {
  primary: 'fr',
  tag: 'fr-FR',
  when: (moment) => `le ${day('fr-FR', moment).replace(/ 1 /, ' 1er ')}, à ${time(moment)}`,
  number: (national) => national,
  opening: ({ name, clinic, number, when, service, staff }) =>
    sentences(
      name === '' ? 'Bonjour.' : `Bonjour ${name}.`,
      `Ici ${clinic}${number === '' ? '' : `, ${number}`}. Nous vous rappelons votre rendez-vous, ${when}.`,
      service === '' ? '' : `Motif : ${service}.`,
      staff === '' ? '' : `Vous serez reçu par ${staff}.`,
    ),
  keys: {
    confirm: 'Pour confirmer, appuyez sur 1.',
    cancel: 'Pour annuler, appuyez sur 2.',
    reschedule: 'Pour demander un autre horaire, appuyez sur 3.',
    reception: 'Pour parler à la réception, appuyez sur 0.',
    again: 'Pour réécouter, appuyez sur 9.',
    optOut: 'Pour ne plus recevoir ces appels, appuyez sur étoile.',
  },
  sure: 'Pour annuler votre rendez-vous, appuyez encore une fois sur 2.',
  kept: "Votre rendez-vous n'est pas annulé.",
  wrongKey: "Cette touche n'a pas de fonction ici.",
  confirmed: 'Merci. Votre rendez-vous est confirmé. Au revoir.',
  canceled: 'Merci. Nous avons noté que vous annulez votre rendez-vous. Au revoir.',
  reschedule: "Merci. Nous avons noté qu'il vous faut un autre horaire et nous vous contacterons. Au revoir.",
  optedOut: "Nous n'appellerons plus ce numéro pour des rappels. Au revoir.",
  toReception: 'Veuillez patienter, nous vous mettons en relation.',
  nobodyThere: "Personne ne peut vous répondre à la réception pour l'instant.",
  goodbye: 'Au revoir.',
  message: (clinic, number, optOut) =>
    sentences(
      `Bonjour. Ici ${clinic}, pour vous rappeler un rendez-vous.`,
      number === '' ? 'Merci de nous appeler.' : `Merci de nous appeler au ${number}.`,
      optOut && number !== '' ? 'Pour ne plus recevoir ces appels, appelez le même numéro.' : '',
      'Merci. Au revoir.',
    ),
}
