/** The converter of pages for modems of class 2, as the process it is: there and back, what strangers may send, what cannot be read. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { runPageProgram, type PageProgram } from '../../drivers/modem/class2/page-program.ts'
import { makePage, readTiff, rowBytes, samePixels, writeTiff } from '../fax-engine/tiff.ts'
import { build, faxProgram } from './rig.ts'

t.setTimeout(240_000)
await build()
const directory = mkdtempSync(join(tmpdir(), 'class2-pages-'))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))
const at = (name: string): string => join(directory, name)
const warnings: string[] = []
const log = { debug: () => undefined, info: () => undefined, warn: (_: object, text: string) => void warnings.push(text) }
const out = (more: object = {}): PageProgram =>
  runPageProgram(
    faxProgram,
    {
      t: 'pagesOut',
      file: at('doc.tif'),
      standardFile: '',
      stationId: '+1555100',
      header: 'Clinic Süd',
      utcOffsetMinutes: 60,
      rtc: false,
      ...more,
    },
    log,
  )
const into = (name: string): PageProgram => runPageProgram(faxProgram, { t: 'pagesIn', file: at(name) }, log)

const pages = [makePage(300, 1), makePage(150, 2)]
writeTiff(at('doc.tif'), pages)
writeTiff(at('standard.tif'), [makePage(75, 3)], 98)

const bitsOf = (data: Uint8Array): string =>
  [...data].map((byte) => byte.toString(2).padStart(8, '0').split('').reverse().join('')).join('')

t.test('pages come back as they were, below their header line', async (t) => {
  for (const rtc of [false, true]) {
    const program = out({ rtc })
    const made = [await program.encode(0, true), await program.encode(1, true)]
    t.match(made, [{ code: 0 }, { code: 0 }])
    t.equal((await program.encode(2, true)).code, 42, 'there is no third page')
    t.equal((await program.encode(0, false)).code, 11, 'nor standard resolution')
    await program.close()
    for (const [i, { data }] of made.entries()) {
      const bits = bitsOf(data)
      t.equal(bits.match(/0{11,}1/g)?.length, pages[i]!.length / rowBytes + 32 + (rtc ? 6 : 0), 'an EOL for each row')
      t.match(bits, rtc ? /(0{11}1){6}0{0,7}$/ : /^(?!.*0{11}10{0,7}$)/, 'and the return to control only where it is wanted')
    }
    const taking = into('got.tif')
    for (const { data } of made) {
      t.match(await taking.read(data, 'mh', true, false), { badRows: 0 })
      t.ok(await taking.keep())
    }
    t.notOk(await taking.keep(), 'a page is kept once')
    await taking.close()
    t.same(
      readTiff(at('got.tif')).map((page, i) => samePixels(page, pages[i]!)),
      [true, true],
    )
  }
})

t.test('bits the wrong way round are seen, a page that is refused is replaced, standard resolution is kept', async (t) => {
  const program = out({ standardFile: at('standard.tif') })
  const [fine, coarse] = [await program.encode(0, true), await program.encode(0, false)]
  await program.close()
  const taking = into('turned.tif')
  t.match(await taking.read(coarse.data, 'mh', true, true), { rows: 91, badRows: 0 }, 'read as it makes sense')
  const damaged = fine.data.map((byte, i) => (i % 50 === 7 ? byte ^ 0x3c : byte))
  const look = await taking.read(damaged, 'mh', true, false)
  t.ok(look !== null && look.badRows > 50, JSON.stringify(look))
  t.match(await taking.read(fine.data, 'mh', true, false), { rows: 332, badRows: 0 })
  t.ok(await taking.keep())
  t.match(await taking.read(coarse.data, 'mh', false, false), { rows: 91, badRows: 0 })
  t.ok(await taking.keep())
  await taking.close()
  const got = readTiff(at('turned.tif'))
  t.same([got.length, samePixels(got[0], pages[0]!)], [2, true])
  t.match(
    execFileSync('tiffinfo', [at('turned.tif')], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    /204, ?196[\s\S]*204, ?98/,
  )
})

const bitsIn = (byte: number): number => byte.toString(2).replaceAll('0', '').length

t.test('letters with accents in the header line are those letters', async (t) => {
  const headerOf = async (header: string): Promise<Uint8Array> => {
    const program = out({ header })
    const { data } = await program.encode(0, true)
    await program.close()
    const taking = into('head.tif')
    await taking.read(data, 'mh', true, false)
    t.ok(await taking.keep())
    await taking.close()
    return readTiff(at('head.tif'))[0]!.subarray(0, 32 * rowBytes)
  }
  const plain = await headerOf('Clinica Pena Sohne & Cie')
  const accents = await headerOf('Clínica Peña Söhne & Cie')
  const differ = accents.reduce((sum, byte, at) => sum + (byte === plain[at] ? 0 : 1), 0)
  t.ok(differ > 10, 'they have their accents')
  // A letter with an accent has the strokes of its base letter; a sign in its place has others.
  const kept = accents.reduce((sum, byte, at) => sum + bitsIn(byte & plain[at]!), 0)
  const all = plain.reduce((sum, byte) => sum + bitsIn(byte), 0)
  const signs = await headerOf('Cl±nica Pe±a S÷hne & Cie')
  const keptBySigns = signs.reduce((sum, byte, at) => sum + bitsIn(byte & plain[at]!), 0)
  t.ok(all - kept < (all - keptBySigns) * 0.7, `${all - kept} dots of ${all} are not there; with signs ${all - keptBySigns}`)
})

t.test('whatever strangers send, the converter goes on', async (t) => {
  const program = out()
  const { data } = await program.encode(0, true)
  await program.close()
  const taking = into('fuzz.tif')
  const coding = fc.constantFrom<'mh' | 'mr' | 'mmr'>('mh', 'mr', 'mmr')
  const mutated = fc.array(fc.tuple(fc.nat(data.length - 1), fc.nat(255)), { minLength: 1, maxLength: 40 }).map((changes) => {
    const copy = Uint8Array.from(data)
    for (const [place, byte] of changes) copy[place] = byte
    return copy
  })
  let kept = 0
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.uint8Array({ maxLength: 3000 }), mutated),
      coding,
      fc.boolean(),
      fc.boolean(),
      async (bytes, how, fine, keep) => {
        const look = await taking.read(bytes, how, fine, false)
        if (keep && (look?.rows ?? 0) > 0 && (await taking.keep())) kept += 1
        return look !== null
      },
    ),
    { numRuns: 150 },
  )
  // As many empty rows as fit: nobody's memory is filled.
  const look = await taking.read(new Uint8Array(4 << 20).fill(0xff), 'mmr', true, false)
  t.ok(look !== null && look.rows < 100_000, JSON.stringify(look))
  t.match(await taking.read(data, 'mh', true, false), { rows: 332, badRows: 0 }, 'and reads a good page after all that')
  await taking.close()
  t.ok(kept > 0 && statSync(at('fuzz.tif')).size > 0)
})

t.test('what cannot be done is told', async (t) => {
  const missing = out({ file: at('none.tif') })
  t.equal((await missing.encode(0, true)).code, 41)
  await missing.close()
  writeFileSync(at('junk.tif'), 'II*\0junk')
  const junk = out({ file: at('junk.tif') })
  t.not((await junk.encode(0, true)).code, 0)
  await junk.close()
  const nowhere = into('no/such/folder.tif')
  t.equal(await nowhere.read(Uint8Array.of(1), 'mh', true, false), null)
  t.equal(await nowhere.keep(), false)
  await nowhere.close()
  const absent = runPageProgram(at('no-program'), { t: 'pagesIn', file: at('x.tif') }, log)
  t.equal((await absent.encode(0, true)).code, 40)
  await absent.close()
  t.notOk(existsSync(at('x.tif')))
})
