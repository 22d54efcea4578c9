/**
 * Feeds damaged input to the parts that listen: pbx-engine (SIP, SDP, RTP, its socket to the daemon), calls that come and go at
 * once under the thread sanitizer (races), the engine's fax half (T.30, pages, T.38), what speaks to modems (AT replies, T.30 over Class 1 and 2; voice), what reads PDFs and received TIFF files, and the
 * daemon's HTTP.
 *
 *   npm run fuzz [-- sip|races|fax|at|voice-modem|pdf|http] [--seconds N] [--requests N] [--only messaging|crm] [--seed N]
 *
 * Without a name all run, one after the other, `--seconds` each (60); http ends sooner after `--requests`, and `--only` leaves it the
 * routes for texts, mails, reminders and the inbox, or those for a CRM. Ends with status 0 when nothing was found.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Daemon, endlessDay, freePort } from '../../harness/daemon.ts'
import { fuzzAt } from './at.ts'
import { fuzzFax } from './fax.ts'
import { fuzzHttp } from './http.ts'
import { fillInbox, messagingServices } from './messaging.ts'
import { fuzzPdf } from './pdf.ts'
import { fuzzRaces } from './races.ts'
import { fuzzSip } from './sip.ts'
import { fuzzVoiceModem } from './voice-modem.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '60' },
    requests: { type: 'string' },
    only: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const seconds = Number(values.seconds)
const seed = Number(values.seed)
const requests = values.requests === undefined ? Infinity : Number(values.requests)
const groups: Readonly<Record<string, readonly string[]>> = {
  messaging: ['/api/sms', '/api/email', '/api/reminders', '/api/inbox/'],
  crm: ['/api/pbx/'],
}
const paths = values.only === undefined ? undefined : groups[values.only]
const wrong = values.only !== undefined && paths === undefined
/** Each resolves with 0 when nothing was found. */
const fuzzers = {
  sip: fuzzSip,
  races: fuzzRaces,
  fax: fuzzFax,
  at: fuzzAt,
  'voice-modem': fuzzVoiceModem,
  pdf: fuzzPdf,
  http: async () => Number(await http()),
}
const isPart = (name: string): name is keyof typeof fuzzers => Object.hasOwn(fuzzers, name)
const parts = (positionals.length === 0 ? Object.keys(fuzzers) : positionals).filter(isPart)
if (wrong || !(seconds > 0) || !(requests > 0) || !Number.isInteger(seed) || !positionals.every(isPart)) {
  process.stderr.write(
    'usage: npm run fuzz [-- sip|races|fax|at|voice-modem|pdf|http] [--seconds N] [--requests N] [--only messaging|crm] [--seed N]\n',
  )
  process.exit(2)
}

for (const part of parts) {
  process.stdout.write(`==> ${part}, ${seconds} s, seed ${seed}\n`)
  if ((await fuzzers[part]({ seconds, seed })) !== 0) process.exitCode = 1
}

/** Against a daemon of its own, whose limits are out of the way. true: something was found. */
async function http(): Promise<boolean> {
  const services = await messagingServices()
  const daemon = await Daemon.create({
    app: `http://127.0.0.1:${await freePort()}`,
    trunkPort: await freePort(),
    settings: (settings) => {
      settings['limits'] = { requestsPerSecond: 100_000, burst: 100_000, originatesPerMinute: 100_000, perDay: endlessDay }
      Object.assign(settings, services.settings)
    },
  })
  try {
    const media = await fillInbox(join(daemon.dir, 'var'), 40)
    await daemon.start()
    const result = await fuzzHttp({
      target: daemon.http,
      token: daemon.token,
      seconds,
      seed,
      requests,
      ...(paths === undefined ? {} : { paths }),
      ids: [...services.ids, ...media],
      onProgress: (line) => process.stdout.write(`${line}\n`),
    })
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
    const died = daemon.exit !== undefined
    if (died) process.stdout.write(`the daemon ended: ${JSON.stringify(daemon.exit)}\n${daemon.tail()}\n`)
    // The daemon's own words about a fault that a route answered as 500 or swallowed.
    const faults = daemon.log.filter((line) => line.level === 60 || line.level === 'fatal')
    for (const line of faults.slice(0, 10)) process.stdout.write(`${JSON.stringify(line)}\n`)
    return died || faults.length > 0 || result.failures.length > 0
  } finally {
    await daemon.close()
    services.close()
  }
}
