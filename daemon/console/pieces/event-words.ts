/**
 * What is said of the box itself, in the language of the person: its events and warnings, and the reasons in them. The box says them in English; a
 * test holds these against the source, so that none is missing. A reason of another program, such as a mail server, stays as it is.
 */
import { language, sentencesIn, type Sentence } from '../frame/words.ts'
import { fixes, otherSentences } from './event-sentences.ts'

/** What followed the name of a server that is not well. */
const answers = sentencesIn([
  [' (its name is not known to DNS); tried again in <a>', ' (el DNS no conoce su nombre); se intenta de nuevo en <a>'],
  [' (its name is not known to DNS)', ' (el DNS no conoce su nombre)'],
  [' (<a>); tried again in <b>', ' (<a>); se intenta de nuevo en <b>'],
  ['; tried again in <a>', '; se intenta de nuevo en <a>'],
])

const plainReasons = sentencesIn(
  [
    ['<a> refused user name or password<r>', '<a> rechazó el usuario o la contraseña<r>'],
    ['<a> does not know the account<r>', '<a> no conoce la cuenta<r>'],
    ['<a> answers that it cannot take the registration now<r>', '<a> responde que ahora no puede aceptar el registro<r>'],
    ['<a> refused the registration<r>', '<a> rechazó el registro<r>'],
    ['<a> answers, but the registration is not done<r>', '<a> responde, pero falta el registro<r>'],
    ['<a> is not trusted and nothing is sent to it: <b>', 'no se confía en <a> y no se le envía nada: <b>'],
    ['<a> does not answer (no answer to OPTIONS)', '<a> no responde (a OPTIONS)'],
    ['<a> does not answer<r>', '<a> no responde<r>'],
    ['Registration with <a> is under way<r>', 'el registro en <a> está en marcha<r>'],
    ['Nothing was heard from <a> yet', 'aún no se sabe nada de <a>'],
    ['<a> is not checked: keep-alive is off', '<a> no se comprueba: keep-alive está desactivado'],
    ['No phone is registered as <a>', 'ningún teléfono está registrado como <a>'],
    ['pbx-engine is not running: <a>', 'pbx-engine no está en marcha: <a>'],
    ['not registered', 'no registrado'],
    ['unreachable', 'no responde'],
    ['there is no trunk', 'no hay troncal'],
    ['no trunk is up', 'ninguna troncal funciona'],
    ['there is no backup yet', 'aún no hay ninguna copia'],
    ['the last good backup is from <a>', 'la última buena es de <a>'],
    ['no answer', 'sin respuesta'],
    ['no model for calls is installed: <a>', 'no hay ningún modelo para llamadas: solo reconoce cifras, sí y no, y las palabras esperadas'],
    ['no model for recordings is installed: they have no transcript', 'no hay ningún modelo para grabaciones: no tienen transcripción'],
    ['no voice is installed: <a>, which comes with Debian', 'no hay ninguna voz instalada: <a>, que viene con Debian'],
    ['switched off in the configuration', 'desactivado en la configuración'],
    ['chosen in the configuration', 'elegido en la configuración'],
    ['<a>; chosen in the configuration', '<a>; elegido en la configuración'],
    ['<a>; the best that is installed', '<a>; lo mejor que hay instalado'],
    ['<a>; the best for <b> that is installed<c>', '<a>; lo mejor que hay instalado para <b><c>'],
    ['Silero voice detector', 'detector de voz Silero'],
    ['it was not confirmed within <a> s', 'no se confirmó en <a> s'],
    ['undone by hand', 'deshecho a mano'],
    ['1 call would be cut off by a restart; nothing was changed', 'un reinicio cortaría 1 llamada; no se cambió nada'],
    ['1 call would be cut off by a restart', 'un reinicio cortaría 1 llamada'],
    ['<a> calls would be cut off by a restart; nothing was changed', 'un reinicio cortaría <a> llamadas; no se cambió nada'],
    ['<a> calls would be cut off by a restart', 'un reinicio cortaría <a> llamadas'],
  ],
  answers,
)

const reasons = sentencesIn(
  [
    ['trunk <a>: <r>', 'troncal <a>: <r>'],
    ['part <a>: <r>', 'parte <a>: <r>'],
  ],
  plainReasons,
)
/** How faxes and texts are, as one list: what sends, what receives, and each line that does not work. */
const conditions = sentencesIn(
  [
    ['cannot send', 'no puede enviar'],
    ['sends through <a>', 'envía por <a>'],
    ['no number receives', 'ningún número recibe'],
    ['receives through any trunk', 'recibe por cualquier troncal'],
    ['receives through <a>', 'recibe por <a>'],
    ['does not receive: less than <a> MB are free', 'no recibe: quedan menos de <a> MB libres'],
    ['no trunk for texts is configured', 'no hay ninguna línea de mensajes configurada'],
    ['<a>: <r>', '<a>: <r>'],
  ],
  plainReasons,
)

function reason(text: string): string | undefined {
  if (!/^(cannot send|sends through |no trunk for texts)/.test(text)) return reasons(text) ?? plainReasons(text)
  return text
    .split('; ')
    .map((part) => conditions(part) ?? part)
    .join('; ')
}

const lines: readonly Sentence[] = [
  [
    'Trunk <a>: anyone who can send packets from the provider’s address <b>',
    'Troncal <a>: quien pueda enviar paquetes con la dirección del proveedor puede llamar en su nombre.',
  ],
  [
    'Trunk <a>: <b> answered calls of the last 10 minutes were never acknowledged and <c> were refused for that reason, the last from <d>: <e>',
    'Troncal <a>: <b> llamadas atendidas en los últimos 10 minutos no se confirmaron y <c> se rechazaron por eso, la última de <d>: o son llamadas falsas, o los paquetes de este sistema no llegan al proveedor.',
  ],
  [
    'Trunk <a>: the certificate of <b> is not checked: <c>',
    'Troncal <a>: no se comprueba el certificado de <b>: un atacante en el camino puede escuchar sus llamadas y llamar en su nombre.',
  ],
  ['Text trunk <a>: <r>', 'Línea de mensajes <a>: <r>'],
  ['Trunk <a>: <r>', 'Troncal <a>: <r>'],
  ['Line <a>: <r>', 'Línea <a>: <r>'],
  ['Phone <a>: <r>', 'Teléfono <a>: <r>'],
  ['SIP does not listen on <a>: <b>; the daemon keeps trying', 'SIP no escucha en <a>: <b>; se sigue intentando.'],
  ['There are no SIP calls: <r>', 'No hay llamadas SIP: <r>'],
  [
    'The media clock has no real-time priority (<a>): audio may stutter when the machine is busy',
    'El reloj de audio no tiene prioridad de tiempo real (<a>): el sonido puede cortarse si la máquina está ocupada.',
  ],
  [
    'The machine was too slow for its calls: <a> s of audio were lost within the last hour',
    'La máquina fue demasiado lenta para sus llamadas: en la última hora se perdieron <a> s de audio.',
  ],
  [
    '<a> of at most <b> calls are in progress; further calls are refused, except emergency calls',
    'Hay <a> llamadas de un máximo de <b>; se rechazan otras, salvo las de emergencia.',
  ],
  [
    '<a> audio or fax packets that did not come from the far end of a call were dropped within the last hour: <b>',
    'En la última hora se descartaron <a> paquetes de audio o fax de otro origen: un atacante intenta entrar en llamadas o, si no se oyen, el proveedor envía desde una dirección que no anunció.',
  ],
  [
    '<a> connections to the SIP ports (TCP, TLS) were refused or ended in the last 10 minutes, the last from <b>',
    'En los últimos 10 minutos se rechazaron <a> conexiones a los puertos SIP (TCP, TLS), la última de <b>.',
  ],
  [
    'AN EMERGENCY CALL COULD NOT BE PUT THROUGH: <a> of <b> in the last day; the last emergency call came from <c>',
    'NO SE PUDO CURSAR UNA LLAMADA DE EMERGENCIA: <a> de <b> en el último día; la última fue de <c>.',
  ],
  [
    'An emergency number was called <a> times in the last day, the last time from <b>',
    'Se llamó a emergencias <a> veces en el último día, la última desde <b>.',
  ],
  ['EMERGENCY NUMBERS CANNOT BE DIALLED: <r>', 'NO SE PUEDE LLAMAR A EMERGENCIAS: <r>'],
  [
    'A call to another country was refused in the last day because limits.internationalCalls was reached',
    'En el último día se rechazó una llamada a otro país porque se alcanzó limits.internationalCalls.',
  ],
  [
    'A call of the last hour was refused because no rule matches, the last to <a> from <b>',
    'En la última hora se rechazó una llamada porque ninguna regla encaja: al <a> desde <b>.',
  ],
  [
    '<a> calls of the last hour were refused because no rule matches, the last to <b> from <c>',
    'En la última hora se rechazaron <a> llamadas porque ninguna regla encaja, la última al <b> desde <c>.',
  ],
  [
    '<a> of the last hour <b> refused because no rule matches, the last to <c> from <d>',
    'En la última hora se rechazaron llamadas porque ninguna regla encaja, la última al <c> desde <d>.',
  ],
  [
    'The box takes no new calls since <a>; what is left is ended at <b>',
    'El equipo no acepta llamadas nuevas desde <a>; lo que quede termina a las <b>.',
  ],
  ['The box takes no new calls since <a>', 'El equipo no acepta llamadas nuevas desde <a>.'],
]

const machine: readonly Sentence[] = [
  [
    'The folder <a> cannot be written (<b>): what belongs there is refused; calls continue',
    'No se puede escribir en la carpeta <a> (<b>): se rechaza lo que va allí; las llamadas siguen.',
  ],
  ['The disk has not answered for <a> s: nothing is stored', 'El disco no responde desde hace <a> s: no se guarda nada.'],
  [
    '<a> MB are free on the disk of <b>: new work will soon be refused',
    'Quedan <a> MB libres en el disco de <b>: pronto se rechazará trabajo nuevo.',
  ],
  ['<a> MB are free on the disk of <b>', 'Quedan <a> MB libres en el disco de <b>.'],
  [
    '<a>: the programs that read PDFs and speech could read other files of the daemon',
    '<a>: los programas que leen PDF y voz podrían leer otros archivos del servicio.',
  ],
  ['<a>: PDFs are not read, and speech programs are not confined', '<a>: no se leen los PDF, y los programas de voz no están aislados.'],
  ['Nothing can be written to the log: <a>', 'No se puede escribir en el registro: <a>'],
  ['pbxd <a> was not started: <b>', 'pbxd <a> no se inició: <b>'],
  ['pbxd <a> did not come up, and <b> was restored: <c>', 'pbxd <a> no arrancó y se volvió a <b>: <c>'],
  ['pbxd failed to start <a> times and did not run for <b> s: <c>', 'pbxd no pudo arrancar <a> veces y estuvo parado <b> s: <c>'],
  ['pbxd was stopped and did not run for <a> s', 'pbxd se detuvo y estuvo parado <a> s.'],
  ['pbxd ended unexpectedly and did not run for <a> s', 'pbxd terminó de improviso y estuvo parado <a> s.'],
  ['pbxd <a> replaced <b>', 'pbxd <a> sustituyó a <b>.'],
  ['the daemon was busy for <a> ms at a stretch', 'El servicio estuvo ocupado <a> ms seguidos.'],
  ['The part <a> did not start: <b>', 'La parte <a> no arrancó: <b>'],
  ['<a> has a fault: <r>', '<a> tiene un fallo: <r>'],
  [
    'The clock does not follow a time server yet: <a>',
    'El reloj aún no sigue a un servidor de hora: las llamadas recordatorio esperan, y las firmas fallan si se desvía más de 300 s.',
  ],
  ['The clock was set back by <a> s', 'El reloj se atrasó <a> s.'],
  ['The clock was set forward by <a> s', 'El reloj se adelantó <a> s.'],
  ['The last backup failed; there is no backup yet: <a>', 'La última copia falló; aún no hay ninguna: <a>'],
  ['The last backup failed; the last good backup is from <a>: <b>', 'La última copia falló; la última buena es de <a>: <b>'],
  ['There was no backup for more than a day; <r>', 'Desde hace más de un día no hay copia; <r>'],
  ['The last good backup is <a> days old', 'La última copia buena es de hace <a> días.'],
  ['The certificate is as it was: <a>', 'El certificado sigue como estaba: <a>'],
  [
    'The certificate of the web port could vouch for any site: <a>',
    'El certificado del puerto web podría avalar cualquier sitio web: nadie debería confiar en él, y los dispositivos de Apple lo rechazan.',
  ],
  [
    'The certificate of the box is not for <a>: its authority was made without it',
    'El certificado del equipo no vale para <a>: su autoridad se hizo sin ello.',
  ],
  ['The certificate <a> has ended', 'El certificado <a> ha caducado.'],
  ['The certificate <a> ends in 1 day', 'El certificado <a> caduca en un día.'],
  ['The certificate <a> ends in <b> days', 'El certificado <a> caduca en <b> días.'],
  [
    '<a> rows of the audit trail wait for the disk; they are in the log; <b> more are only in the log',
    '<a> filas de la auditoría esperan al disco y están en el registro; otras <b> están solo en el registro.',
  ],
  [
    '<a> rows of the audit trail wait for the disk; they are in the log',
    '<a> filas de la auditoría esperan al disco; están en el registro.',
  ],
  [
    'Neural speech has version <a>, but this pbxd was built for <b>',
    'La voz neuronal es la versión <a>, pero este pbxd se hizo para la <b>.',
  ],
  [
    'Neural speech (<a>) was installed and is missing: <b>',
    'La voz neuronal (<a>) estaba instalada y falta: sin transcripciones ni voces neuronales.',
  ],
  ['PDFs cannot be read: no program listens on <a>', 'No se pueden leer los PDF: ningún programa escucha en <a>.'],
  ['Less than <a> MB are free: fax calls are not answered', 'Quedan menos de <a> MB: no se atienden llamadas de fax.'],
  ['Plain http is not led to https: <a> cannot be opened (<b>)', 'http no lleva a https: no se puede abrir <a> (<b>).'],
]

const spanish = sentencesIn([...lines, ...machine, ...otherSentences], reason)

/** `text`: of an event or a warning, as the box says it. */
export const eventText = (text: string): string => (language.value === 'es' ? (spanish(text)?.replace(/\.$/, '') ?? text) : text)

const spanishFix = sentencesIn(fixes)

/** `fix`: a command, or what a person does, as the box says it. */
export const fixText = (fix: string): string => (language.value === 'es' ? (spanishFix(fix) ?? fix) : fix)

/** `text`: why a line, or a change of the configuration, is as it is. */
export const reasonText = (text: string): string => (language.value === 'es' ? (reason(text) ?? text) : text)
