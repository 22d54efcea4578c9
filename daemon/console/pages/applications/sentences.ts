/**
 * Why an application, a callback or the CRM was not reached, as the box says it, in the language of the person; a test holds these against the source.
 */
import { language, sentencesIn } from '../../frame/words.ts'

const network = sentencesIn([
  ['the connection was refused', 'se rechazó la conexión'],
  ['connect-refused', 'se rechazó la conexión'],
  ['the connection was broken off', 'se cortó la conexión'],
  ['no connection in time', 'no hubo conexión a tiempo'],
  ['no way leads to its address', 'ningún camino lleva a su dirección'],
  ['the host name is unknown', 'no se conoce el nombre del servidor'],
  ['its name cannot be looked up: no DNS server answers', 'no se puede buscar su nombre: ningún servidor DNS responde'],
])

const reasons = sentencesIn(
  [
    ['requests must not go to this URL: <a>', 'no se permiten peticiones a esta dirección: <a>'],
    ['other requests to the same endpoint took <a> ms', 'otras peticiones a la misma aplicación tardaron <a> ms'],
    [
      'the application failed several times in a row; the box waits before it asks it again',
      'la aplicación falló varias veces seguidas; el equipo espera antes de preguntarle de nuevo',
    ],
    ['the answer has no Content-Type and is not a control document', 'la respuesta no tiene Content-Type y no es un documento de control'],
    [
      'the answer has the Content-Type "<a>" and is not a control document',
      'la respuesta tiene el Content-Type "<a>" y no es un documento de control',
    ],
    ['the answer is not JSON', 'la respuesta no es JSON'],
    ['the answer cannot be used: <a>', 'la respuesta no sirve: <a>'],
    ['no connection: <r>', 'sin conexión: <r>'],
    ['no connection within <a> ms', 'sin conexión en <a> ms'],
    ['no full answer within <a> ms', 'sin respuesta completa en <a> ms'],
    ['no answer within <a> s', 'sin respuesta en <a> s'],
    ['timeout: no answer within <a> ms', 'sin respuesta en <a> ms'],
    ['timeout: no connection', 'sin conexión a tiempo'],
    ['the connection broke within the answer: <r>', 'la conexión se cortó durante la respuesta: <r>'],
    ['the caller hung up', 'colgó quien llamaba'],
    ['the answer has more than <a> bytes', 'la respuesta tiene más de <a> bytes'],
    ['the answer is encoded as <a>; only gzip is accepted', 'la respuesta está codificada como <a>; solo se acepta gzip'],
    ['the answer says that it is gzip, but it is not', 'la respuesta dice ser gzip, y no lo es'],
    ['the application answered <a>; HTTP redirects are not followed', 'la aplicación respondió <a>; no se siguen las redirecciones HTTP'],
    ['the application answered <a>', 'la aplicación respondió <a>'],
    ['answered <a>; redirects are not followed', 'respondió <a>; no se siguen las redirecciones'],
    ['answered <a>', 'respondió <a>'],
    ['no secret is configured for "<a>"', 'no hay ninguna clave configurada para "<a>"'],
  ],
  network,
)

/** What the box has no Spanish sentence for, such as that of a program, stays as it is. */
export const failureText = (text: string): string => (language.value === 'es' ? (reasons(text) ?? network(text) ?? text) : text)
