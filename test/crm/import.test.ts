/** Imports: what other systems and address books write, what is wrong in words, all or nothing where it replaces. */
import t from 'tap'
import fc from 'fast-check'
import { partiesOfCsv } from '../../daemon/crm/import-csv.ts'
import { partiesOfVcard } from '../../daemon/crm/import-vcard.ts'
import type { PartyRow } from '../../daemon/store/tables.ts'
import { markOf } from '../../daemon/store/sacrifice.ts'
import { eventually } from '../harness/scene.ts'
import { SmallDisk } from '../harness/small-disk.ts'
import { openDirectory, phone } from './stage.ts'

const vcardEntries = (text: string) => partiesOfVcard(Buffer.from(text)).entries

const csv = `\uFEFFid,kind,name,status,phone,label,email,company,externalRef
p1,person,"Ruiz, Ana",active,(555) 123-4567,mobile,ana@example.com,,4711
p1,,,,555-123-4568,home,,,
p2,organization,Acme,prospect,+44 20 7946 0018,work,,,
,person,No Id,active,555-123-0001,mobile,,,
p4,person,,active,555-123-0002,mobile,,,
p5,person,Five,sleeping,555-123-0003,mobile,,,
p6,person,Six,active,12,mobile,,,
`

t.test('CSV: lines of one id are one party; what is wrong is named by its line', async (t) => {
  const { directory, take } = await openDirectory(t)
  const answer = await take(partiesOfCsv(csv).entries)
  t.match(answer, { created: 3, updated: 0 })
  t.same(answer.errors.map(({ row }) => row).toSorted(), [5, 6, 7, 8], JSON.stringify(answer.errors))
  t.match(directory.get('p1'), {
    name: 'Ruiz, Ana',
    externalRef: '4711',
    email: 'ana@example.com',
    source: 'import',
    phones: [phone('+15551234567'), phone('+15551234568', 'home')],
  })
  t.match(directory.get('p2'), { kind: 'organization', status: 'prospect' })
  t.same(directory.get('p6')?.phones, [], 'a party is kept though a number is none')
  t.throws(() => partiesOfCsv('a,b\n1,2\n'), { message: /first line must name the columns/ })
})

const vcards = `BEGIN:VCARD\r\nVERSION:3.0\r\nN:Ruiz;Ana;;;\r\nFN:Ana Ruiz\r\nORG:Riverside\r\nitem1.TEL;type=CELL;type=VOICE;type=pref:+1 555 123-4567\r\nTEL;TYPE=work,fax:5551234569\r\nEMAIL;TYPE=INTERNET:ana@example.com\r\nUID:u-1\r\nEND:VCARD\r\n
BEGIN:VCARD\r\nVERSION:2.1\r\nN:Li;Bo\r\nTEL;CELL:5551230002\r\nTEL;HOME:5551230003\r\nEND:VCARD\r\n
BEGIN:VCARD\r\nVERSION:4.0\r\nKIND:org\r\nFN:Acme\r\nTEL;VALUE=uri;TYPE=work:tel:+442079460018\r\nUID:urn:uuid:4fbe8971-0bc3-424c-9c26-36c3e1eff6b1\r\nEND:VCARD\r\n
BEGIN:VCARD\r\nVERSION:3.0\r\nTEL:5551230005\r\nEND:VCARD\r\n`

t.test('vCard 2.1, 3.0 and 4.0', async (t) => {
  const { directory, take } = await openDirectory(t)
  const answer = await take(vcardEntries(vcards))
  t.match(answer, { rows: 4, created: 3, errors: [{ row: 4, error: /no name/ }] })
  t.match(directory.get('u-1'), {
    name: 'Ana Ruiz',
    company: 'Riverside',
    phones: [phone('+15551234567'), phone('+15551234569', 'fax')],
  })
  t.match(directory.match('+15551230002').parties, [{ name: /Bo/, phones: [{ label: 'mobile' }, { label: 'home' }] }])
  t.match(directory.get('4fbe8971-0bc3-424c-9c26-36c3e1eff6b1'), { kind: 'organization', name: 'Acme' })
  t.match(await take(vcardEntries(vcards)), { created: 0, updated: 0, skipped: 3 }, 'again is the same')
  t.throws(() => vcardEntries('hello'), { message: /BEGIN:VCARD/ })
})

t.test('replace: who is not there any more goes, but nobody of another source; with a fault nothing happens at all', async (t) => {
  const { store, clock, directory, take, give, ids } = await openDirectory(t)
  await give({ id: 'a', name: 'A' }, { id: 'b', name: 'B' })
  await store.transaction(() => {
    directory.put({ ...directory.get('a')!, id: 'typed', source: 'local', seenAt: clock.now() })
  })
  const only = (id: string) => [{ row: 1, party: { id, name: id, phones: [] } }]
  t.match(await take(only('b'), { mode: 'replace', dryRun: true }), { dryRun: true, updated: 1, deleted: 1 })
  t.same(await ids(), ['a', 'b', 'typed'])
  await t.rejects(take([...only('b'), { row: 2, error: 'no' }], { mode: 'replace' }), {
    code: 'validation_failed',
    details: [{ path: '/2' }],
  })
  t.same(await ids(), ['a', 'b', 'typed'])
  t.match(await take(only('b'), { mode: 'replace' }), { deleted: 1 })
  t.same(await ids(), ['b', 'typed'])
  await t.rejects(take(Array.from({ length: 50_001 }, (_, row) => ({ row, error: '' }))), { message: /at most 50000/ })
})

t.test('no text makes the readers fail otherwise than in words', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      for (const read of [() => partiesOfCsv(`id,name,phone\n${text}`), () => vcardEntries(`BEGIN:VCARD\r\n${text}\r\nEND:VCARD`)]) {
        try {
          read()
        } catch (error) {
          if (!(error instanceof Error) || error instanceof TypeError) throw error
        }
      }
    }),
    { numRuns: 2000 },
  )
})

t.test('an id that cannot be a key is named as a fault, and the others are taken', async (t) => {
  const { give, directory } = await openDirectory(t)
  for (const id of ['Müller', 'a/b', 'a\nb', '\u{1f600}', 'x'.repeat(129)]) {
    const answer = await give({ id, name: 'Somebody', phones: [] }, { id: 'a b', name: 'Ana Ruiz', phones: [] })
    t.match(answer.errors, [{ row: 1, error: /id/ }], id)
  }
  t.equal(directory.get('a b')?.name, 'Ana Ruiz')
})

t.test('a spreadsheet with thousands of empty columns is taken; one that names more than 256 is refused in words', async (t) => {
  const { take, directory } = await openDirectory(t)
  const empty = ','.repeat(5000)
  t.match(await take(partiesOfCsv(`id,name${empty},phone\na,Ana Ruiz${empty},5551234567\n`).entries), { created: 1, errors: [] })
  t.match(directory.get('a'), { name: 'Ana Ruiz', phones: [phone('+15551234567', 'other')] })
  const named = Array.from({ length: 255 }, (_, at) => `more ${at}`).join(',')
  t.throws(() => partiesOfCsv(`id,name,${named}\na,Ana\n`), { message: /names 257 columns; at most 256/ })
  t.equal(partiesOfCsv(`id,name,${named.slice(0, named.lastIndexOf(','))}\na,Ana\n`).entries.length, 1)
})

t.test('cells with quotes, commas, line ends and blanks are what the standard says', async (t) => {
  const [one, two, three, four] = partiesOfCsv(
    'id , name\r\n 1 ," Ana ""the"" Ruiz, ""Jr"" "\t,\r\n\r\n2,"two\nlines"\r\n3,Robert "Bob" Smith\r\n4,"a"b\r\n',
  ).entries
  t.match(
    [one, two, three, four],
    [
      { row: 2, party: { id: '1', name: 'Ana "the" Ruiz, "Jr"' } },
      { row: 4, party: { id: '2', name: 'two\nlines' } },
      { row: 5, party: { id: '3', name: 'Robert "Bob" Smith' } },
      { row: 6, party: { id: '4', name: 'ab' } },
    ],
  )
  const escaped = ['"Ann \\"Annie\\" Lee"', '"She is \\"Al\\""', '"C:\\"', '"C:\\""x"']
  t.same(
    partiesOfCsv(`name\r\n${escaped.join('\r\n')}\r\n`).entries.map(({ party }) => party?.['name']),
    ['Ann "Annie" Lee', 'She is "Al"', 'C:\\', 'C:\\"x'],
    'a backslash in front of a quote, where the cell does not end with it',
  )
  t.throws(() => partiesOfCsv('id,name\n1,"a'), { message: /line 2: a quote is not closed/ })
})

const many = (from: number, count: number, name = 'Somebody') =>
  Array.from({ length: count }, (_, at) => ({
    row: at + 1,
    party: { id: `m${from + at}`, name, phones: [phone(`+1555${2_000_000 + from + at}`)] },
  }))

t.test('a whole list that changes much is written beside the old one, which goes when it has come', async (t) => {
  const { store, take, ids, directory, importer } = await openDirectory(t)
  await store.transaction(() => {
    for (const id of ['m1100', 'typed']) directory.put(party(id, 'local'))
  })
  await take(many(0, 1000))
  for (const from of [500, 900, 900, 0]) {
    t.match(await take(many(from, 700, `list ${from}`), { mode: 'replace' }), { rows: 700, errors: [] })
    t.equal((await ids()).length, 701)
    t.equal(directory.count(), (await ids()).length, 'nothing of the old one is left')
    t.equal(directory.match(`+1555${2_000_000 + from}`).parties[0]?.name, `list ${from}`)
    t.equal(store.tables.partyNumbers.count(), 700)
    if (from === 500) t.equal(directory.get('m1100')?.source, 'import', 'who was typed is as the list says')
  }
  t.match(await take(many(0, 2), { mode: 'merge' }), { updated: 2, created: 0 })
  t.equal(directory.get('m0')?.name, 'Somebody')
  await store.transaction(() => void directory.put(party('m0', 'crm')))
  t.match(directory.match('+15552000000').parties, [], 'whom the CRM has is as the CRM says')
  t.equal((await ids()).filter((id) => id === 'm0').length, 1)
  t.equal(await importer.sweep(), 0)
})

t.test('a list that is cut off at any moment leaves the one before whole, and the next one finds nothing of it', async (t) => {
  const { store, take, ids, directory } = await openDirectory(t)
  await take(many(0, 600, 'old'))
  const { transaction } = store
  for (const allowed of [0, 1, 3, 5, 8]) {
    let left = allowed
    store.transaction = (work) => (left-- > 0 ? transaction(work) : Promise.reject(new Error('the disk is full')))
    await t.rejects(take(many(300, 700, 'new'), { mode: 'replace' }))
    store.transaction = transaction
    t.same(new Set((await Promise.all((await ids()).map((id) => directory.get(id)?.name))).values()), new Set(['old']), `${allowed}`)
    t.equal((await ids()).length, 600)
  }
  await take(many(300, 700, 'new'), { mode: 'replace' })
  t.equal(store.tables.parties.count(), 700)
  t.equal(store.tables.partyNumbers.count(), 700)
})

const disk = SmallDisk.mount('size=200m')
const skip = disk === null ? 'a small file system cannot be mounted here' : false
t.teardown(() => disk?.close())

for (const more of [0, 256, 1024, 3072])
  t.test(`a list for which the disk has no room leaves the one before, and nothing of itself: ${more} KiB more`, { skip }, async (t) => {
    disk!.empty()
    // A store of its own, closed in the end: what another one left free in its file, or frees later, is room for the next.
    const { store, take, ids, directory } = await openDirectory(t, 'US', disk!.dir)
    await take(many(0, 600, 'old'))
    disk!.fillTo(markOf('crm', 200 * 1024 * 1024) + more * 1024)
    const answer: unknown = await take(many(10_000, 20_000, 'new'), { mode: 'replace' }).catch((error: unknown) => error)
    // What the store looks at is the disk of a quarter of a second ago: a quick list may be through by then, and takes nothing of the others' room.
    if (more > 0 && !(answer instanceof Error)) {
      t.equal(store.tables.parties.count(), 20_000, 'whole')
      t.ok(disk!.free >= markOf('mail', 200 * 1024 * 1024), `${disk!.free} bytes are left`)
      return
    }
    t.match(answer, { code: 'storage_full', status: 503 })
    t.equal((await ids()).length, 600)
    t.equal(directory.get('m0')?.name, 'old')
    t.same([store.tables.parties.count(), store.tables.partyNumbers.count(), directory.count()], [600, 600, 600])
    disk!.empty()
    await eventually('the room is seen', () => store.takes('crm'))
    t.match(await take(many(10_000, 20_000, 'new'), { mode: 'replace' }), { created: 20_000, deleted: 600 }, 'with room again')
    t.equal(store.tables.parties.count(), 20_000)
  })

t.test('nobody waits behind more than a few files, and no owner has all places', async (t) => {
  const { importer } = await openDirectory(t)
  const full = { code: 'overloaded', status: 503, retryAfterSeconds: 10 }
  const first = [importer.enter('a'), importer.enter('a')]
  t.throws(() => importer.enter('a'), full)
  const others = ['b', 'c', 'd'].flatMap((owner) => [importer.enter(owner), importer.enter(owner)])
  t.throws(() => importer.enter('honest'), full, 'eight in all')
  first[0]!()
  const honest = importer.enter('honest')
  t.throws(() => importer.enter('a'), full)
  for (const leave of [first[1]!, honest, ...others]) leave()
  importer.enter('a')()
})

const party = (id: string, source: PartyRow['source']): PartyRow => ({
  id,
  kind: 'person',
  name: id,
  status: 'active',
  phones: [],
  version: '',
  updatedAt: 0,
  source,
  seenAt: 0,
})
