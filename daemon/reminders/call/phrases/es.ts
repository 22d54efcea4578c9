/** Spanish. */
import type { LocalTime, Phrases } from '../phrases.ts'
import { day, sentences, spelled } from './form.ts'

function time({ hour, minute }: LocalTime): string {
  if (hour === 12 && minute === 0) return 'al mediodía'
  const twelve = hour % 12 === 0 ? 12 : hour % 12
  const part = hour < 6 ? 'de la madrugada' : hour < 12 ? 'de la mañana' : hour < 20 ? 'de la tarde' : 'de la noche'
  return `${twelve === 1 ? 'a la' : 'a las'} ${twelve}${minute === 0 ? '' : ` y ${minute}`} ${part}`
}

export const spanish: Phrases = {
  primary: 'es',
  tag: 'es-ES',
  when: (moment) => `el ${day('es-ES', moment)}, ${time(moment)}`,
  number: spelled,
  opening: ({ name, clinic, number, when, service, staff }) =>
    sentences(
      name === '' ? 'Hola.' : `Hola, ${name}.`,
      `Le llama ${clinic}${number === '' ? '' : `, ${number},`} para recordarle su cita ${when}.`,
      service === '' ? '' : `Es para ${service}.`,
      staff === '' ? '' : `Le atenderá ${staff}.`,
    ),
  keys: {
    confirm: 'Para confirmar, pulse 1.',
    cancel: 'Para cancelar, pulse 2.',
    reschedule: 'Para pedir otra hora, pulse 3.',
    reception: 'Para hablar con recepción, pulse 0.',
    again: 'Para escucharlo otra vez, pulse 9.',
    optOut: 'Para no recibir más estas llamadas, pulse asterisco.',
  },
  sure: 'Para cancelar su cita, pulse 2 otra vez.',
  kept: 'Su cita no se ha cancelado.',
  wrongKey: 'Esa tecla no tiene función aquí.',
  confirmed: 'Gracias. Su cita está confirmada. Adiós.',
  canceled: 'Gracias. Hemos anotado que cancela su cita. Adiós.',
  reschedule: 'Gracias. Hemos anotado que necesita otra hora y nos pondremos en contacto con usted. Adiós.',
  optedOut: 'No volveremos a llamar a este número con recordatorios. Adiós.',
  toReception: 'Espere, por favor. Le ponemos con recepción.',
  nobodyThere: 'En este momento nadie puede atenderle en recepción.',
  goodbye: 'Adiós.',
  message: (clinic, number, optOut) =>
    sentences(
      `Hola. Le llama ${clinic} para recordarle una cita.`,
      number === '' ? 'Por favor, llámenos.' : `Por favor, llámenos al ${number}.`,
      optOut && number !== '' ? 'Para no recibir más estas llamadas, llame al mismo número.' : '',
      'Gracias. Adiós.',
    ),
}
