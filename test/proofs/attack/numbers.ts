/** A thief with a token: numbers that cost, forward the clinic's line or call for help, on every channel; and too many of the others. */
import { readFileSync, writeFileSync } from 'node:fs'
import { parse, stringify } from 'yaml'
import { letter } from '../../fax-pages/documents.ts'
import { honestInDe, honestInGb, honestInUs, hostileInDe, hostileInGb, hostileInUs } from '../../harness/dial-strings.ts'
import { eventually, Scene } from '../../harness/scene.ts'
import { none, type Area, type Attack, type Verdict } from './attack.ts'

type Settings = Record<string, any>

const pdfBase64 = Buffer.from(await letter()).toString('base64')
const hangup = [{ hangup: {} }]

/** One request by which a token holder has a number called, faxed or texted. */
const channels: Readonly<Record<string, (box: Scene, to: string) => ReturnType<Scene['daemon']['api']>>> = {
  call: ({ daemon }, to) => daemon.api('POST', '/api/voice/originate', { to, document: hangup }),
  fax: ({ daemon }, to) => daemon.api('POST', '/api/fax', { to, pdfBase64 }),
  text: ({ daemon }, to) => daemon.api('POST', '/api/sms', { to, message: 'Hello' }),
  reminder: ({ daemon }, phoneNumber) => daemon.api('POST', '/api/reminders', { phoneNumber, appointmentAt: inADay(), sms: true }),
}

function inADay(): string {
  return new Date(Date.now() + 20 * 3_600_000).toISOString()
}

/** A zone in which it is noon now, since nobody is reminded at night. */
function noonZone(): string {
  const hours = 12 - new Date().getUTCHours()
  return hours === 0 ? 'UTC' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
}

function open(settings: Settings): void {
  Object.assign(settings.site, { timeZone: noonZone() })
  settings.limits = {
    requestsPerSecond: 1000,
    burst: 1000,
    originatesPerMinute: 10_000,
    originateStartsPerSecond: 100,
    originateQueue: 500,
  }
  settings.sms = { trunks: [{ id: 'texts', kind: 'sip', trunk: 'main' }] }
  settings.reminders = { lines: 5, window: { from: '08:00', to: '21:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] } }
}

/** What the trunk was asked for: the users of the requests that reach somebody. */
function reached({ trunk }: Scene, from = 0): string[] {
  return trunk.requests.slice(from).flatMap((line) => /^(?:INVITE|MESSAGE) sips?:([^@;\s]*)/.exec(line)?.[1] ?? [])
}

/** Until nothing waits to be dialled or sent. */
async function quiet({ daemon }: Scene, ms = 30_000): Promise<void> {
  await eventually(
    'all calls, faxes and texts are over',
    async () => {
      const [calls, faxes, texts] = await Promise.all(
        ['/api/voice/calls?limit=500', '/api/fax?limit=500', '/api/sms?limit=500'].map((path) => daemon.api('GET', path)),
      )
      return (
        calls!.body.calls.every((call: any) => call.endedAt) &&
        faxes!.body.faxes.every((fax: any) => ['sent', 'failed', 'canceled'].includes(fax.status)) &&
        texts!.body.messages.every((text: any) => !['queued', 'sending', 'retrying'].includes(text.status))
      )
    },
    ms,
  )
}

async function refuses(box: Scene, channel: string, strings: readonly string[]): Promise<Verdict> {
  const from = box.trunk.requests.length
  const accepted: string[] = []
  const codes = new Map<string, number>()
  for (const to of strings) {
    const { status, body } = await channels[channel]!(box, to)
    if (status < 400) accepted.push(to)
    else codes.set(body.code, (codes.get(body.code) ?? 0) + 1)
  }
  // What was accepted is a defect already: no need to wait for all that comes of it.
  await quiet(box, accepted.length > 0 ? 5000 : 30_000).catch(() => {})
  const through = reached(box, from)
  const rest = [`${strings.length} strings`, ...[...codes].map(([code, count]) => `${count} ${code}`)]
  if (accepted.length + through.length > 0) rest.push([...new Set([...accepted, ...through])].join(' '))
  return none({ 'requests at the trunk': through.length, accepted: accepted.length }, rest.join(', '))
}

async function reaches(box: Scene, channel: string, strings: readonly (readonly [string, string])[]): Promise<string[]> {
  const from = box.trunk.requests.length
  const faults: string[] = []
  for (const [to] of strings) {
    const { status, body } = await channels[channel]!(box, to)
    if (status >= 400) faults.push(`${channel} ${to}: ${body.code}`)
    const { reminderId } = body.reminders?.[0] ?? {}
    if (reminderId === undefined) continue
    const called = await box.daemon.pbx('reminders', 'call-now', reminderId)
    if (called.code !== 0) faults.push(`${to}: ${called.error}`)
  }
  await eventually('every number is reached', () => strings.every(([, to]) => reached(box, from).includes(to)), 30_000).catch(() => {})
  const missing = strings.filter(([, to]) => !reached(box, from).includes(to)).map(([to]) => `${channel} ${to}: never at the trunk`)
  return [...faults, ...missing]
}

async function allReached(box: Scene, strings: readonly (readonly [string, string])[]): Promise<Verdict> {
  const faults: string[] = []
  for (const channel of Object.keys(channels)) {
    // A fax is drawn by a process of its own, and a reminder begins by a command: of these a few will do.
    const some = channel === 'fax' || channel === 'reminder' ? strings.slice(-3) : strings
    faults.push(...(await reaches(box, channel, some)))
  }
  return none({ 'honest numbers not reached': faults.length }, [`${strings.length} numbers`, ...faults].join('; '))
}

async function elsewhere(
  settings: (settings: Settings) => void,
  hostile: readonly string[],
  honest: readonly (readonly [string, string])[],
): Promise<Verdict> {
  const box = await Scene.open({
    settings: (base) => {
      open(base)
      settings(base)
    },
  })
  try {
    const seen: Verdict[] = []
    for (const channel of Object.keys(channels)) seen.push(await refuses(box, channel, hostile))
    const { seen: last, stood } = await allReached(box, honest)
    const fallen = seen.filter((verdict) => !verdict.stood).map((verdict) => verdict.seen)
    const refused = fallen.length === 0 ? `0 of ${hostile.length} strings through on ${seen.length} channels` : fallen.join('; ')
    return { seen: `${refused}; ${last}`, stood: stood && fallen.length === 0 }
  } finally {
    await box.close()
  }
}

/** Stops the box as a power cut does, changes its configuration, and starts it again. */
async function restartWith({ daemon }: Scene, change: (settings: Settings) => void): Promise<void> {
  await daemon.kill()
  const settings = parse(readFileSync(daemon.configFile, 'utf8')) as Settings
  change(settings)
  writeFileSync(daemon.configFile, stringify(settings))
  await daemon.start()
}

const stored: Attack = {
  name: 'jobs stored before the rule that forbids their number',
  play: async () => {
    const costly = '+19005551234'
    const box = await Scene.open({
      settings: (base: Settings) => {
        open(base)
        base.numbers = { allow: [costly] }
        // The first call takes the only turn of this second.
        base.limits.originateStartsPerSecond = 1
      },
    })
    try {
      const answers = [
        await channels.call!(box, '+12125550100'),
        await channels.call!(box, costly),
        await channels.fax!(box, costly),
        await channels.reminder!(box, costly),
      ]
      const id = answers[3]!.body.reminders?.[0]?.reminderId
      await restartWith(box, (settings) => (settings.numbers = {}))
      const from = box.trunk.requests.length
      await box.daemon.pbx('reminders', 'call-now', id)
      await quiet(box)
      return none({
        'requests at the trunk after the restart': reached(box, from).filter((to) => to === costly).length,
        'jobs not accepted before': answers.filter(({ status }) => status >= 400).length,
      })
    } finally {
      await box.close()
    }
  },
}

/** A burst of one request, and how many of it were accepted; all others must say when to come again. */
async function burst(count: number, request: () => ReturnType<Scene['daemon']['api']>): Promise<{ accepted: number; wrong: number }> {
  const answers = await Promise.all(Array.from({ length: count }, request))
  const wrong = answers.filter(
    ({ status, body, headers }) => status >= 400 && (body.code !== 'daily_limit' || !(Number(headers.get('retry-after')) > 0)),
  )
  return { accepted: answers.filter(({ status }) => status < 400).length, wrong: wrong.length }
}

const spending: Attack = {
  name: 'bursts beyond the limits of the day, kill -9 in between',
  play: async () => {
    const box = await Scene.open({
      settings: (base: Settings) => {
        open(base)
        base.limits.perDay = { texts: 3, faxes: 2, callMinutes: 2 }
      },
    })
    const { daemon } = box
    /** Calls first: a fax would take the phones that wait for them. */
    const all = async (calls: () => Promise<unknown>): Promise<Record<string, number>> => {
      const seen: Record<string, number> = { wrong: 0 }
      for (const channel of ['call', 'text', 'fax']) {
        const { accepted, wrong } = await burst(channel === 'fax' ? 5 : 12, () => channels[channel]!(box, '+12125550100'))
        seen[channel] = accepted
        seen.wrong! += wrong
        if (channel === 'call') await calls()
      }
      return seen
    }
    try {
      await box.expect('answer', 50)
      await box.expect('answer', 50)
      const live = async (): Promise<unknown[]> => (await daemon.api('GET', '/api/voice/calls?state=live')).body.calls
      const first = await all(() => eventually('both calls are over', async () => (await live()).length === 0, 20_000))
      await daemon.kill()
      await daemon.start()
      const again = await all(async () => {})
      const limits = JSON.parse((await daemon.pbx('limits', '--json')).out) as { of: string; what: string; used: number; most: number }[]
      const used = (what: string): string =>
        limits.flatMap((limit) => (limit.of === 'box' && limit.what === what ? [`${limit.used}/${limit.most}`] : []))[0]!
      const { warnings } = JSON.parse((await daemon.pbx('status', '--json')).out) as { warnings: { text: string }[] }
      const warned = warnings.filter(({ text }) => text.startsWith('Today the box used')).length
      const reset = await daemon.pbx('limits', 'reset')
      const after = await burst(1, () => channels.text!(box, '+12125550100'))
      const beyond = [first.text! - 3, first.fax! - 2, first.call! - 2, again.text!, again.fax!, again.call!]
      return none(
        {
          'accepted beyond a limit': beyond.reduce((sum, count) => sum + Math.max(0, count), 0),
          'accepted too few': beyond.filter((count) => count < 0).length,
          'other refusals': first.wrong! + again.wrong!,
          'limits without a warning': 3 - warned,
          'refused after pbx limits reset': reset.code === 0 ? 1 - after.accepted : 1,
        },
        `texts ${used('texts')}, faxes ${used('faxes')}, minutes ${used('callMinutes')}`,
      )
    } finally {
      await box.close()
    }
  },
}

export const numbers: Area = {
  name: 'numbers',
  settings: (settings) => {
    open(settings)
    settings.numbers = { international: ['GB', '+4930*'] }
  },
  attacks: [
    ...Object.keys(channels).map((channel): Attack => ({
      name: `a ${channel} to numbers that cost, forward or call for help`,
      play: (box) => refuses(box, channel, hostileInUs),
    })),
    { name: 'honest numbers, in every spelling and on every channel, still pass', play: (box) => allReached(box, honestInUs) },
    {
      name: 'the same on a box in the United Kingdom: 084, 087, 09, 070, 118',
      play: () => elsewhere((settings) => (settings.site.country = 'GB'), hostileInGb, honestInGb),
    },
    {
      name: 'the same on a box in Germany: 0180, 0137, 0900, 010xx',
      play: () => elsewhere((settings) => (settings.site.country = 'DE'), hostileInDe, honestInDe),
    },
    stored,
    spending,
  ],
}
