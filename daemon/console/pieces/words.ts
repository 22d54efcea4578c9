/** What the pieces say. */
import { words } from '../frame/words.ts'

export const say = words({
  en: {
    again: 'Try again',
    asOf: 'As of {time}',
    cancel: 'Cancel',
    close: 'Close',
    copyNumber: 'Copy {number}',
    emptyHere: 'Nothing here.',
    loading: 'Loading…',
    more: 'More',
    noMatch: 'No match.',
    request: 'Request {id}',
    withheld: 'Number withheld',
    yesterday: 'yesterday',
    hour: '{n} h',
    minute: '{n} min',
    day: { one: '{n} day', other: '{n} days' },
  },
  es: {
    again: 'Intentar de nuevo',
    asOf: 'Estado de las {time}',
    cancel: 'Cancelar',
    close: 'Cerrar',
    copyNumber: 'Copiar {number}',
    emptyHere: 'Aquí no hay nada.',
    loading: 'Cargando…',
    more: 'Más',
    noMatch: 'Sin resultados.',
    request: 'Solicitud {id}',
    withheld: 'Número oculto',
    yesterday: 'ayer',
    hour: '{n} h',
    minute: '{n} min',
    day: { one: '{n} día', other: '{n} días' },
  },
})
