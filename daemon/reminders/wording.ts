/**
 * The text message beside a reminder call, by language. It goes to a screen that others may see: the practice, the time and a
 * first name, nothing of what the appointment is about.
 */
import { firstName } from '../base/person-name.ts'

export interface TextFacts {
  /** BCP 47; a language without a text of its own gets the English one. */
  readonly language: string
  /** IANA name. */
  readonly timeZone: string
  readonly practice: string
  /** Of the practice, as people dial it; '' for none. */
  readonly practiceNumber: string
  readonly customerName: string
  /** Milliseconds since the epoch. */
  readonly appointmentAt: number
}

interface Parts {
  readonly name: string
  readonly practice: string
  readonly number: string
  readonly date: string
  readonly time: string
}

type Template = (parts: Parts) => string

const templates: Readonly<Record<string, Template>> = {
  en: ({ name, practice, number, date, time }) =>
    `${practice}: ${name === '' ? 'This' : `Hello ${name}, this`} is a reminder of your appointment on ${date} at ${time}.` +
    `${number === '' ? '' : ` To change it, call ${number}.`} Reply STOP to get no more texts.`,
  es: ({ name, practice, number, date, time }) =>
    `${practice}: ${name === '' ? 'Le' : `Hola ${name}, le`} recordamos su cita el ${date} a las ${time}.` +
    `${number === '' ? '' : ` Para cambiarla, llame al ${number}.`} Responda STOP para no recibir más mensajes.`,
  de: ({ name, practice, number, date, time }) =>
    `${practice}: ${name === '' ? 'Wir' : `Guten Tag ${name}, wir`} erinnern an Ihren Termin am ${date} um ${time} Uhr.` +
    `${number === '' ? '' : ` Zum Ändern: ${number}.`} Antworten Sie STOP, um keine Nachrichten mehr zu erhalten.`,
  fr: ({ name, practice, number, date, time }) =>
    `${practice} : ${name === '' ? 'Nous' : `Bonjour ${name}, nous`} vous rappelons votre rendez-vous le ${date} à ${time}.` +
    `${number === '' ? '' : ` Pour le modifier : ${number}.`} Répondez STOP pour ne plus recevoir de messages.`,
}

export const textLanguages: readonly string[] = Object.keys(templates)

export function reminderText({ language, timeZone, practice, practiceNumber, customerName, appointmentAt }: TextFacts): string {
  const primary = language.split('-')[0]!.toLowerCase()
  const known = primary in templates
  const locale = known ? language : 'en'
  const format = (options: Intl.DateTimeFormatOptions): string =>
    // Narrow spaces between the digits and "AM" would make the text one of 70 characters a part.
    new Intl.DateTimeFormat(locale, { ...options, timeZone }).format(appointmentAt).replaceAll(/[\u00a0\u202f]/g, ' ')
  return templates[known ? primary : 'en']!({
    name: firstName(customerName),
    practice,
    number: practiceNumber,
    date: format({ weekday: 'long', day: 'numeric', month: 'long' }),
    time: format({ hour: 'numeric', minute: '2-digit' }),
  })
}
