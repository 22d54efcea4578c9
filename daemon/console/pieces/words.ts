/** What the pieces say. */
import type { FaxReason } from '../../schema/states.ts'
import { words } from '../frame/words.ts'

export const say = words({
  en: {
    again: 'Try again',
    asOf: 'As of {time}',
    asTable: 'As a table',
    cancel: 'Cancel',
    close: 'Close',
    copyNumber: 'Copy {number}',
    emptyHere: 'Nothing here.',
    loading: 'Loading…',
    more: 'More',
    moreNumbers: { one: '{n} more. Type a part of the number.', other: '{n} more. Type a part of the number.' },
    noMatch: 'No match.',
    request: 'Request {id}',
    withheld: 'Number withheld',
    yesterday: 'yesterday',
    hour: '{n} h',
    minute: '{n} min',
    second: '{n} s',
    day: { one: '{n} day', other: '{n} days' },
  },
  es: {
    again: 'Intentar de nuevo',
    asOf: 'Estado de las {time}',
    asTable: 'Como tabla',
    cancel: 'Cancelar',
    close: 'Cerrar',
    copyNumber: 'Copiar {number}',
    emptyHere: 'Aquí no hay nada.',
    loading: 'Cargando…',
    more: 'Más',
    moreNumbers: { one: '{n} más. Escriba parte del número.', other: '{n} más. Escriba parte del número.' },
    noMatch: 'Sin resultados.',
    request: 'Solicitud {id}',
    withheld: 'Número oculto',
    yesterday: 'ayer',
    hour: '{n} h',
    minute: '{n} min',
    second: '{n} s',
    day: { one: '{n} día', other: '{n} días' },
  },
})

const reasons = words({
  en: {
    busy: 'the number is busy',
    no_answer: 'nobody answers',
    no_fax_detected: 'a person or a machine answers that is no fax',
    destination_denied: 'the number may not be faxed',
    invalid_number: 'the number does not exist',
    rejected: 'the other side refuses the call',
    line_unavailable: 'no line is free',
    training_failed: 'the line is too noisy',
    protocol_error: 'the machines did not understand each other',
    call_dropped: 'the call broke off',
    remote_incompatible: 'the other machine cannot take this fax',
    document_error: 'the document cannot be drawn',
    canceled: 'somebody canceled it',
    expired: 'its time has passed',
    internal: 'a fault of the box',
  },
  es: {
    busy: 'el número está ocupado',
    no_answer: 'nadie contesta',
    no_fax_detected: 'contesta una persona o una máquina que no es fax',
    destination_denied: 'no se permite enviar faxes al número',
    invalid_number: 'el número no existe',
    rejected: 'el otro lado rechaza la llamada',
    line_unavailable: 'no hay línea libre',
    training_failed: 'la línea tiene demasiado ruido',
    protocol_error: 'las máquinas no se entendieron',
    call_dropped: 'la llamada se cortó',
    remote_incompatible: 'la otra máquina no puede recibir este fax',
    document_error: 'el documento no se puede dibujar',
    canceled: 'alguien lo canceló',
    expired: 'se le acabó el tiempo',
    internal: 'un fallo del equipo',
  },
})

export function reasonText(reason: FaxReason): string {
  return reasons(reason)
}

/** Where a person is signed in. */
export const saySessions = words({
  en: {
    active: 'Last used {time}',
    current: 'this one',
    end: 'End',
    ended: 'The session has ended.',
    lockedNow: 'locked',
    noSession: 'Signed in nowhere.',
    sessions: 'Sessions',
    since: 'since {time}',
  },
  es: {
    active: 'Usada por última vez: {time}',
    current: 'esta',
    end: 'Terminar',
    ended: 'La sesión ha terminado.',
    lockedNow: 'bloqueada',
    noSession: 'Sin ninguna sesión abierta.',
    sessions: 'Sesiones',
    since: 'desde {time}',
  },
})
