/** What is wrong with a row of a list that is read, or with the whole list, in the language of the person; a test holds these against the source. */
import { language, sentencesIn } from '../../frame/words.ts'

const faults = sentencesIn([
  ['line <a>: a quote is not closed', 'línea <a>: unas comillas no se cierran'],
  [
    'the first line must name the columns: <a>, or those of Outlook or Google',
    'la primera línea debe nombrar las columnas: <a>, o las de Outlook o Google',
  ],
  [
    'the first line names <a> columns; at most <b> are read: leave out those that are not among <c>',
    'la primera línea nombra <a> columnas y se leen <b> como máximo: quite las que no estén entre <c>',
  ],
  [
    'the column <a> is given twice or means the same as another: the first value counts',
    'la columna <a> está dos veces o significa lo mismo que otra: cuenta el primer valor',
  ],
  ['the column <a> labels no column of phone numbers', 'la columna <a> no es la etiqueta de ninguna columna de teléfonos'],
  ['these columns are not read: <a> and <b> more', 'no se leen estas columnas: <a> y <b> más'],
  ['these columns are not read: <a>', 'no se leen estas columnas: <a>'],
  ['has <a> cells but there are <b> columns: <c> is left out', 'tiene <a> celdas pero hay <b> columnas: se omite <c>'],
  ['id or externalRef is missing', 'falta id o externalRef'],
  ['<a> is ignored: line <b> has <c> for the same id', 'se ignora <a>: la línea <b> tiene <c> con el mismo id'],
  ['only the first mail address is read; ignored: <a>', 'solo se lee la primera dirección de correo; se ignora: <a>'],
  ['<a> is ignored: another column of the line has a different value', 'se ignora <a>: otra columna de la línea tiene otro valor'],
  ['the label <a> is not known: other is used', 'no se conoce la etiqueta <a>: se usa other'],
  [
    '<a> was read as Windows-1252, or in the charset of the content type',
    '<a> se leyó como Windows-1252, o en el juego de caracteres indicado',
  ],
  ['<a> was read as <b>: the words are ignored', '<a> se leyó como <b>: se ignoran las palabras'],
  ['<a> was read as <b>', '<a> se leyó como <b>'],
  [
    'the file is not UTF-8 and has no charset: <a> rows were read as <b>',
    'el archivo no es UTF-8 ni indica su juego de caracteres: <a> filas se leyeron como <b>',
  ],
  ['must be a customer', 'debe ser un cliente'],
  ['it is empty', 'está vacía'],
  ['the member <a> is not read<b>', 'no se lee el campo <a>'],
  ['is replaced by row <a>, which has the same id', 'la sustituye la fila <a>, que tiene el mismo id'],
  [
    '<a> contains a question mark where a letter was lost before the import',
    'en <a> hay un signo de interrogación donde se perdió una letra antes de importar',
  ],
  [
    'the name <a> looks as if its letters had been read in a wrong charset before the import',
    'el nombre <a> parece leído con otro juego de caracteres antes de importar',
  ],
  ['it starts like <a> but is not', 'empieza como <a> pero no lo es'],
  ['its charset <a> is not known here: export it as UTF-8', 'aquí no se conoce su juego de caracteres <a>: expórtelo como UTF-8'],
  [
    'its letters are not UTF-8<a>: export it as UTF-8, or give its charset in the content type',
    'sus letras no son UTF-8: expórtelo como UTF-8',
  ],
  ['<a>: save it as CSV (UTF-8) and send that file', '<a>: guárdelo como CSV (UTF-8) y elija ese archivo'],
  ['it has no BEGIN:VCARD', 'no tiene BEGIN:VCARD'],
  ['the card has no END:VCARD: the file may be incomplete', 'la tarjeta no tiene END:VCARD: puede que el archivo esté incompleto'],
  ['these fields are ignored: <a>', 'se ignoran estos campos: <a>'],
  ['a second <a> is ignored: <b>', 'se ignora un segundo <a>: <b>'],
  ['there is no name (FN)', 'no hay nombre (FN)'],
  ['this is a group of cards, not a person', 'es un grupo de tarjetas, no una persona'],
  ['the letters of <a> are neither UTF-8 nor <b>: give the charset', 'las letras de <a> no son UTF-8 ni <b>: expórtelo como UTF-8'],
  ['belongs to the CRM: change it there', 'pertenece al CRM: cámbielo allí'],
  ['the directory is full (<a> customers)', 'la agenda está llena (<a> clientes)'],
  ['<a> is given twice and kept as <b>', '<a> está dos veces y se guarda como <b>'],
  ['has <a> numbers: the first <b> are kept', 'tiene <a> números: se guardan los <b> primeros'],
  ['<a> has 1 number', '<a> tiene 1 número'],
  ['<a> has <b> numbers, each of which is kept', '<a> tiene <b> números y se guarda cada uno'],
  ['<a> has no area code: calls from this number cannot be matched to it', '<a> no tiene prefijo: no se reconocerán sus llamadas'],
  [
    '<a> was rounded by a spreadsheet and lost its last digits: format the column as text and export it again',
    'una hoja de cálculo redondeó <a> y perdió sus últimas cifras: dé a la columna formato de texto y expórtela de nuevo',
  ],
  ['<a> of <b> is not a number: ignored', '<a>, de <b>, no es un número: se ignora'],
  ['<a> is not a number: ignored', '<a> no es un número: se ignora'],
])

export const rowText = (text: string): string => (language.value === 'es' ? (faults(text) ?? text) : text)

/** Of a list that cannot be read at all; undefined where the box gave no reason. */
export function unreadText(message: string): string | undefined {
  const why = /^This is not [^:]+: ([^]*)$/.exec(message)?.[1]
  return why === undefined || language.value !== 'es' ? undefined : `No se puede leer: ${rowText(why)}.`
}
