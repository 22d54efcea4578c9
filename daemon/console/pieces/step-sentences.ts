/** What the box says of the steps of its tests, in the language of the person; a test holds these against the source. */
import { language, sentencesIn } from '../frame/words.ts'
import { lineState } from './box-words.ts'
import { eventText, fixText, reasonText } from './event-words.ts'

const names = sentencesIn([
  ['engine', 'motor SIP'],
  ['real time', 'tiempo real'],
  ['disk', 'disco'],
  ['clock', 'reloj'],
  ['confinement', 'aislamiento'],
  ['encryption', 'cifrado'],
  ['swap', 'memoria de intercambio'],
  ['PDF reader', 'lector de PDF'],
  ['no TLS', 'sin TLS'],
  ['backup', 'copia de seguridad'],
  ['alarms', 'alarmas'],
  ['a call out', 'una llamada hacia fuera'],
  ['a call in over <a>', 'una llamada entrante por <a>'],
  ['calls for help', 'llamadas de emergencia'],
  ['a fax', 'un fax'],
  ['a mail', 'un correo'],
  ['endpoint <a>', 'aplicación <a>'],
  ['trunk <a>', 'troncal <a>'],
  ['line <a>', 'línea <a>'],
  ['phone <a>', 'teléfono <a>'],
  ['channels of <a>', 'canales de <a>'],
  ['name of <a>', 'nombre de <a>'],
  ['server of <a>', 'servidor de <a>'],
  ['modem of <a>', 'módem de <a>'],
  ['dial tone of <a>', 'tono de línea de <a>'],
])

const uses = sentencesIn([
  ['the embedded English voice', 'la voz inglesa integrada'],
  ['the embedded voice of the other languages', 'la voz integrada de los demás idiomas'],
])

const parts = sentencesIn(
  [
    ['<a> is missing, so there are no SIP calls', 'falta <a>, así que no hay llamadas SIP'],
    ['<a> is missing, so modem lines carry no faxes', 'falta <a>, así que las líneas con módem no llevan faxes'],
    ['<a> is built', '<a> está instalado'],
    ['runs, and its listeners are open', 'funciona, y sus puertos están abiertos'],
    ['its service starts when there is a PDF to read', 'su servicio arranca cuando hay un PDF que leer'],
    ['no program listens on <a>: PDFs cannot be read', 'ningún programa escucha en <a>: no se pueden leer los PDF'],
    ['<a> is free', '<a> está libre'],
    ['<a> is not available: <b>', '<a> no está disponible: <b>'],
    ['<r> is installed', '<r> está instalada'],
    ['<a> is missing: <r> cannot speak', 'falta <a>: <r> no puede hablar'],
    ['the media clock may run with real-time priority', 'el reloj de audio puede tener prioridad de tiempo real'],
    [
      'the media clock has no real-time priority<a>: audio may stutter when the machine is busy',
      'el reloj de audio no tiene prioridad de tiempo real<a>: el sonido puede cortarse si la máquina está ocupada',
    ],
    ['<a> does not exist yet', '<a> aún no existe'],
    ['<a> free for <b>: new work will be refused', '<a> libres para <b>: se rechazará trabajo nuevo'],
    ['<a> free for <b>: fax calls are not answered below <c> MB', '<a> libres para <b>: por debajo de <c> MB no se atienden faxes'],
    ['<a> free for <b>', '<a> libres para <b>'],
    ['follows a time server', 'sigue a un servidor de hora'],
    ['it is not known whether the clock follows a time server', 'no se sabe si el reloj sigue a un servidor de hora'],
    [
      'does not follow a time server: signatures fail when the clock is wrong by more than 300 s',
      'no sigue a ningún servidor de hora: las firmas fallan si se desvía más de 300 s',
    ],
    ['<a> accepts connections', '<a> acepta conexiones'],
    ['<a> does not accept connections: <b>', '<a> no acepta conexiones: <b>'],
    [
      'the programs that read PDFs and speech have no access to the network and to other files',
      'los programas que leen PDF y voz no tienen acceso a la red ni a otros archivos',
    ],
    [
      '<a>: PDFs are not read, and speech programs run with the rights of the daemon',
      '<a>: no se leen los PDF, y los programas de voz tienen los permisos del servicio',
    ],
    [
      '<a>: the programs that read PDFs and speech have no network and write nothing, but could read other files',
      '<a>: los programas que leen PDF y voz no tienen red ni escriben, pero podrían leer otros archivos',
    ],
    ['<a> is on an encrypted volume (dm-crypt)', '<a> está en un volumen cifrado (dm-crypt)'],
    [
      'it is not known whether <a> is on an encrypted volume: <b>',
      'no se sabe si <a> está en un volumen cifrado: quien robe el disco podría leer faxes, mensajes y grabaciones',
    ],
    [
      '<a> is not on an encrypted volume: <b>',
      '<a> no está en un volumen cifrado: quien robe el disco podría leer faxes, mensajes y grabaciones',
    ],
    ['it is not known whether the system swaps', 'no se sabe si el sistema usa memoria de intercambio'],
    ['the machine does not swap', 'la máquina no usa memoria de intercambio'],
    ['swap is encrypted or in memory', 'está cifrada o en memoria'],
    [
      '<a> writes memory with patient data to the disk without encryption',
      '<a> escribe en el disco, sin cifrar, memoria con datos de pacientes',
    ],
    ['<a> of <b> channels are in use', '<a> de <b> canales están en uso'],
    ['<a> leads nowhere: <b>', '<a> no lleva a ninguna dirección: <b>'],
    ['it is in a call; its test would end that', 'está en una llamada, que la prueba cortaría'],
    ['it was not free: <r>', 'no estaba libre: <r>'],
    ['it does not answer', 'no responde'],
    ['there is none', 'no lo hay'],
    ['heard', 'se oye'],
    ['the modem cannot say', 'el módem no lo sabe'],
    ['there are no backups: no recovery key is configured', 'no hay copias: falta la clave de recuperación en la configuración'],
    ['the last one failed: <a>', 'la última falló: <a>'],
    ['there is none yet', 'aún no hay ninguna'],
    ['the last good one is from <a>', 'la última buena es de <a>'],
    ['1 rule', '1 regla'],
    ['<a> rules', '<a> reglas'],
    ['nobody is notified of faults', 'no se avisa a nadie de las averías'],
    ['call a mobile phone from one of the phones', 'llame a un móvil desde uno de los teléfonos'],
    ['call one phone from another', 'llame de un teléfono a otro'],
    ['call <a> from a mobile phone', 'llame al <a> desde un móvil'],
    ['send a page, and have one sent back', 'envíe una página, y pida que le envíen otra'],
    ['<a>: no answer in <b> s', '<a>: no responde en <b> s'],
  ],
  (text) => uses(text) ?? reasonText(lineState(text)),
)

/** Of the name of a server; it would fit much else. */
const addresses = sentencesIn([['<a> is <b>', '<a> es <b>']])

const repairs = sentencesIn([
  [
    'apt-get install systemd-timesyncd, then timedatectl set-ntp true',
    'apt-get install systemd-timesyncd, y después timedatectl set-ntp true',
  ],
  ['channels of trunk <a> in the configuration', 'channels de la troncal <a> en la configuración'],
  ['test it when nobody talks', 'pruébelo cuando nadie hable'],
  ['pbx modem test <a>; check its cable', 'pbx modem test <a>; compruebe su cable'],
  ['pbx modem test <a>; if the device may not be opened: <b>', 'pbx modem test <a>; si no se puede abrir el dispositivo: <b>'],
  ['check the cable to the telephone line, and the line itself', 'compruebe el cable de la línea telefónica, y la propia línea'],
  ['add alarms to the configuration', 'añada alarms a la configuración'],
  ['the first start creates it: <a>', 'lo crea el primer arranque: <a>'],
  [
    'if a port is in use: stop the other program, or set another port in sip.udp, sip.tcp or sip.tls',
    'si un puerto está ocupado: detenga el otro programa, o ponga otro puerto en sip.udp, sip.tcp o sip.tls',
  ],
  ['stop the program that uses it, or set another address in <a>', 'detenga el programa que lo usa, o ponga otra dirección en <a>'],
  [
    'use systemd/pbxd-engine.service (LimitRTPRIO=20), or add <a> to <b> and log in again',
    'use systemd/pbxd-engine.service (LimitRTPRIO=20), o añada <a> a <b> y entre de nuevo',
  ],
  [
    'start that application, or correct voice.endpoints (<a>) controlUrl',
    'inicie esa aplicación, o corrija controlUrl en voice.endpoints (<a>)',
  ],
  [
    'connect the modem, or correct the device of line <a> in the configuration; <b>',
    'conecte el módem, o corrija device de la línea <a> en la configuración; <b>',
  ],
  [
    'put it on a volume made with cryptsetup luksFormat (dm-crypt): docs/privacy.md',
    'póngalo en un volumen creado con cryptsetup luksFormat (dm-crypt): docs/privacy.md',
  ],
  ['swapoff it and take it out of <a>, or encrypt it in <b>', 'desactívela con swapoff y quítela de <a>, o cífrela en <b>'],
])

const inSpanish = (text: string, known: (text: string) => string | undefined, otherwise: (text: string) => string): string =>
  language.value === 'es' ? (known(text) ?? otherwise(text)) : text

/** What is tried. The name of a program or of a key of the configuration stays. */
export const stepName = (name: string): string => inSpanish(name, names, (text) => text)

/** What came of it, or what a person does. */
export const stepText = (text: string): string =>
  inSpanish(text, parts, (other) => {
    const said = reasonText(lineState(eventText(other)))
    return said === other ? (addresses(other) ?? other) : said
  })

/** What repairs it. */
export const stepFix = (fix: string): string => inSpanish(fix, repairs, fixText)
