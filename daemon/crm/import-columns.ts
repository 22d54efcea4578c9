/**
 * What the columns of an exported address book are: those of this program, of Outlook in English, German, Spanish, French, Italian,
 * Portuguese and Dutch, and of Google Contacts; others by the words in their names.
 */
import type { PhoneLabel } from '../store/crm-rows.ts'

export type Field =
  | 'id'
  | 'externalRef'
  | 'kind'
  | 'status'
  | 'name'
  | 'title'
  | 'first'
  | 'middle'
  | 'last'
  | 'suffix'
  | 'company'
  | 'email'
  | 'phone'
  | 'label'

export interface Column {
  readonly at: number
  readonly field: Field
  /** Of a `phone` that its name labels. */
  readonly label?: PhoneLabel
  /** What a `phone` and its `label` have in common: "phone 1"; '' for the plain ones. */
  readonly pair: string
}

const named: Readonly<Partial<Record<Field, string>>> = {
  id: 'id|uid|customer id|patient id|contact id|party id',
  externalRef: 'externalref|external ref|mrn|medical record number|chart number',
  kind: 'kind',
  status: 'status',
  label: 'label',
  name: 'name|full name|fullname|display name|displayname|file as|contact name|customer name|customername|patient|patient name|nombre completo|nombre y apellidos|vollstandiger name|anzeigename|nom complet|nome completo|volledige naam|naam',
  title: 'title|name prefix|prefix|salutation|anrede|titulo|tratamiento|titre|titolo|aanhef',
  first: 'first name|firstname|given name|givenname|forename|vorname|nombre|prenom|nombre de pila|nome|nome proprio|voornaam',
  middle:
    'middle name|middlename|additional name|weitere vornamen|zweiter vorname|segundo nombre|deuxieme prenom|secondo nome|nome do meio|middelste naam',
  last: 'last name|lastname|family name|familyname|surname|nachname|familienname|apellido|apellidos|nom|nom de famille|cognome|sobrenome|apelido|achternaam',
  suffix: 'suffix|name suffix|sufijo|suffixe|namenszusatz|sufixo|achtervoegsel',
  company:
    'company|company name|organization|organisation|organization name|organization 1 name|firma|unternehmen|organizacion|organismo|compania|empresa|societe|entreprise|societa|azienda|bedrijf',
}
const fields = new Map(Object.entries(named).flatMap(([field, names]) => names.split('|').map((name) => [name, field as Field] as const)))

const phoneWords =
  /(?:^| )(?:phone|phones|phonenumber|telephone|telefono|telefon|telefone|telefonnummer|tel|telf|rufnummer|mobile|mobil|mobiltelefon|movil|celular|cell|cellphone|cellular|handy|handynummer|natel|portable|gsm|fax|telecopie|haupttelefon|autotelefon|telefoon|telefoonnummer|mobiele|cellulare|abitazione|telemovel)(?: |$)/
/** Not the person's own number, or nothing that is called. */
const noPhone =
  /(?:^| )(?:type|typ|tipo|label|ext|extension|assistant|assistants|assistent|assistenten|asistente|adjoint|telex|tty|tdd)(?: |$)/
const mailWords = /(?:^| )(?:e mail|email|mail|correo|courriel|messagerie|posta elettronica|mailadres)(?: |$)/
const noMail = /(?:^| )(?:type|typ|tipo|label|display|angezeigter|name|nombre|nom|nome|naam|affichage)(?: |$)/
const labels: readonly (readonly [PhoneLabel, RegExp])[] = [
  ['fax', /fax|telecopie/],
  [
    'mobile',
    /(?:^| )(?:mobile|mobil|mobiltelefon|movil|celular|cell|cellphone|cellular|handy|handynummer|natel|portable|gsm|iphone|mobiele|cellulare|telemovel)(?: |$)/,
  ],
  ['home', /(?:^| )(?:home|privat|private|particular|casa|domicile|main home|abitazione|residencial|thuis)(?: |$)/],
  [
    'work',
    /(?:^| )(?:business|work|office|geschaftlich|dienstlich|arbeit|trabajo|oficina|bureau|travail|company|firma|societe|compania|organismo|empresa|uff|ufficio|lavoro|comercial|trabalho|werk)(?: |$)/,
  ],
]

/** Small letters and digits, without accents and marks. */
export function plainWords(text: string): string {
  return text
    .slice(0, 200)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()
}

/** null: it says nothing that is known. */
export function phoneLabel(text: string): PhoneLabel | null {
  const words = plainWords(text)
  const found = labels.find(([, pattern]) => pattern.test(words))?.[0]
  return found ?? (/^(?:other|main|primary|pref|voice|custom|otro|weiteres?|autre|principal|hauptnummer|\*)?$/.test(words) ? 'other' : null)
}

export function columnsOf(header: readonly string[]): Column[] {
  const words = header.map(plainWords)
  const columns = words
    .map((name, at) => columnOf(name, at) ?? columnOf(plainWords(apart(header[at]!)), at))
    .filter((column) => column !== null)
  const found = new Set(columns.map(({ field }) => field))
  const has = (field: Field): boolean => found.has(field)
  return columns.map((column) => {
    const name = words[column.at]!
    // German lists have Name and Vorname, Spanish ones Nombre alone.
    if (name === 'name' && has('first') && !has('last')) return { ...column, field: 'last' }
    if (['nombre', 'nom', 'nome'].includes(name) && !has(name === 'nom' ? 'first' : 'last') && !has('name'))
      return { ...column, field: 'name' }
    return column
  })
}

/** As databases name columns: "MobilePhone", "mobilephone", "Home #". */
const apart = (name: string): string =>
  name
    .slice(0, 200)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .replace(/^(home|work|business|office|mobile|cell|other)(?=phone$|fax$)/i, '$1 ')
    .replace(/^(home|work|business|office|mobile|cell|other)\W*(?:#|no\.?|num(?:ber)?)$/i, '$1 phone')

function columnOf(name: string, at: number): Column | null {
  const field = fields.get(name)
  if (field !== undefined) return { at, field, pair: '' }
  const pair = /^(phone \d+) (?:type|label)$/.exec(name)?.[1]
  if (pair !== undefined) return { at, field: 'label', pair }
  if (phoneWords.test(name) && !noPhone.test(name)) {
    const numbered = /^(phone \d+) value$/.exec(name)?.[1]
    if (numbered !== undefined || name === 'phone') return { at, field: 'phone', pair: numbered ?? '' }
    return { at, field: 'phone', pair: name, label: phoneLabel(name) ?? 'other' }
  }
  return mailWords.test(name) && !noMail.test(name) ? { at, field: 'email', pair: '' } : null
}
