/**
 * Files as Excel, Outlook, Google, iPhones and Androids write them: every person in them is found, and what was not understood is named.
 */
import t, { type Test } from 'tap'
import { entriesOf, importTypeOf, lookAt } from '../../daemon/crm/import-look.ts'
import { checker } from '../../daemon/http/validate.ts'
import { PartyInputSchema } from '../../daemon/schema/crm.ts'
import { openDirectory } from './stage.ts'

const latin = (text: string): Buffer => Buffer.from(text, 'latin1')
const bytes = (...parts: (string | number[])[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part as string)))
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le')

async function open(t: Test, country = 'US') {
  const { directory, takeFile, lookup } = await openDirectory(t, country)
  const give = async (type: string, content: string | Buffer, order = {}) =>
    takeFile(await entriesOf(importTypeOf(type), Buffer.isBuffer(content) ? content : Buffer.from(content)), order)
  const nameOf = (number: string): string => {
    const { customer, candidates = [] } = lookup.basic(number)
    return customer?.name ?? candidates.map(({ name }) => name).join(' | ')
  }
  return { directory, give, nameOf }
}

const jorg = [...'J\u00f6rg M\u00fcller'].map((letter) => letter.charCodeAt(0))
const dos = [0x4a, 0x94, 0x72, 0x67, 0x20, 0x4d, 0x81, 0x6c, 0x6c, 0x65, 0x72]
const files: readonly (readonly [what: string, type: string, content: Buffer])[] = [
  ['UTF-8', 'text/csv', bytes('name,phone\nJörg Müller,+12025550147\n')],
  ['UTF-8 with a mark', 'text/csv', bytes('\ufeffname,phone\nJörg Müller,+12025550147\n')],
  ['Windows-1252, unsaid', 'text/csv', latin('name,phone\nJörg Müller,+12025550147\n')],
  ['Windows-1252, said', 'text/csv; charset=windows-1252', latin('name,phone\nJörg Müller,+12025550147\n')],
  ['Latin-1, said', 'text/csv;charset="ISO-8859-1"', latin('name;phone\r\nJörg Müller;+12025550147\r\n')],
  ['DOS, said', 'text/csv; charset=ibm866', bytes('name,phone\n', [0x4a, 0x2e], ',+12025550148\nJörg Müller,+12025550147\n')],
  ['DOS of the USA', 'text/csv; charset=cp437', bytes('name,phone\n', dos, ',+12025550147\n')],
  ['DOS of Western Europe', 'text/csv; charset="IBM850"', bytes('name;phone\r\n', dos, ';+12025550147\r\n\u001a')],
  ['an old Macintosh, said', 'text/csv; charset=macintosh', bytes('name,phone\nJ', [0x9a], 'rg M', [0x9f], 'ller,+12025550147\n')],
  ['UTF-16', 'text/csv', utf16('name\tphone\r\nJörg Müller\t+12025550147\r\n')],
  ['UTF-16, the other way round', 'text/csv', utf16('name\tphone\r\nJörg Müller\t+12025550147\r\n').swap16()],
  ['UTF-16 without a mark', 'text/csv; charset=utf-16le', Buffer.from('name\tphone\r\nJörg Müller\t+12025550147\r\n', 'utf16le')],
  ['semicolons', 'text/csv', bytes('id;name;phone\n1;Jörg Müller;+12025550147\n')],
  ['sep=;', 'text/csv', bytes('sep=;\r\nname;phone\r\nJörg Müller;+12025550147\r\n')],
  ['sep=, with a mark', 'text/csv', bytes('\ufeffsep=,\r\nname,phone\r\nJörg Müller,+12025550147\r\n')],
  ['tabs', 'text/tab-separated-values', bytes('name\tphone\nJörg Müller\t+12025550147\n')],
  ['bars', 'text/csv', bytes('name|phone\nJörg Müller|+12025550147\n')],
  ['lines of a Macintosh', 'text/csv', bytes('name,phone\rJörg Müller,+12025550147\r')],
  ['as Windows calls it', 'application/vnd.ms-excel', latin('name;phone\r\nJörg Müller;+12025550147\r\n')],
  ['an apostrophe in front', 'text/csv', bytes("name,phone\nJörg Müller,'+12025550147\n")],
  ['a formula', 'text/csv', bytes('name,phone\nJörg Müller,="+12025550147"\n')],
  [
    'Outlook, English',
    'text/csv',
    bytes(
      '"Title","First Name","Middle Name","Last Name","Suffix","Company","Business Phone","Mobile Phone","E-mail Address"\n"","Jörg","","Müller","","","","(202) 555-0147",""\n',
    ),
  ],
  [
    'Outlook, German',
    'text/csv',
    latin('Anrede;Vorname;Nachname;Firma;Telefon geschäftlich;Mobiltelefon;E-Mail-Adresse\r\n;Jörg;Müller;;;(202) 555-0147;\r\n'),
  ],
  [
    'Outlook, Spanish',
    'text/csv',
    latin('Nombre;Apellidos;Compañía;Teléfono del trabajo;Teléfono móvil\r\nJörg;Müller;;;(202) 555-0147\r\n'),
  ],
  ['Outlook, French', 'text/csv', latin('Prénom;Nom;Société;Téléphone (bureau);Tél. mobile\r\nJörg;Müller;;;(202) 555-0147\r\n')],
  ['Outlook, Italian', 'text/csv', latin('Titolo;Nome;Cognome;Società;Telefono (uff.);Cellulare\r\n;Jörg;Müller;;;(202) 555-0147\r\n')],
  ['Outlook, Portuguese', 'text/csv', latin('Nome;Sobrenome;Empresa;Telefone comercial;Celular\r\nJörg;Müller;;;(202) 555-0147\r\n')],
  [
    'Outlook, Dutch',
    'text/csv',
    latin('Voornaam;Achternaam;Bedrijf;Telefoon op werk;Mobiele telefoon\r\nJörg;Müller;;;(202) 555-0147\r\n'),
  ],
  ['names of databases', 'text/csv', bytes('PatientID,PatientName,HomePhone,mobilephone\n5,Jörg Müller,,2025550147\n')],
  ['numbers by their sign', 'text/csv', bytes('Patient ID,Last Name,First Name,Home #,Cell #\n5,Müller,Jörg,2025550147,\n')],
  [
    'Google',
    'text/csv',
    bytes(
      'First Name,Last Name,Organization Name,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value\nJörg,Müller,,,,Mobile,(202) 555-0147\n',
    ),
  ],
  [
    'Google of before',
    'text/csv',
    bytes('Name,Given Name,Family Name,Phone 1 - Type,Phone 1 - Value\nJörg Müller,Jörg,Müller,Mobile,(202) 555-0147 ::: (202) 555-0148\n'),
  ],
  [
    'vCard 2.1, quoted-printable',
    'text/x-vcard',
    bytes(
      'BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BC=\r\nller;J=C3=B6rg;;;\r\nTEL;CELL;PREF:202-555-0147\r\nEND:VCARD\r\n',
    ),
  ],
  [
    'vCard 2.1, a charset of its own',
    'text/vcard',
    bytes('BEGIN:VCARD\r\nVERSION:2.1\r\nFN;CHARSET=ISO-8859-1:', jorg, '\r\nTEL;CELL:202-555-0147\r\nEND:VCARD\r\n'),
  ],
  ['vCard, Windows-1252 unsaid', 'text/vcard', bytes('BEGIN:VCARD\r\nVERSION:3.0\r\nFN:', jorg, '\r\nTEL:202-555-0147\r\nEND:VCARD\r\n')],
  [
    'vCard, charset of the type',
    'text/directory; charset=windows-1252',
    bytes('BEGIN:VCARD\r\nFN:', jorg, '\r\nTEL:202-555-0147\r\nEND:VCARD\r\n'),
  ],
  [
    'vCard 3.0 of an iPhone, folded',
    'text/vcard',
    bytes(
      'BEGIN:VCARD\r\nVERSION:3.0\r\nN:Müller;Jörg;;;\r\nFN:Jörg M\r\n üller\r\nitem1.TEL;type=pref:+1 (202) 555-0147\r\nitem1.X-ABLabel:_$!<Mobile>!$_\r\nPHOTO;ENCODING=b;TYPE=JPEG:AAAA\r\n BBBB\r\nEND:VCARD\r\n',
    ),
  ],
  [
    'vCard 4.0',
    'text/vcard',
    bytes('BEGIN:VCARD\nVERSION:4.0\nFN:Jörg Müller\nTEL;VALUE=uri;PREF=1;TYPE="voice,cell":tel:+1-202-555-0147;ext=7\nEND:VCARD\n'),
  ],
  [
    'vCard 2.1 of an Android, a label of its own',
    'text/vcard',
    bytes(
      'BEGIN:VCARD\r\nVERSION:2.1\r\nFN:Jörg Müller\r\nTEL;X-CUSTOM(CHARSET=UTF-8,ENCODING=QUOTED-PRINTABLE,=D0=9C=D0=BE=D0=B1):202-555-0147\r\nEND:VCARD\r\n',
    ),
  ],
  [
    'vCard with a pause in a number',
    'text/vcard',
    bytes('BEGIN:VCARD\nVERSION:3.0\nFN:Jörg Müller\nTEL;TYPE=CELL:+12025550147\\,0012025550148\nTEL:2025550149\\;\\;\\,\\;\nEND:VCARD\n'),
  ],
  ...['PHOTO;ENCODING=BASE64;JPEG', 'PHOTO;BASE64;TYPE=JPEG', 'LOGO;ENCODING=b;TYPE=PNG'].map((head) => {
    const rows = ['/9j/4AAQSkZJRg', 'N', 'FN', 'N/x4', 'UID+', 'ORG/AAAA', 'TEL=', ''].join('\r\n')
    const card = `BEGIN:VCARD\r\nVERSION:2.1\r\nFN:Jörg Müller\r\n${head}:${rows}\r\nTEL;CELL:2025550147\r\nEND:VCARD\r\n`
    return [`vCard with a picture that is not folded: ${head}`, 'text/vcard', bytes(card)] as const
  }),
  ...[
    'TEL;TYPE="HOME,VOICE":2025550147',
    'TEL;PREF;WORK:+1 (202) 555-0147',
    'TEL;PREF=1,TYPE=CELL:+1 202 555 0147',
    'TEL;TYPE=CELL;TYPE="pref,voice":\u202a+1 202\u00a0555\u20110147\u202c',
    'item1.TEL;type=pref:tel:+1-202-555-0147\r\nitem1.X-ABLabel:Zweithandy',
    'TEL;TYPE=MAIN:2025550147 ',
    'TEL;ENCODING=QUOTED-PRINTABLE:=2B=31=32=30=32=35=\r\n=35=35=30=31=34=37',
    'TEL;TYPE=x-Büro:2025550147',
  ].map((line) => {
    const card = `BEGIN:VCARD\r\nVERSION:3.0\r\nN:Müller;Jörg;;;\r\nFN:Jörg Müller\r\n${line}\r\nEND:VCARD\r\n`
    return [`vCard with a line of its own: ${line}`, 'text/vcard', bytes(card)] as const
  }),
  [
    'vCard 2.1 of an Android, each letter packed',
    'text/x-vcard',
    bytes(
      'BEGIN:VCARD\r\nVERSION:2.1\r\nFN;ENCODING=QUOTED-PRINTABLE:=4A=C3=B6=72=67=20=4D=C3=\r\n=BC=6C=6C=65=72\r\nTEL;CELL:2025550147\r\nEND:VCARD\r\n',
    ),
  ],
  ['names of columns run together', 'text/csv', bytes('FirstName,LastName,BusinessPhone,MobilePhone\nJörg,Müller,"2025550147 ",\n')],
  [
    'An earlier Google, several of each kind',
    'text/csv',
    bytes(
      'Name,Phone 1 - Type,Phone 1 - Value,Phone 2 - Type,Phone 2 - Value\nJörg Müller,* Work,(202) 555-0140 ::: (202) 555-0141,Home,(202) 555-0146 ::: (202) 555-0147\n',
    ),
  ],
  ['vCard in UTF-16', 'text/vcard', utf16('BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Jörg Müller\r\nTEL:2025550147\r\nEND:VCARD\r\n')],
  ['vCard under another name', 'text/csv', bytes('\ufeffBEGIN:VCARD\nFN:Jörg Müller\nTEL:2025550147\nEND:VCARD\n')],
]

for (const [what, type, content] of files)
  t.test(what, async (t) => {
    const { give, nameOf, directory } = await open(t)
    const answer = await give(type, content)
    t.ok(answer.created >= 1, JSON.stringify(answer))
    t.equal(nameOf('+12025550147'), 'Jörg Müller')
    t.equal(answer.errorCount, 0, JSON.stringify(answer.errors))
    const again = await give(type, content)
    t.equal(again.created + again.updated, 0, 'again is the same')
    for await (const party of directory.all()) t.notMatch(JSON.stringify(party), '\ufffd')
  })

t.test('a card within a card is somebody else, and takes nothing of the outer one', async (t) => {
  const agent = 'BEGIN:VCARD\nVERSION:2.1\nFN:Ann Agent\nTEL:2025550140\nEND:VCARD\n'
  for (const [what, inner] of [
    ['after AGENT', `AGENT:\n${agent}`],
    ['with a parameter', `AGENT;TYPE=VCARD:\n${agent}`],
    ['one within it', `AGENT:\n${agent.replace('END', `AGENT:\n${agent.replaceAll('Ann', 'Bob').replace('0140', '0141')}END`)}`],
    ['in one line', 'AGENT:BEGIN:VCARD\\nFN:Ann Agent\\nTEL:2025550140\\nEND:VCARD\n'],
  ] as const) {
    const { give, nameOf } = await open(t)
    const answer = await give('text/vcard', `BEGIN:VCARD\nVERSION:2.1\nFN:Dr. Boss\nUID:1\n${inner}TEL:2025550147\nEND:VCARD\n`)
    t.equal(nameOf('+12025550147'), 'Dr. Boss', what)
    t.equal(nameOf('+12025550140'), what === 'in one line' ? '' : 'Ann Agent', what)
    t.same([answer.errors, answer.warnings], [[], []], what)
  }
  const { give, nameOf } = await open(t)
  await give('text/vcard', 'BEGIN:VCARD\nFN:Ann\nTEL:2025550140\nBEGIN:VCARD\nFN:Bob\nTEL:2025550141\nEND:VCARD\n')
  t.same([nameOf('+12025550140'), nameOf('+12025550141')], ['Ann', 'Bob'], 'a card that is cut off holds no other')
})

t.test('a file whose letters are something else is refused in words', async (t) => {
  const { give } = await open(t)
  const cyrillic = Buffer.from([0xc8, 0xe2, 0xe0, 0xed, 0xee, 0xe2, 0x20, 0xcf, 0xb8, 0xf2, 0xf0])
  const mac = Buffer.from([0x4a, 0x6f, 0x73, 0x8e])
  for (const [content, words] of [
    [Buffer.concat([Buffer.from('name,phone\n'), cyrillic, Buffer.from(',+12025550147\n')]), /not UTF-8.*charset/],
    [Buffer.concat([Buffer.from('name,phone\n'), mac, Buffer.from(',+12025550147\n')]), /not UTF-8.*charset/],
    [Buffer.from([0x6e, 0x61, 0x6d, 0x65, 0x0a, 0x81, 0x8d, 0x0a]), /not UTF-8/],
    [bytes('name,phone\n', dos.slice(0, 4), ',+12025550147\n'), /not UTF-8.*charset/],
    [Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(40)]), /workbook.*CSV/],
    [Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0]), /workbook/],
  ] as const)
    await t.rejects(give('text/csv', content), { code: 'validation_failed', message: words })
  await t.resolves(
    give('text/csv; charset=windows-1251', Buffer.concat([Buffer.from('name,phone\n'), cyrillic, Buffer.from(',+12025550147\n')])),
  )
  await t.rejects(give('text/csv; charset=x-own', latin('name,phone\nPeña,+12025550147\n')), { message: /charset x-own is not known/ })
  t.throws(() => importTypeOf('application/pdf'), { code: 'unsupported_media_type' })
})

/** What stands in a cell for numbers, by which numbers its party is found, and what is said of it. */
const cells: readonly (readonly [cell: string, found: readonly string[], errors: RegExp | null, warnings: RegExp | null])[] = [
  ['(202) 555-0147', ['+12025550147'], null, null],
  ['202-555-0147 x101', ['+12025550147'], null, null],
  ['202-555-0147 ext. 5', ['+12025550147'], null, null],
  ['tel:+12025550147;ext=5', ['+12025550147'], null, null],
  ['202-555-0147 / 202-555-0148', ['+12025550147', '+12025550148'], null, /2 numbers/],
  ['202-555-0147; 202-555-0148', ['+12025550147', '+12025550148'], null, /2 numbers/],
  ['202-555-0147 or 202-555-0148', ['+12025550147', '+12025550148'], null, /2 numbers/],
  ['202-555-0147, 12', ['+12025550147'], null, null],
  ['202-555-0147 / 12', ['+12025550147'], /"12".*not a number/, /1 number/],
  ['202-555-0147 202-555-0148', ['+12025550147', '+12025550148'], null, /read as/],
  ['Mobile: 202-555-0147 (cell)', ['+12025550147'], null, /words are ignored/],
  ['call after 5pm 202-555-0147', ['+12025550147'], null, /words are ignored/],
  ['1.31056E+10', [], /rounded by a spreadsheet/, null],
  ['1,31056E+10', [], /rounded by a spreadsheet/, null],
  ['12025550147.0', ['+12025550147'], null, /read as 12025550147/],
  ['12025550147,00', ['+12025550147'], null, /read as 12025550147/],
  ['none', [], /not a number/, null],
  ['1-800-FLOWERS', [], /not a number/, null],
  ['12', [], /not a number/, null],
  ['555-0147', [], null, /no area code/],
  ['#####', [], /not a number/, null],
]

t.test('a number that is kept is found by, and any other is named with its row, in a file and in a list', async (t) => {
  const check = checker(PartyInputSchema, false)
  for (const [cell, found, errors, warnings] of cells) {
    for (const [type, content] of [
      ['text/csv', `id,name,phone\n1,Ana Ruiz,"${cell.replaceAll('"', '""')}"\n`],
      ['application/json', JSON.stringify({ customers: [{ id: '1', name: 'Ana Ruiz', phones: [{ number: cell, label: 'other' }] }] })],
      ['text/vcard', `BEGIN:VCARD\nFN:Ana Ruiz\nUID:1\nTEL:${cell}\nEND:VCARD\n`],
    ] as const) {
      const answer = lookAt(await entriesOf(importTypeOf(type), Buffer.from(content)), 'US', check)
      const kept = answer.parties[0]!.party.phones.map(({ number }) => number)
      t.same(
        kept.filter((number) => number.startsWith('+')),
        found,
        `${type} ${cell}`,
      )
      const row = type === 'text/csv' ? 2 : 1
      t.match(answer.errors, errors === null ? [] : [{ row, error: errors }], `${type} ${cell}: ${JSON.stringify(answer)}`)
      t.match(answer.warnings, warnings === null ? [] : [{ row, warning: warnings }], `${type} ${cell}: ${JSON.stringify(answer)}`)
      t.equal(answer.errors.length + answer.warnings.length, Number(errors !== null) + Number(warnings !== null), JSON.stringify(answer))
    }
  }
})

t.test('what a row says twice, in another way, or beside what is read is named with its row', async (t) => {
  const { give, directory } = await open(t)
  const table: readonly (readonly [content: string, row: number, words: RegExp])[] = [
    ['id,name,phone,Notes,Birthday\n1,A,+12025550147,x,y\n', 1, /columns are not read: Notes, Birthday/],
    ['id,name,name,phone\n1,A,B,+12025550147\n', 2, /"B" is ignored/],
    ['id,name,phone\n1,A,+12025550147\n1,B,+12025550148\n', 3, /name "B" is ignored: line 2 has "A"/],
    ['id,name,phone\n1,Ruiz, Ana,+12025550147\n', 2, /has 4 cells but there are 3 columns/],
    ['id,name,email,E-mail 2 Address\n1,A,a@x.org,b@x.org\n', 2, /only the first mail address is read.*1/],
    ['id,name,phone,label\n1,A,+12025550147,Beeper\n', 2, /label "Beeper"/],
    ['id,name,Mobile Phone,Home Phone\n1,A,+12025550147,+12025550147\n', 2, /given twice/],
    ['id,name,phone\n1,JÃ¶rg,+12025550147\n', 2, /"JÃ¶rg" looks as if/],
    ['\n\nid,name,phone\n\n1,A\ufffdB,+12025550147\n', 5, /a letter was lost/],
  ]
  for (const [content, row, words] of table) {
    const answer = await give('text/csv', content)
    t.ok(
      answer.warnings.some((one) => one.row === row && words.test(one.warning)),
      `${content} ${JSON.stringify(answer)}`,
    )
  }
  t.equal(directory.get('1')?.name, 'A?B')
  const json = await give(
    'application/json',
    JSON.stringify({
      customers: [
        { id: '2', name: 'A', phone: '+12025550147' },
        { id: '2', name: 'B\ud83d' },
      ],
    }),
  )
  t.match(json.warnings, [
    { row: 1, warning: /"phone" is not read.*"phones"/ },
    { row: 2, warning: /a letter was lost/ },
    { row: 1, warning: /replaced by row 2/ },
  ])
  const card = await give('text/vcard', 'BEGIN:VCARD\nFN:A\nFN:B\nNOTE:x\nEMAIL:a@x.org\nEMAIL:b@x.org\nTEL:+12025550147\n')
  const said = card.warnings.map(({ warning }) => warning).join('\n')
  for (const words of [/second FN.*B/, /second EMAIL.*b@x/, /NOTE/, /no END:VCARD/]) t.match(said, words)
})

t.test('letters that were read as Windows-1252 are named with their rows', async (t) => {
  const { give } = await open(t)
  const { warnings } = await give('text/csv', latin('name,phone\nAnn Lee,+12025550146\nJörg Müller,+12025550147\nPeña,+12025550148\n'))
  t.match(warnings, [{ row: 3, warning: /not UTF-8/ }, { row: 3, warning: /"Jörg Müller" was read as windows-1252/ }, { row: 4 }])
  const long = latin(`name,phone\n${Array.from({ length: 300 }, (_, at) => `Peña ${at},word ${at}\n`).join('')}`)
  const answer = await give('text/csv', long)
  t.match(answer, { errorCount: 300, warningCount: 21 })
  t.equal(answer.errors.length, 100)
})

t.test('numbers of a site in Germany, with decimal commas and slashes', async (t) => {
  const { give, nameOf } = await open(t, 'DE')
  const answer = await give(
    'text/csv',
    latin('Vorname;Nachname;Telefon (privat);Fax geschäftlich\r\nJörg;Müller;030/123456;030 123457-0\r\nBärbel;Groß;"0171 2345678";\r\n'),
  )
  t.equal(nameOf('+4930123456'), 'Jörg Müller')
  t.equal(nameOf('+491712345678'), 'Bärbel Groß')
  t.match(answer, { created: 2, errors: [] })
})
