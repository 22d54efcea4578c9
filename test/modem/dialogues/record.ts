/** Rewrites test/dialogues/*.json, from every rig of serial lines: node record.ts [NAME...] */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Peer } from '../../fax-peers/packages.ts'
import { makePage, rowBytes, writeTiff } from '../../fax-engine/tiff.ts'
import { build, class2sim, efax, Rig, sending, Story } from '../rig.ts'
import { buildWire, record, type Dialogue } from './wire.ts'

const folder = join(import.meta.dirname, '../../dialogues')
const pages = [{ rows: 40, seed: 21 }]
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

interface Stage {
  readonly name: string
  readonly rig: string
  readonly speed: number
  /** It does not bear that its device is opened a second time. */
  readonly sendsOnly?: boolean
  open(): Promise<Rig>
  /** Waits for a fax; calls with one. */
  far(rig: Rig): Promise<{ answers(): Promise<void>; calls(): Promise<void>; close(): Promise<void> }>
}

const tiff = (rig: Rig): string => {
  writeTiff(
    rig.file('doc.tif'),
    pages.map(({ rows, seed }) => makePage(rows, seed)),
  )
  return rig.file('doc.tif')
}

async function efaxThere(rig: Rig, options: readonly string[] = ['-o1']) {
  const words = ['-d', rig.device(1), ...options, '-l', '+1 555 200']
  execFileSync('tiffcp', ['-c', 'g3', '-r', '10000', tiff(rig), rig.file('g3.tif')])
  return {
    answers: async () => {
      void efax([...words, '-w', '-jS0=1', '-r', rig.file('got')])
      await pause(1500)
    },
    calls: async () => void efax([...words, '-t', 'T100', rig.file('g3.tif')]),
    close: async () => undefined,
  }
}

const stages: readonly Stage[] = [
  { name: 'efax', rig: 'efax, class 1 on a soft modem', speed: 3, open: () => new Rig(3).open(), far: (rig) => efaxThere(rig) },
  {
    name: 'hylafax',
    rig: 'HylaFAX, class 1 on a soft modem',
    speed: 4,
    open: () => new Rig(4).open(),
    far: async (rig) => {
      const peer = await Peer.start('hylafax', 'hylafax.sh', [rig.device(1), '200', rig.file('hylafax')])
      await peer.says(/^ready/)
      return { answers: async () => undefined, calls: async () => peer.order(`send 100 ${tiff(rig)}`), close: () => peer.close() }
    },
  },
  {
    name: 'iaxmodem',
    rig: 'efax, class 1 on iaxmodem',
    speed: 1,
    sendsOnly: true,
    open: async () => new Rig(1),
    far: async (rig) => {
      const modems = await Peer.start('iaxmodem', 'iaxmodem.sh', [rig.device(0), rig.device(1)])
      await modems.says(/^ready/)
      return { ...(await efaxThere(rig)), close: () => modems.close() }
    },
  },
  ...['2', '2.0'].map((faxClass) => ({
    name: `mgetty-class${faxClass}`,
    rig: `mgetty and sendfax, class ${faxClass} simulated`,
    speed: 4,
    open: () => new Rig(4, [`100:ALICE:classes=0/${faxClass}`, `200:BOB:classes=0/${faxClass}`], class2sim).open(),
    far: async (rig: Rig) => {
      const peer = await Peer.start('mgetty', 'mgetty.sh', [rig.device(1), '200', rig.file('mgetty')])
      await peer.says(/^ready/)
      const page = makePage(pages[0]!.rows, pages[0]!.seed)
      writeFileSync(rig.file('page.pbm'), Buffer.concat([Buffer.from(`P4\n1728 ${page.length / rowBytes}\n`), page]))
      return {
        answers: async () => undefined,
        calls: async () => {
          await peer.says(/^over/)
          peer.order(`send 100 ${rig.file('page.pbm')}`)
        },
        close: () => peer.close(),
      }
    },
  })),
]

async function play(stage: Stage): Promise<void> {
  const rig = await stage.open()
  const far = await stage.far(rig)
  try {
    for (const sends of stage.sendsOnly === true ? [true] : [true, false]) {
      const wire = await record(rig.file(`wire${sends}`), rig.device(0))
      const a = await rig.line(0, { device: rig.file(`wire${sends}`) })
      const story = new Story()
      if (sends) {
        await far.answers()
        a.line.sendFax('200', sending(tiff(rig)), story)
      } else {
        const rings = a.rings()
        await far.calls()
        ;(await rings).receiveFax({ file: rig.file('got.tif'), stationId: '+1555100', ecm: true, t38: false }, story)
      }
      const { code, pages: count, ecm, bitRate, remoteId, text } = await story.result
      await a.is('ready')
      await a.line.stop()
      const said = await wire.end()
      if (code !== 0) throw new Error(`${stage.name}: ${text}`)
      const dialogue: Dialogue = { rig: stage.rig, sends, pages, result: { code, pages: count, ecm, bitRate, remoteId }, said }
      mkdirSync(folder, { recursive: true })
      const lines = dialogue.said.map((piece) => `    ${JSON.stringify(piece)}`).join(',\n')
      const head = JSON.stringify({ ...dialogue, said: undefined }, null, 2).replace(/\n\}$/, '')
      const name = `${stage.name}-${sends ? 'send' : 'receive'}.json`
      writeFileSync(join(folder, name), `${head},\n  "said": [\n${lines}\n  ]\n}\n`)
      console.log(`${name}: ${said.length} pieces`)
      await pause(1500)
    }
  } finally {
    await far.close()
    await rig.close()
  }
}

await build()
await buildWire()
const wanted = process.argv.slice(2)
const results = await Promise.allSettled(stages.filter(({ name }) => wanted.length === 0 || wanted.includes(name)).map(play))
for (const result of results) if (result.status === 'rejected') console.error(result.reason)
process.exit(results.some(({ status }) => status === 'rejected') ? 1 : 0)
