/** German. */
import type { Phrases } from '../phrases.ts'
import { day, sentences, spelled } from './form.ts'

export const german: Phrases = {
  primary: 'de',
  tag: 'de-DE',
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
  keys: {
    confirm: 'Um zu bestätigen, drücken Sie die 1.',
    cancel: 'Um abzusagen, drücken Sie die 2.',
    reschedule: 'Für einen anderen Termin drücken Sie die 3.',
    reception: 'Um mit dem Empfang zu sprechen, drücken Sie die 0.',
    again: 'Um dies noch einmal zu hören, drücken Sie die 9.',
    optOut: 'Wenn Sie solche Anrufe nicht mehr möchten, drücken Sie die Sterntaste.',
  },
  sure: 'Um Ihren Termin abzusagen, drücken Sie noch einmal die 2.',
  kept: 'Ihr Termin ist nicht abgesagt.',
  wrongKey: 'Diese Taste hat hier keine Bedeutung.',
  confirmed: 'Vielen Dank. Ihr Termin ist bestätigt. Auf Wiederhören.',
  canceled: 'Vielen Dank. Wir haben notiert, dass Sie den Termin absagen. Auf Wiederhören.',
  reschedule: 'Vielen Dank. Wir haben notiert, dass Sie einen anderen Termin brauchen, und melden uns bei Ihnen. Auf Wiederhören.',
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
}
