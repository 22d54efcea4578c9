/** A thief with a token of the CRM, and a CRM that lies: files, pages and numbers that cost the thread of the calls more than their length. */
import type { Daemon } from '../../harness/daemon.ts'
import { Crm, crmSecret, type CrmManner } from '../../harness/crm.ts'
import { pause, Scene } from '../../harness/scene.ts'
import { measured, ownStall, probed } from '../bench/stall-measure.ts'
import type { Area, Attack, Verdict } from './attack.ts'

/** The thread of the calls may be away for so long, in one of a thousand looks. */
const bearableMs = 50
/** And once for so long. */
const bearableOnceMs = 200
const { file, start } = probed()

/** What the loop was busy with while `load` went on; `load` says what it saw, and whether that was as it should be. */
async function watched(box: Scene, load: () => Promise<{ readonly said: string; readonly good: boolean }>, probe = file): Promise<Verdict> {
  let came = { said: '', good: false }
  const stalls = await measured(box, probe, async () => {
    came = await load()
    await pause(200)
  })
  const { p999, max } = ownStall(stalls)
  const seen = `p99.9 ${p999.toFixed(0)} ms of its own, longest ${max.toFixed(0)} (with what waited for a processor ${stalls.p999.toFixed(0)} and ${stalls.max.toFixed(0)}), ${came.said}`
  return { seen, stood: came.good && p999 <= bearableMs && max <= bearableOnceMs }
}

interface Import {
  readonly name: string
  readonly type: string
  readonly text: () => string
  readonly query?: string
  readonly good: (status: number, answer: any) => boolean
}

async function send({ daemon }: Scene, { type, text, query = '', good }: Import) {
  const body = text()
  const began = performance.now()
  const { status, body: answer } = await daemon.api('POST', `/api/pbx/import/pbx-export${query}`, body, { 'content-type': type })
  const seconds = (performance.now() - began) / 1000
  const rows = status === 200 ? `, ${Math.round(answer.rows / seconds)} rows/s` : ''
  return { said: `${Math.round(body.length / 1000)} kB: ${status} after ${seconds.toFixed(1)} s${rows}`, good: good(status, answer) }
}

const lines = (count: number, line: (n: number) => string): string => Array.from({ length: count }, (_, n) => line(n)).join('')
const numberOf = (n: number): string => `+1555${2_000_000 + n}`
const rows = 50_000
const all = (status: number, answer: any): boolean => status === 200 && answer.rows === rows && answer.errors.length === 0
const csv = (of: (n: number) => string): string =>
  `id,name,phone,email\n${lines(rows, (n) => `p${n},Person ${n},${of(n)},p${n}@example.com\n`)}`

const imports: readonly Import[] = [
  {
    name: 'a CSV file of 45,000 columns, 18,000 lines',
    type: 'text/csv',
    text: () => `name${','.repeat(45_000)}\n${'a\n'.repeat(18_000)}`,
    good: (status) => status === 200,
  },
  {
    name: 'a CSV file that names 45,000 columns',
    type: 'text/csv',
    text: () => `name,${lines(45_000, (n) => `c${n},`)}\n${'a\n'.repeat(18_000)}`,
    good: (status) => status === 422,
  },
  {
    name: 'a card of 20,000 numbers that do not end',
    type: 'text/vcard',
    text: () => `BEGIN:VCARD\n${'TEL;a\n'.repeat(20_000)}`,
    good: (status, { errors }) => status === 200 && errors.length === 1,
  },
  { name: '50,000 honest parties of CSV', type: 'text/csv', text: () => csv(numberOf), good: all },
  {
    name: '50,000 honest parties of vCard',
    type: 'text/vcard',
    text: () => lines(rows, (n) => `BEGIN:VCARD\nVERSION:3.0\nFN:Card ${n}\nTEL;TYPE=CELL:${numberOf(n)}\nUID:v${n}\nEND:VCARD\n`),
    good: all,
  },
  {
    name: '50,000 honest parties of JSON take the place of all',
    type: 'application/json',
    query: '?mode=replace',
    text: () =>
      JSON.stringify({
        customers: Array.from({ length: rows }, (_, n) => ({ id: `j${n}`, name: `J ${n}`, phones: [{ number: numberOf(n) }] })),
      }),
    good: all,
  },
]

const placeholder = '+15550000000'

/** Everybody who is asked about a number that 50,000 have. */
const crowded: Attack = {
  name: '50,000 parties of one number, looked up and called from',
  play: async (box) => {
    const one: Import = { name: '', type: 'text/csv', query: '?mode=replace', text: () => csv(() => placeholder), good: all }
    const before = await send(box, one)
    return watched(box, async () => {
      let slowest = 0
      let fallen = 0
      for (let n = 0; n < 30; n++) {
        const began = performance.now()
        const path = ['lookup/caller', 'lookup/enhanced', 'screen-pop'][n % 3]
        const { status, body } = await box.daemon.api('GET', `/api/pbx/${path}/${placeholder}`)
        slowest = Math.max(slowest, performance.now() - began)
        if (status !== 200 || body.found !== false) fallen++
      }
      const phones = await Promise.all(Array.from({ length: 10 }, () => box.call({ from: placeholder }).catch(() => null)))
      const taken = phones.filter((phone) => phone !== null).length
      const warned = ((await status(box.daemon)).warnings as { code: string }[]).some(({ code }) => code === 'crowded-number')
      const said = `${before.said}, ${fallen} look-ups wrong, slowest look-up ${Math.round(slowest)} ms, ${taken} of 10 calls taken, ${warned ? 'warned' : 'NO WARNING'}`
      return { said, good: before.good && fallen === 0 && taken === 10 && warned }
    })
  },
}

const status = async (daemon: Daemon): Promise<any> => JSON.parse((await daemon.pbx('status', '--json')).out)

/** A box whose CRM behaves so. */
async function withCrm(manner: CrmManner, play: (box: Scene, crm: Crm, probe: string) => Promise<Verdict>): Promise<Verdict> {
  const crm = await Crm.open(manner)
  const { file: probe, start: started } = probed()
  const box = await Scene.open({
    ...started,
    settings: (base) => {
      base['crm'] = { baseUrl: crm.url, secret: crmSecret }
    },
  })
  try {
    return await play(box, crm, probe)
  } finally {
    await box.close()
    await crm.close()
  }
}

let pages = 0
const customer = (id: string) => ({
  id,
  name: `Somebody ${'x'.repeat(150)}`,
  phones: [{ number: `+1555${1_000_000 + (pages % 9_000_000)}` }],
  version: '1',
  updatedAt: '2026-03-01T00:00:00Z',
  junk: 'y'.repeat(4000),
})
const endless: CrmManner = ({ path }) => {
  if (path !== 'sync/full') return { body: { found: false } }
  const page = pages++
  return { body: { customers: Array.from({ length: 500 }, (_, n) => customer(`c_${page}_${n}`)), nextCursor: `page ${page}`, total: 1 } }
}

export const parsers: Area = {
  name: 'parsers',
  start,
  attacks: [
    ...imports.map((one): Attack => ({ name: one.name, play: (box) => watched(box, () => send(box, one)) })),
    crowded,
    {
      name: 'a CRM whose pages of 2 MB never end, for 8 s',
      play: () =>
        withCrm(endless, (box, _, probe) =>
          watched(
            box,
            async () => {
              await box.daemon.api('POST', '/api/pbx/sync/full', {})
              await pause(8000)
              const { customers } = (await box.daemon.api('GET', '/api/pbx/sync/status')).body
              return { said: `${pages} pages, ${customers.total} customers kept`, good: pages > 1 }
            },
            probe,
          ),
        ),
    },
    {
      name: 'a CRM with cards and customers of 7 MB',
      play: () =>
        withCrm(
          () => ({ text: `{"found":true,"name":"Ana","customer":null,"junk":[${'[],'.repeat(2_300_000)}0]}` }),
          (box, crm, probe) =>
            watched(
              box,
              async () => {
                for (let n = 0; n < 4; n++) await box.daemon.api('GET', `/api/pbx/screen-pop/+1555123000${n}`)
                return { said: `asked ${crm.seen.length} times`, good: crm.seen.length > 0 }
              },
              probe,
            ),
        ),
    },
  ],
}
