/**
 * What others write that the program reads, each with families of input that cost a careless reader more than their length: ten times the
 * input may cost ten times the time. `n` is about how many characters, lines or members.
 */
import { PartyInputSchema } from '../../daemon/schema/crm.ts'
import { decodeBase64 } from '../../daemon/base/base64.ts'
import { parseConfig } from '../../daemon/config/load.ts'
import { partiesOfCsv } from '../../daemon/crm/import-csv.ts'
import { lookAt, type ImportEntry } from '../../daemon/crm/import-look.ts'
import { partiesOfVcard } from '../../daemon/crm/import-vcard.ts'
import { partyNumber, printable } from '../../daemon/crm/numbers.ts'
import { scrub } from '../../daemon/crm/outgoing.ts'
import { lookAtPage } from '../../daemon/crm/sync/page.ts'
import { isCutOff } from '../../daemon/fax/pages/pdf-bounds.ts'
import { forLog } from '../../daemon/base/for-log.ts'
import { unknownMembers } from '../../daemon/http/unknown.ts'
import { parseJson, parsePairs } from '../../daemon/http/parse.ts'
import { checker } from '../../daemon/http/validate.ts'
import { readAddress } from '../../daemon/base/mail-address.ts'
import { Keywords } from '../../daemon/messaging/keywords.ts'
import { splitText } from '../../daemon/messaging/segments.ts'
import { normaliseNumber } from '../../daemon/numbers/numbers.ts'
import { reminderText } from '../../daemon/reminders/ledger.ts'
import { normalise } from '../../daemon/speech/speaker.ts'
import { sayAs } from '../../daemon/speech/say-as.ts'
import { splitSentences } from '../../daemon/speech/sentences.ts'
import { isSsml, parseSsml } from '../../daemon/speech/ssml.ts'
import { parseDocument } from '../../daemon/voice/document.ts'
import { readServerFrame } from '../../daemon/voice/stream/messages.ts'
import { LineParser, readNotice, valuesOf } from '../../drivers/gsm/lines.ts'
import { decodePdu } from '../../drivers/gsm/pdu.ts'
import { readAbilities } from '../../drivers/modem/class2/dialects.ts'
import { readCarriers, readClasses, readLine, ResultParser } from '../../drivers/modem/results.ts'
import { chooseFormat } from '../../drivers/modem/voice/formats.ts'
import { opusSeconds } from '../../drivers/opus.ts'
import { FrameDecoder, parseMessage } from '../../drivers/sip/frames.ts'
import { fillRequest } from '../../drivers/sms-http/template.ts'
import { documentOf, readText as readProviderText } from '../../drivers/sms-http/inbound.ts'
import { decode, encode } from '../../drivers/smpp/codec.ts'
import { FrameReader } from '../../drivers/smpp/session.ts'
import { readText } from '../../drivers/smpp/inbound.ts'
import { readReceipt } from '../../drivers/smpp/receipts.ts'
import { wavFormat } from '../../drivers/wav.ts'
import { peoplesData } from './linear-people.ts'

export interface Family {
  readonly parser: string
  readonly family: string
  /** The input of that size: made before the clock runs. */
  readonly make: (n: number) => unknown
  readonly read: (input: never) => unknown
  /** The smaller of the two sizes; ten times that is what the parser takes at the most. */
  readonly n: number
}

const check = checker(PartyInputSchema, false)
const now = Date.UTC(2026, 2, 2)
const keywords = new Keywords(['STOP', 'OPT OUT'], ['es'])
const documentContext = { destinations: new Set<string>() }

/** Each family of one parser: its name, and what makes the input. */
function of<T>(parser: string, n: number, read: (input: T) => unknown, families: Readonly<Record<string, (n: number) => T>>): Family[] {
  return Object.entries(families).map(([family, make]) => ({ parser, family, make, read: read as (input: never) => unknown, n }))
}

/** `piece` again and again, n characters of it. */
const times = (piece: string) => (n: number) => piece.repeat(Math.ceil(n / piece.length))
const after =
  (head: string, piece: string, tail = '') =>
  (n: number) =>
    head + times(piece)(n) + tail

/** Texts that are bad for patterns of words, numbers and marks. */
const texts: Readonly<Record<string, (n: number) => string>> = {
  'words without an end': times('a'),
  'spaces, and something behind': after('', ' ', 'x'),
  'spaces between words': times('a    '),
  digits: times('1'),
  'digits and dots': times('1.'),
  'digits and commas': after('', '111,', '1'),
  thousands: after('', '1,111', 'x'),
  'digits and dashes': after('', '1-', 'x'),
  'dots, and something behind': after('', '.', 'x'),
  'exclamation marks': after('', '!', 'x'),
  'capitals and dots': times('A.'),
  'names that never have an @': times('a.'),
  'names with an @ and no end': times('a@'),
  questions: times('?'),
  quotes: times('"'),
  'quoted quotes': times('\'a" '),
  slashes: after('http://a.b/', '/', ' '),
  addresses: times('http://'),
  schemes: times('a+'),
  money: after('', '$1', ' '),
  'times of day': times('1:11-'),
  brackets: times('(1'),
  'phone numbers': times('555-123-4567 '),
  'numbers in brackets': times('(((555) '),
  ellipses: after('', ' ', '…'),
  lines: times('a\n'),
  'empty lines': after('', '\n', 'x'),
  'not of the BMP': times('😀'),
  combining: after('e', '\u0301'),
}

const modemLines: Readonly<Record<string, (n: number) => string>> = {
  ...texts,
  'a number and spaces': after('1,', ' ', 'x'),
  'a name that does not end': after('128,"', 'a ', '",'),
  'a field and spaces': after('NMBR', ' ', 'x'),
  commas: after('+CSQ: ', ','),
  'quotes of values': after('+CSQ: ', '"a"'),
  ranges: after('', '1-2,'),
  lists: after('', '(', '('),
}

const csvHead = 'id,name,phone\n'
export const families: readonly Family[] = [
  ...of('CSV', 20_000, partiesOfCsv, {
    'empty columns, and lines of one cell': (n) => `id,name${','.repeat(n / 2)}\n${'a\n'.repeat(n / 4)}`,
    lines: after(csvHead, 'a,b,5551234567\n'),
    'lines of one party': after(csvHead, 'a,b,5551234567\n'),
    'empty cells': after(csvHead, ','),
    'empty lines': after(csvHead, '\n'),
    'carriage returns': after(csvHead, '\r'),
    quotes: after(csvHead, '"'),
    'quoted cells': after(csvHead, '"a""b",'),
    'one long cell': after(csvHead, 'a'),
    spaces: after(`${csvHead}a,`, ' '),
  }),
  ...peoplesData(of, { times, after, texts }),
  ...of('vCard', 20_000, (text: string) => partiesOfVcard(Buffer.from(text, 'latin1')), {
    'lines of quoted-printable': after('BEGIN:VCARD\nFN;ENCODING=QUOTED-PRINTABLE:', '=C3=\n=B6', '\nEND:VCARD\n'),
    'lines of quoted-printable without an end': after('BEGIN:VCARD\nFN;ENCODING=QUOTED-PRINTABLE:', '=\n', ''),
    'letters of no encoding': after('BEGIN:VCARD\n', 'FN:M\u00fcller\n', 'END:VCARD\n'),
    'labels of groups': after('BEGIN:VCARD\nFN:A\n', 'item1.TEL:5\nitem1.X-ABLabel:a\n', 'END:VCARD\n'),
    semicolons: after('BEGIN:VCARD\nN:', 'a;', '\nEND:VCARD\n'),
    'numbers that do not end': after('BEGIN:VCARD\n', 'TEL;a\n'),
    cards: times('BEGIN:VCARD\nFN:A\nTEL:5551234567\nEND:VCARD\n'),
    begins: times('BEGIN:VCARD\n'),
    'begins with spaces': after('BEGIN:VCARD\nBEGIN:VCARD', ' ', 'x'),
    'folded lines': after('BEGIN:VCARD\nFN:A', '\n b', '\nEND:VCARD\n'),
    parameters: after('BEGIN:VCARD\nFN:A\nTEL', ';a', ':5\nEND:VCARD\n'),
    'parameters with values': after('BEGIN:VCARD\nFN:A\nTEL', ';a=b', ':5\nEND:VCARD\n'),
    'parameters with quotes': after('BEGIN:VCARD\nFN:A\nTEL;a=', '"b",', ':5\nEND:VCARD\n'),
    escapes: after('BEGIN:VCARD\nFN:', '\\,', '\nEND:VCARD\n'),
    'parts of a name': after('BEGIN:VCARD\nN:', ';', '\nEND:VCARD\n'),
    groups: after('BEGIN:VCARD\n', 'item1.TEL:5\n', 'END:VCARD\n'),
    pictures: after('BEGIN:VCARD\nFN:A\nPHOTO:', 'A', '\nEND:VCARD\n'),
    'empty lines': after('BEGIN:VCARD\n', '\n', 'FN:A'),
  }),
  ...of<ImportEntry[]>('parties of JSON', 1000, (entries) => lookAt({ entries: structuredClone(entries) }, 'US', check), {
    'honest ones': (n) =>
      Array.from({ length: n }, (_, row) => ({
        row,
        party: { id: `p${row}`, name: 'A', phones: [{ number: `555${1_000_000 + (row % 100)}` }] },
      })),
    'one id': (n) => Array.from({ length: n }, (_, row) => ({ row, party: { id: 'p', name: 'A', phones: [] } })),
    'one party with many numbers': (n) => [
      { row: 1, party: { id: 'p', name: 'A', phones: Array.from({ length: n }, () => ({ number: '5551234567' })) } },
    ],
    'members that nobody knows': (n) => [
      { row: 1, party: { id: 'p', name: 'A', phones: [], ...Object.fromEntries(Array.from({ length: n }, (_, at) => [`m${at}`, at])) } },
    ],
    faults: (n) => Array.from({ length: n }, (_, row) => ({ row, party: { phones: [] } })),
  }),
  ...of('page of the CRM', 100, (body) => lookAtPage(structuredClone(body)), {
    'customers with junk': (n) => ({
      customers: Array.from({ length: Math.min(500, n) }, (_, at) => ({ id: `c${at}`, junk: 'x'.repeat(n) })),
      nextCursor: null,
    }),
    'more than a page': (n) => ({ customers: Array.from({ length: n * 100 }, () => 0), nextCursor: null }),
  }),
  ...of('JSON', 100_000, (text: string) => tried(() => parseJson(Buffer.from(text))), {
    brackets: times('['),
    'strings with escapes': after('"', '\\"', '"'),
    zeros: after('[', '0,', '0]'),
    strings: after('[', '"a",', '0]'),
  }),
  ...of('query', 20_000, parsePairs, {
    names: times('a&'),
    'one name': times('a=1&'),
    'equals signs': times('='),
    escapes: times('%41'),
    'bad escapes': times('%'),
  }),
  ...of('Base64', 100_000, (text: string) => decodeBase64(text, 10_000_000), {
    letters: times('AAAA'),
    spaces: times(' '),
    'a head that does not end': after('data:', 'a'),
    commas: times('data:,'),
  }),
  ...of('members of a request', 500, (body) => unknownMembers(PartyInputSchema, body), {
    'unknown ones': (n) => Object.fromEntries(Array.from({ length: n }, (_, at) => [`nme${at}`, at])),
    'long ones': (n) => ({ ['n'.repeat(n)]: 1 }),
  }),
  ...of('number', 1000, (text: string) => [normaliseNumber(text, 'US'), partyNumber(text, 'US')], {
    ...texts,
    'plus signs': times('+'),
    extensions: after('5551234567', ' ext 1'),
  }),
  ...of('name on a display', 20_000, printable, texts),
  ...of('mail address', 200, readAddress, {
    ...texts,
    'at signs': times('@'),
    brackets: times('<'),
    comments: times('('),
    labels: after('a@', 'a.'),
    quoted: after('"', '\\"'),
  }),
  ...of('text for the log', 20_000, forLog, texts),
  ...of('refusal of the CRM', 50, scrub, texts),
  ...of('words of a text message', 5000, (text: string) => [keywords.judge(text), splitText(text, true)], texts),
  ...of('text to be spoken', 3000, (text: string) => normalise(text, 'en-US'), texts),
  ...of('sentences', 3000, (text: string) => splitSentences(text, true), texts),
  ...of(
    'say-as',
    3000,
    (text: string) =>
      ['telephone', 'characters', 'date', 'time', 'cardinal', 'ordinal', 'currency'].map((as) => sayAs(text, as, '', 'en-US')),
    texts,
  ),
  ...of('SSML', 3000, (text: string) => [isSsml(text), parseSsml(text, 'en-US')], {
    ...Object.fromEntries(Object.entries(texts).map(([name, make]) => [name, (n: number) => `<speak>${make(n)}</speak>`])),
    signs: after('<speak>', '<'),
    'tags that do not end': after('<speak>', '<a '),
    'attributes that do not end': after('<speak>', '<a b="'),
    'both quotes': after('<speak>', `<a b="<a b='`),
    'spaces in a tag': after('<speak><a', ' ', 'x'),
    'a name that does not end': after('<speak><a ', 'b'),
    comments: after('<speak>', '<!--'),
    CDATA: after('<speak>', '<![CDATA['),
    nested: after('<speak>', '<p>'),
    entities: after('<speak>', '&a'),
    ampersands: after('<speak>', '&#1'),
    instructions: after('<speak>', '<?'),
    'spaces before': after('', ' ', '<x'),
  }),
  ...of('document of an application', 3000, (text: string) => parseDocument(text, documentContext), {
    brackets: times('['),
    verbs: (n) => JSON.stringify(Array.from({ length: n / 40 }, () => ({ say: { text: 'a' } }))),
    'unknown verbs': (n) => JSON.stringify(Array.from({ length: 50 }, () => ({ ['s'.repeat(n / 100)]: {} }))),
    'unknown members': (n) => JSON.stringify([{ say: Object.fromEntries(Array.from({ length: n / 10 }, (_, at) => [`tex${at}`, 1])) }]),
    'one long text': (n) => JSON.stringify([{ say: { text: 'a b. '.repeat(n / 5) } }]),
    hints: (n) => JSON.stringify([{ gather: { input: ['speech'], hints: Array.from({ length: n / 10 }, (_, at) => `hint${at}`) } }]),
  }),
  ...of('frame of a stream', 5000, (text: string) => tried(() => readServerFrame(Buffer.from(text), () => undefined)), {
    brackets: times('['),
    audio: (n) => JSON.stringify({ event: 'media', media: { payload: 'A'.repeat(n) } }),
    members: (n) =>
      JSON.stringify({ event: 'media', media: Object.fromEntries(Array.from({ length: n / 10 }, (_, at) => [`m${at}`, ''])) }),
  }),
  ...of(
    'text of a reminder',
    5000,
    (customerName: string) =>
      reminderText({
        languages: ['en'],
        timeZone: 'America/New_York',
        practice: 'Clinic',
        practiceNumber: '',
        customerName,
        appointmentAt: now,
      } as never),
    { ...texts, templates: times('{{'), sections: times('{{#a}}') },
  ),
  ...of(
    'template of a provider',
    5000,
    (body: string) =>
      fillRequest({ method: 'POST', path: '/x', json: { text: '{{body}}' } } as never, 'http://a', { to: '1', from: '2', body } as never),
    { ...texts, templates: times('{{body}}'), 'open ones': times('{{ ') },
  ),
  ...of(
    'text of a provider',
    20_000,
    (text: string) =>
      (['form', 'json'] as const).map((content) =>
        readProviderText(
          documentOf(Buffer.from(text), content),
          { from: '/from', to: '/to', body: '/body', id: '/id', at: '/at' } as never,
          '+1',
        ),
      ),
    {
      fields: times('a&'),
      'one field': after('from=1&body=', '%41'),
      brackets: times('['),
      'a long body': (n) => JSON.stringify({ from: '1', body: 'é😀'.repeat(n / 3) }),
    },
  ),
  ...of(
    'bytes of a GSM modem',
    20_000,
    (text: string) =>
      new LineParser().take(
        Buffer.from(text),
        () => true,
        () => undefined,
      ),
    { ...modemLines, prompts: times('>'), 'spaces and prompts': times(' >') },
  ),
  ...of('line of a GSM modem', 400, (text: string) => [readNotice(text), valuesOf([text], '+CSQ')], modemLines),
  ...of('PDU of a modem', 30, (hex: string) => tried(() => decodePdu(hex, now)), {
    'a text': (n) => `0001000B915155214365F70000${n.toString(16).padStart(2, '0')}${'C8'.repeat(n)}`,
    'a delivery': (n) => `00040B915155214365F70000620302000000000${'F0'.repeat(n)}`,
    'a report': (n) => `00020B915155214365F7${'62'.repeat(n)}`,
    zeros: (n) => '00'.repeat(n),
    headers: (n) =>
      `00440B915155214365F7000062030200000000${n.toString(16).padStart(2, '0')}${(n - 1).toString(16).padStart(2, '0')}${'0000'.repeat(n)}`,
  }),
  ...of(
    'line of a modem',
    400,
    (text: string) => [readLine(text), chooseFormat([text]), readCarriers([text]), readClasses([text]), readAbilities([text], 16)],
    modemLines,
  ),
  ...of('bytes of a modem', 20_000, (text: string) => new ResultParser().take(Buffer.from(text)), modemLines),
  ...of('SMPP stream', 20_000, (bytes: Buffer) => tried(() => new FrameReader().push(bytes).map((frame) => tried(() => decode(frame)))), {
    'small PDUs': (n) => Buffer.concat(Array.from({ length: n / 16 }, (_, at) => encode('enquire_link', at))),
    zeros: (n) => Buffer.alloc(n),
  }),
  ...of(
    'SMPP PDU',
    6000,
    (frame: Buffer) =>
      tried(() => {
        const pdu = decode(frame)
        return [readText(pdu, '+1', 'gsm'), readReceipt(pdu, now)]
      }),
    {
      'a long payload': (n) => encode('deliver_sm', 1, { message_payload: Buffer.alloc(n, 'id:1 stat:') }),
      'a receipt of spaces': (n) => encode('deliver_sm', 1, { esm_class: 4, message_payload: Buffer.from(`id:${' '.repeat(n)}`) }),
      'a receipt of ids': (n) => encode('deliver_sm', 1, { esm_class: 4, message_payload: Buffer.from('id:'.repeat(n / 3)) }),
      fields: (n) => manyFields(n),
    },
  ),
  ...of('WAV file', 20_000, (file: Buffer) => tried(() => wavFormat(file)), { 'empty chunks': riff, zeros: (n) => Buffer.alloc(n) }),
  ...of('Ogg file', 20_000, (file: Buffer) => tried(() => opusSeconds(file)), {
    pages: (n) => Buffer.from('OggS\0\0'.padEnd(28, '\0').repeat(n / 28), 'latin1'),
    'heads of pages': times2('OggS'),
    heads: (n) => Buffer.from(`OggS${'OpusHead'.repeat(n / 8)}`),
  }),
  ...of(
    'frames of the engine',
    20_000,
    (bytes: Buffer) => {
      const decoder = new FrameDecoder(() => undefined)
      return tried(() => bytes.forEach((_, at) => decoder.push(bytes.subarray(at, at + 1))))
    },
    { 'byte by byte': (n) => Buffer.concat([Buffer.from([0, n >> 16, (n >> 8) & 255, n & 255]), Buffer.alloc(n)]) },
  ),
  ...of('message of the engine', 20_000, (text: string) => tried(() => parseMessage(Buffer.from(text))), {
    'a text in it': (n) => JSON.stringify({ type: 'text', body: 'a'.repeat(n) }),
    brackets: times('['),
  }),
  ...of('PDF before it is rendered', 20_000, (text: string) => isCutOff(Buffer.from(text, 'latin1')), {
    linearised: times('/Linearized '),
    startxref: times('startxref 1 '),
    'spaces at the end': after('startxref 1', ' ', 'x'),
    objects: after('startxref 0 ', '1 0 obj /Type '),
  }),
  ...of('configuration', 3000, (text: string) => tried(() => parseConfig(text, '/nowhere/pbxd.yaml')), {
    brackets: times('['),
    keys: (n) => Array.from({ length: n / 8 }, (_, at) => `k${at}: 1\n`).join(''),
    'a list': after('extensions:\n', '- 1\n'),
    comments: times('# a\n'),
    references: after('a: &a [1]\nb: [', '*a,', '1]'),
    'a long text': after('a: "', 'x', '"'),
    indentation: (n) => Array.from({ length: Math.min(60, n / 10) }, (_, at) => `${' '.repeat(at)}a:\n`).join('') + ' '.repeat(n),
    tabs: times('\t'),
    dashes: times('- '),
    questions: times('? '),
  }),
]

function tried(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

function times2(piece: string) {
  return (n: number): Buffer => Buffer.from(times(piece)(n))
}

function riff(n: number): Buffer {
  const chunks = Array.from({ length: n / 8 }, () => Buffer.from('junk\0\0\0\0', 'latin1'))
  return Buffer.concat([Buffer.from('RIFF\xff\xff\xff\x7fWAVE', 'latin1'), ...chunks])
}

/** A message whose body is followed by empty optional fields. */
function manyFields(n: number): Buffer {
  const frame = Buffer.concat([encode('deliver_sm', 1), ...Array.from({ length: n / 4 }, () => Buffer.from([0x14, 0x00, 0, 0]))])
  frame.writeUInt32BE(frame.length, 0)
  return frame
}
