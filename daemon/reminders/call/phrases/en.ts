/** English. */
import type { Phrases } from '../phrases.ts'
import { day, sentences } from './form.ts'

export const english: Phrases = {
  primary: 'en',
  tag: 'en-US',
  when: (moment) => {
    const { hour, minute } = moment
    const twelve = `${hour % 12 === 0 ? 12 : hour % 12}${minute === 0 ? '' : `:${String(minute).padStart(2, '0')}`}`
    const time = hour === 12 && minute === 0 ? 'noon' : `${twelve} ${hour < 12 ? 'AM' : 'PM'}`
    return `on ${day('en-US', moment)}, at ${time}`
  },
  number: (national) => national,
  opening: ({ name, clinic, number, when, service, staff }) =>
    sentences(
      name === '' ? 'Hello.' : `Hello ${name}.`,
      `This is ${clinic}${number === '' ? '' : `, ${number},`} with a reminder of your appointment ${when}.`,
      service === '' ? '' : `It is for ${service}.`,
      staff === '' ? '' : `You will see ${staff}.`,
    ),
  keys: {
    confirm: 'To confirm, press 1.',
    cancel: 'To cancel, press 2.',
    reschedule: 'To ask for another time, press 3.',
    reception: 'To speak with the reception, press 0.',
    again: 'To hear this again, press 9.',
    optOut: 'To stop these calls, press star.',
  },
  sure: 'To cancel your appointment, press 2 again.',
  kept: 'Your appointment is not cancelled.',
  wrongKey: 'That key has no meaning here.',
  confirmed: 'Thank you. Your appointment is confirmed. Goodbye.',
  canceled: 'Thank you. We have noted that you cancel your appointment. Goodbye.',
  reschedule: 'Thank you. We have noted that you need another time, and will contact you. Goodbye.',
  optedOut: 'We will not call this number with reminders any more. Goodbye.',
  toReception: 'Please hold while we connect you.',
  nobodyThere: 'Nobody at the reception can take your call at the moment.',
  goodbye: 'Goodbye.',
  message: (clinic, number, optOut) =>
    sentences(
      `Hello. This is ${clinic}, with a reminder of an appointment.`,
      number === '' ? 'Please call us.' : `Please call us at ${number}.`,
      optOut && number !== '' ? 'To stop these calls, call the same number.' : '',
      'Thank you. Goodbye.',
    ),
}
