/** Where a call would go, and what hinders an awaited phone, in the language of the person; a test holds these against the source. */
import { language, sentencesIn } from '../../frame/words.ts'
import { lineState } from '../../pieces/box-words.ts'
import { reasonText } from '../../pieces/event-words.ts'

const reasons = sentencesIn(
  [
    ['its phones ring for <a> s (<r>)', 'sus teléfonos suenan <a> s (<r>)'],
    ['busy, do not disturb is on', 'ocupada, no molestar está activado'],
    ['busy, on the telephone', 'ocupada, está hablando'],
    ['do not disturb', 'no molestar'],
    ['on the telephone', 'está hablando'],
    ['all calls', 'todas las llamadas'],
    ['no phone is registered', 'ningún teléfono registrado'],
    ['busy', 'ocupada'],
    ['no answer', 'sin respuesta'],
    ['The call has already been there.', 'la llamada ya ha pasado por allí'],
  ],
  (text) => reasonText(lineState(text)),
)
const reason = (text: string): string => reasons(text) ?? reasonText(lineState(text))

const ways = sentencesIn(
  [
    ['a call to <a> through the trunk (there is none)', 'una llamada al <a> por la troncal (no hay ninguna)'],
    ['a call to <a> through the trunk <b>', 'una llamada al <a> por la troncal <b>'],
    ['extension <a> dials <b>', 'la extensión <a> marca <b>'],
    [
      '<a> is an emergency number: before every rule, through no trunk: THERE IS NONE',
      '<a> es un número de emergencia: antes de toda regla, por ninguna troncal: NO HAY NINGUNA',
    ],
    [
      '<a> is an emergency number: before every rule, through <b>, then <c>',
      '<a> es un número de emergencia: antes de toda regla, por <b>, después <c>',
    ],
    ['<a> is an emergency number: before every rule, through <b>', '<a> es un número de emergencia: antes de toda regla, por <b>'],
    ['the feature code <a> with <b>', 'el código <a> con <b>'],
    ['the feature code <a>', 'el código <a>'],
    [
      'no inbound or outbound rule matches, and no extension has this number: refused (404)',
      'ninguna regla de entrada o salida encaja, y ninguna extensión tiene este número: rechazada (404)',
    ],
    ['if nobody takes the call: site.fallbackDestination <a>', 'si nadie la atiende: site.fallbackDestination <a>'],
    ['<a>: continues as above, at most ten times', '<a>: sigue como arriba, diez veces como máximo'],
    ['there is no <a> <b>', 'no existe <b> (<a>)'],
    ['menu <a>, in which extensions can be dialled', 'menú <a>, en el que se pueden marcar extensiones'],
    ['menu <a>', 'menú <a>'],
    ['no key, or no answer: <a>', 'sin tecla, o sin respuesta: <a>'],
    ['key <a>: <b>', 'tecla <a>: <b>'],
    ['the mailbox <a> takes a message', 'el buzón <a> toma un mensaje'],
    ['the application <a> decides', 'decide la aplicación <a>'],
    ['hours <a>: open by hand until <b>, on to <c>', 'horario <a>: abierto a mano hasta <b>, sigue a <c>'],
    ['hours <a>: open by hand, on to <c>', 'horario <a>: abierto a mano, sigue a <c>'],
    ['hours <a>: open until <b>, on to <c>', 'horario <a>: abierto hasta <b>, sigue a <c>'],
    ['hours <a>: open, on to <c>', 'horario <a>: abierto, sigue a <c>'],
    ['hours <a>: closed by hand until <b>, on to <c>', 'horario <a>: cerrado a mano hasta <b>, sigue a <c>'],
    ['hours <a>: closed by hand, on to <c>', 'horario <a>: cerrado a mano, sigue a <c>'],
    ['hours <a>: closed until <b>, on to <c>', 'horario <a>: cerrado hasta <b>, sigue a <c>'],
    ['hours <a>: closed, on to <c>', 'horario <a>: cerrado, sigue a <c>'],
    ['extension <a>, <r>: forwarded to <b> by its user', 'extensión <a>, <r>: desviada a <b> por su usuario'],
    ['extension <a>, <b>: not forwarded to <c>: <r>', 'extensión <a>: no se desvía a <c>: <r>'],
    ['extension <a> rings, after <b> s (<r>)', 'suena la extensión <a>, tras <b> s (<r>)'],
    ['extension <a> rings (<r>)', 'suena la extensión <a> (<r>)'],
    ['extension <a> is skipped: <r>', 'se salta la extensión <a>: <r>'],
    ['extension <a>: <r>', 'extensión <a>: <r>'],
    ['group <a> (<b>), <c> s', 'grupo <a> (<b>), <c> s'],
    ['nobody takes the call: <a>', 'nadie la atiende: <a>'],
    ['<a>: refused (<b>): <r>', '<a>: rechazada (<b>): <r>'],
    ['<a> through <b>, and must press 1, after <c> s', '<a> por <b>, y debe pulsar 1, tras <c> s'],
    ['<a> through <b>, and must press 1', '<a> por <b>, y debe pulsar 1'],
    ['<a> through <b>, class <c>', '<a> por <b>, clase <c>'],
    ['<a> through <b>', '<a> por <b>'],
    ['<a>, and must press 1, after <b> s', '<a>, y debe pulsar 1, tras <b> s'],
    ['<a>, and must press 1', '<a>, y debe pulsar 1'],
    ['busy: <a>', 'ocupada: <a>'],
    ['no answer: <a>', 'sin respuesta: <a>'],
    ['no phone is registered: <a>', 'ningún teléfono registrado: <a>'],
  ],
  reason,
)

const notes = sentencesIn([
  [
    'http.tls is not set: settings are given only to this machine and through http.trustedProxies.',
    'Falta http.tls: los ajustes solo se entregan a esta máquina y a través de http.trustedProxies.',
  ],
  [
    'SIP listens on this machine only (sip.udp, sip.tls): phones cannot register.',
    'SIP solo escucha en esta máquina (sip.udp, sip.tls): los teléfonos no se pueden registrar.',
  ],
])

/** A step of the way. */
export const wayText = (text: string): string => (language.value === 'es' ? (ways(text) ?? text) : text)

/** What hinders a phone that is awaited. */
export const noteText = (text: string): string => (language.value === 'es' ? (notes(text) ?? text) : text)
