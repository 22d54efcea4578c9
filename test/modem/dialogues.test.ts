/** Dialogues with modems as they were written down on every rig (test/dialogues), played again to the driver: each says and gets the same. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ResultParser, type ModemEvent } from '../../drivers/modem/results.ts'
import { makePage, readTiff, rowBytes, writeTiff } from '../fax-engine/tiff.ts'
import { build, Rig, sending, Story } from './rig.ts'
import { buildWire, packed, replay, unpacked, type Dialogue } from './dialogues/wire.ts'

t.jobs = 4
t.setTimeout(240_000)
await build()
await buildWire()

const folder = join(import.meta.dirname, '../dialogues')
const dialogues = readdirSync(folder).map(
  (file) => [file.replace('.json', ''), JSON.parse(readFileSync(join(folder, file), 'utf8')) as Dialogue] as const,
)

for (const [name, { rig: peer, sends, pages, result, said }] of dialogues) {
  t.test(`${name}: ${peer}`, { buffered: true }, async (t) => {
    const rig = new Rig(1)
    t.teardown(() => rig.close())
    const modem = await replay(rig.device(0), said)
    const sent = pages.map(({ rows, seed }) => makePage(rows, seed))
    writeTiff(rig.file('doc.tif'), sent)
    const a = await rig.line(0)
    const story = new Story()
    if (sends) a.line.sendFax('200', sending(rig.file('doc.tif')), story)
    else (await a.rings()).receiveFax({ file: rig.file('got.tif'), stationId: '+1555100', ecm: true, t38: false }, story)
    t.match(await story.result, result)
    if (!sends) {
      const got = readTiff(rig.file('got.tif'))
      // efax puts its own line on top and leaves out the last row.
      const whole = sent.every((page, i) => got[i]?.includes(page.subarray(4 * rowBytes, page.length - rowBytes)))
      t.ok(whole, 'the page of then')
    }
    t.equal(await modem.end(), 'over', 'every command and every frame as then')
  })
}

t.test('results are the same however the bytes are cut', async (t) => {
  for (const [name, { said }] of dialogues) {
    // Until the first call: from then on the bytes may be data.
    const call = said.findIndex(([way, bytes]) => way === '>' && /^AT(D|A\r)/.test(bytes))
    const bytes = Buffer.concat(said.slice(0, call).flatMap(([way, text]) => (way === '<' || way === '!' ? [unpacked(text)] : [])))
    const read = (sizes: (at: number) => number): ModemEvent[] => {
      const parser = new ResultParser()
      const events: ModemEvent[] = []
      for (let at = 0; at < bytes.length;) {
        const part = bytes.subarray(at, at + sizes(at))
        at += part.length
        events.push(...parser.take(part).events)
      }
      return events
    }
    const whole = read(() => bytes.length)
    t.ok(
      whole.some(({ kind }) => kind === 'result'),
      name,
    )
    for (const size of [1, 2, 3, 7])
      t.same(
        read(() => size),
        whole,
        `${name}, ${size} at a time`,
      )
  }
})

t.test('packed bytes are unpacked as they were', async (t) => {
  for (const text of ['', '\r\nOK\r\n', '\x00\x00\x00\x00\x00AB', '{}', 'ATDT200\r\x10\x03\x7b\x7d', '\xff'.repeat(300) + 'CONNECT\r\n'])
    t.equal(unpacked(packed(Buffer.from(text, 'latin1'))).toString('latin1'), text)
})
