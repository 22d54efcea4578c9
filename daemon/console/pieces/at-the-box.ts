/**
 * What is done at a terminal of the box and on no page, by the page on which a person would look for it: the commands, and what each is for. A test
 * holds this and the pages against all commands of `pbx`.
 */
import { words } from '../frame/words.ts'

const purposes = words({
  en: {
    'audit export': 'the whole trail as a file; on this page, a manager exports it',
    'backup check': 'verifies a backup without restoring it',
    'backup key': 'makes a recovery key, of which the private half is shown once',
    'callbacks show': 'one report with its body, which may name a patient',
    'certificate make': 'a new authority and certificate, which everybody has to trust again',
    'certificate renew': 'a new certificate by the same authority; a timer does this in time',
    'certificate show': 'whose the certificate is, and the fingerprint that people compare',
    'cluster check': 'compares the files of this machine with the description of several boxes',
    'cluster render': 'writes the files of several boxes behind one address',
    'cluster status': 'which boxes take calls, and which machine has the address',
    'config schema': 'what may stand in the configuration, for an editor of programmers',
    'config write': 'writes what was applied on this page into a file that the service may not write',
    'console reset': 'a new way in for a person who is locked out, when nobody else can sign in',
    'crm check': 'asks a CRM all that the box will ask it, and judges the answers',
    'crm queue': 'the calls and notes that wait for the CRM, one by one',
    'mail delete': 'removes a mail',
    'mail list': 'mails that were sent, wait or were refused; their text is never shown',
    'mail retry': 'sends a waiting mail now',
    'modem scan': 'finds modems, and writes their line for the configuration; "Set up" finds them, too',
    'modem trace': 'every command and answer of a modem as they happen',
    'models import': 'installs models from a USB stick, without a network',
    'models install': 'downloads and installs models',
    'models list': 'all models with size, memory and licence',
    'models remove': 'removes a model',
    'models verify': 'checks each file of the installed models',
    'pair start': 'lets this machine serve alone, after the other and the witness have been lost',
    'pair status': 'which of two machines serves, and which stands by',
    'pair switch': 'lets the other machine serve',
    'pair test': 'whether the other machine could take over',
    'phones settings': 'the settings of a phone with its passwords, which no page shows',
    sign: 'the headers of a signed request, for programmers',
    'speech selftest': 'measures what is installed; two minutes for each model',
    transcribe: 'writes down what a file of sound says',
    verify: 'whether the signature of a request is right, for programmers',
    who: 'No button does these. Somebody with a shell on the box runs them: those with sudo as root, the others also as a member of the group pbx.',
    title: 'At a terminal of the box',
  },
  es: {
    'audit export': 'todo el registro en un archivo; en esta página lo exporta un responsable',
    'backup check': 'comprueba una copia sin recuperarla',
    'backup key': 'crea una clave de recuperación, cuya mitad privada se muestra una vez',
    'callbacks show': 'un aviso con su contenido, que puede nombrar a un paciente',
    'certificate make': 'una autoridad y un certificado nuevos; todos deben confiar de nuevo',
    'certificate renew': 'un certificado nuevo de la misma autoridad; un temporizador lo hace a tiempo',
    'certificate show': 'de quién es el certificado, y la huella que se compara',
    'cluster check': 'compara los archivos de esta máquina con la descripción de varios equipos',
    'cluster render': 'escribe los archivos de varios equipos tras una dirección',
    'cluster status': 'qué equipos aceptan llamadas, y qué máquina tiene la dirección',
    'config schema': 'lo que puede haber en la configuración, para un editor de programadores',
    'config write': 'escribe lo aplicado en esta página en un archivo que el servicio no puede escribir',
    'console reset': 'un acceso nuevo para quien se ha quedado fuera, si nadie más puede entrar',
    'crm check': 'pregunta a un CRM todo lo que le preguntará el equipo, y juzga las respuestas',
    'crm queue': 'las llamadas y notas que esperan al CRM, una por una',
    'mail delete': 'elimina un correo',
    'mail list': 'correos enviados, en espera o rechazados; su texto no se muestra nunca',
    'mail retry': 'envía ahora un correo en espera',
    'modem scan': 'busca módems y escribe su línea para la configuración; la puesta en marcha también los busca',
    'modem trace': 'cada orden y respuesta de un módem según pasan',
    'models import': 'instala modelos desde una memoria USB, sin red',
    'models install': 'descarga e instala modelos',
    'models list': 'todos los modelos con tamaño, memoria y licencia',
    'models remove': 'quita un modelo',
    'models verify': 'comprueba cada archivo de los modelos instalados',
    'pair start': 'esta máquina atiende sola, tras perderse la otra y el testigo',
    'pair status': 'cuál de dos máquinas atiende y cuál espera',
    'pair switch': 'hace que atienda la otra máquina',
    'pair test': 'si la otra máquina podría relevar a esta',
    'phones settings': 'los ajustes de un teléfono con sus contraseñas, que ninguna página muestra',
    sign: 'las cabeceras de una petición firmada, para programadores',
    'speech selftest': 'mide lo instalado; dos minutos por modelo',
    transcribe: 'transcribe un archivo de sonido',
    verify: 'si la firma de una petición es correcta, para programadores',
    who: 'Ningún botón hace esto. Lo ejecuta quien tenga un terminal en el equipo: lo que lleva sudo, como root; lo demás, también quien sea del grupo pbx.',
    title: 'En un terminal del equipo',
  },
})

type Command = Exclude<keyof typeof purposes.catalogue.en, 'who' | 'title'>

/** By the name of the page. `sudo`: root alone. */
export const atTheBox = {
  applications: ['crm check', 'crm queue', 'callbacks show', 'sign', 'verify'],
  audit: ['audit export'],
  backup: ['backup check', 'sudo backup key'],
  config: ['sudo config write', 'config schema'],
  health: [
    ...(['mail list', 'mail retry', 'mail delete'] as const),
    ...(['certificate show', 'sudo certificate renew', 'sudo certificate make'] as const),
    ...(['pair status', 'sudo pair test', 'sudo pair switch', 'sudo pair start'] as const),
    ...(['cluster status', 'cluster check', 'cluster render'] as const),
  ],
  lines: ['phones settings', 'modem scan', 'modem trace'],
  people: ['console reset'],
  speech: [
    ...(['models list', 'sudo models install', 'sudo models import'] as const),
    ...(['models verify', 'sudo models remove', 'speech selftest', 'transcribe'] as const),
  ],
} satisfies Readonly<Record<string, readonly (Command | `sudo ${Command}`)[]>>

export type PageAtTheBox = keyof typeof atTheBox

export const commandText = (command: string): string => {
  const root = command.startsWith('sudo ')
  return `${root ? 'sudo ' : ''}pbx ${root ? command.slice('sudo '.length) : command}`
}

export const purposeText = (command: string): string => purposes(command.replace(/^sudo /, '') as Command)
export const sayAtTheBox = (what: 'who' | 'title'): string => purposes(what)
