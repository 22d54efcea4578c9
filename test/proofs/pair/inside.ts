/** The scenes of the proof, each from a pair that serves, in namespaces that main.ts makes. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../../scripts/cluster/fleet.ts'
import { register } from '../../engine/registering.ts'
import { SipPeer } from '../../engine/sip-peer.ts'
import { pairAddress, phoneAddress, phonePassword } from './house.ts'
import { api, application, Line, posts, type Made } from './line.ts'
import { Machines, type Name } from './machines.ts'
import { upgrade } from './stand-ins.ts'

let bad = 0
function look(what: string, good: boolean, seen: unknown = ''): void {
  if (!good) bad += 1
  console.log(`${good ? 'good' : 'BAD '}  ${what}${seen === '' ? '' : `: ${String(seen)}`}`)
}
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

const dir = process.argv[2]!
const reported = application()
const pair = await Machines.open(dir)
const line = await Line.open()
const other = (name: Name): Name => (name === 'a' ? 'b' : 'a')

/** The pair is whole: one serves, the other stands by. */
async function whole(): Promise<Name> {
  for (const name of ['a', 'b'] as const) if (!pair.isOn(name)) await pair.boot(name)
  await pair.ready()
  await until('the other machine stands by', bothOnline, 60_000)
  for (const { dialog } of talks.splice(0)) dialog.send('BYE')
  return pair.holder() as Name
}

function bothOnline(): boolean {
  const on = pair.holder()
  if (on === '') return false
  const xml = pair.in(on, 'crm_mon', '--one-shot', '--output-as=xml', '--inactive').out
  const fit = [...xml.matchAll(/name="pbxd-fit" value="1"/g)].length
  return (xml.match(/<node [^>]*online="true"[^>]*unclean="false"[^>]*type="member"/g)?.length ?? 0) === 2 && fit === 2
}

const talks: Made[] = []
async function talk(): Promise<Made> {
  const made = await line.call()
  talks.push(made)
  return made
}

/** Plays a death under load, and judges what it cost. */
async function outlives(what: string, most: number, blow: () => Promise<void> | void, refused = 200): Promise<void> {
  const active = pair.holder() as Name
  pair.mostServing = 0
  const begunBefore = new Set(reported.begun)
  const stream = line.stream(250)
  const texts = posts(50)
  await pause(3000)
  const at = performance.now()
  await blow()
  await until(
    `${what}: ${other(active)} serves`,
    () => pair.isOn(other(active)) && pair.in(other(active), 'ip', '-o', 'address').out.includes(` ${pairAddress}/`),
    90_000,
  )
  const [off] = pair.fenced.filter((one) => one.at > at)
  const marks = [
    ['switched off', off?.at],
    ['address there', performance.now()],
  ] as [string, number | undefined][]
  await pair.ready(90_000)
  marks.push(['serves', performance.now()])
  console.log(`      ${marks.map(([name, when]) => `${name} ${when === undefined ? 'never' : seconds(when - at)}`).join(', ')}`)
  await pause(5000)
  const [calls, accepted] = await Promise.all([stream.stop(), texts.stop()])
  const later = calls.filter(({ began, status }) => began > at && status === 200)
  const first = Math.min(...later.map(({ ended }) => ended)) - at
  const lost = calls.filter(({ status }) => status !== 200 && status !== refused)
  look(`${what}: the first call after it`, first <= most, `${seconds(first)}, ${calls.length} calls`)
  look(
    `${what}: no call is refused or lost`,
    lost.length === 0,
    lost.map(({ status, began }) => `${status} at ${seconds(began - at)}`).join(', '),
  )
  look(`${what}: never two daemons`, pair.mostServing <= 1, pair.mostServing)
  await keptAll(what, accepted)
  for (const { dialog, status } of calls) if (status === 200) dialog.send('BYE')
  const begun = [...reported.begun].filter((id) => !begunBefore.has(id))
  const open = (): string[] => begun.filter((id) => !reported.ended.has(id))
  await until('every call ends', () => open().length === 0, 30_000).catch(() => undefined)
  look(`${what}: every call.ended comes`, open().length === 0, `${begun.length} calls, ${open().length} without`)
}

async function keptAll(what: string, accepted: readonly string[]): Promise<void> {
  const missing: string[] = []
  for (const id of accepted) if ((await api('GET', `/api/sms/${id}`)).status !== 200) missing.push(id)
  look(
    `${what}: every text that was accepted is there`,
    accepted.length > 10 && missing.length === 0,
    `${accepted.length} accepted, ${missing.length} lost`,
  )
}

async function starts(): Promise<void> {
  const took = await pair.ready()
  await until('both machines are online', bothOnline, 60_000)
  look('the pair starts and one machine serves', pair.serving().length === 1, seconds(took))
  const on = pair.holder() as Name
  const status = await pair.pbx(on, 'pair', 'status', '--json')
  const { ok, machines } = JSON.parse(status.out) as { ok: boolean; machines: { name: string; role: string }[] }
  look(
    'pbx pair status: active and standby',
    status.code === 0 && ok && machines.some(({ name, role }) => name === on && role === 'active'),
    status.out.slice(0, 400),
  )
  const test = await pair.pbx(other(on), 'pair', 'test')
  look('pbx pair test is good', test.code === 0, test.out)
}

async function machineDies(): Promise<void> {
  const active = await whole()
  const phone = await SipPeer.udp(5060, phoneAddress, pairAddress)
  const answer = await register(phone, '101', phonePassword, [`Contact: <sip:101@${phoneAddress}:${phone.port}>;expires=300`])
  look('a UDP phone registers', answer?.status === 200, answer?.start)
  await outlives('a machine dies', 10_000, () => pair.kill(active))
  const ringing = phone.request('INVITE', 8000).catch(() => undefined)
  const asked = await api('POST', '/api/voice/originate', { to: '101', from: '+15550001000', endpoint: 'app' })
  const invite = await ringing
  look('the UDP phone rings without registering again', invite !== undefined, invite?.start ?? JSON.stringify(asked))
  if (invite !== undefined) phone.answer(invite, 486)
  phone.close()
  await pair.boot(active)
  await until('it is back', bothOnline, 90_000)
  await pause(5000)
  look('the machine that returns does not take over', pair.holder() === other(active), pair.holder())
}

async function cut(): Promise<void> {
  const active = await whole()
  const before = pair.fenced.length
  await outlives('the cable of the active machine is pulled', 15_000, () => pair.cable(active, false))
  look(
    'it was switched off first',
    pair.fenced.slice(before).some(({ name }) => name === active),
    pair.fenced.length - before,
  )
  pair.cable(active, true)
}

/** While no daemon answers, the engine refuses with 503 at once, so the provider tries another way. */
async function standsStill(): Promise<void> {
  const active = await whole()
  await outlives('the daemon stands still', 40_000, () => void pair.in(active, 'sh', '-c', 'kill -STOP $(cat /run/pbxd-unit/pid)'), 503)
}

async function startsThreeTimes(): Promise<void> {
  const active = await whole()
  await outlives('the daemon dies three times', 40_000, () => diesThreeTimes(active), 503)
}

async function diesThreeTimes(name: Name): Promise<void> {
  for (let n = 0; n < 3; n++) {
    pair.in(name, 'sh', '-c', 'kill -9 $(cat /run/pbxd-unit/pid)')
    await pause(2000)
  }
}

/** The first one could serve by now: it does not wait until its own failure is forgotten. */
async function bothFail(): Promise<void> {
  const first = await whole()
  const second = other(first)
  pair.mostServing = 0
  await diesThreeTimes(first)
  await until(`${second} serves`, () => pair.holder() === second, 60_000)
  await pair.ready()
  await diesThreeTimes(second)
  const at = performance.now()
  await until(`${first} serves again`, () => pair.holder() === first, 90_000)
  await pair.ready()
  const took = performance.now() - at
  look('the daemons of both machines fail within a minute: the first serves again', took <= 15_000, seconds(took))
  await pause(30_000)
  look('and it stays there when all failures are forgotten', pair.holder() === first && pair.serving().length === 1, pair.holder())
  look('never two daemons', pair.mostServing <= 1, pair.mostServing)
}

async function switches(): Promise<void> {
  const active = await whole()
  const made = await talk()
  look('a talk', made.status === 200)
  const waits = await pair.pbx(active, 'pair', 'switch', '--wait', '3s')
  look('a switch waits for a talk, and gives up', waits.code === 1 && pair.holder() === active, waits.out)
  const stream = line.stream(250)
  const now = await pair.pbx(active, 'pair', 'switch', '--now', '--json')
  await pause(3000)
  const calls = await stream.stop()
  const took = (JSON.parse(now.out) as { seconds?: number }).seconds ?? 99
  look('a switch --now moves it', now.code === 0 && pair.holder() === other(active), now.out.replaceAll('\n', ' '))
  look('within 5 s', took <= 5, `${took} s`)
  const waited = Math.max(...calls.map(({ began, ended }) => ended - began))
  look(
    'no call is lost by it',
    calls.every(({ status }) => status === 200),
    `${calls.length} calls, longest wait ${seconds(waited)}`,
  )
  look('the way back is not taken by itself', pair.holder() === other(active))
  for (const { dialog } of calls) dialog.send('BYE')
}

async function older(): Promise<void> {
  const active = await whole()
  const standby = other(active)
  pair.in(standby, 'sed', '-i', 's/"version": "1.0"/"version": "0.9"/', '/usr/lib/pbxd/current/package.json')
  await until(
    'it is known',
    () => /"?pbxd-version"? value="0.9"/.test(pair.in(active, 'crm_mon', '-1', '-A', '--output-as=xml').out),
    30_000,
  )
  const test = await pair.pbx(active, 'pair', 'test')
  look('an older version on the other machine: pbx pair test exits 1', test.code === 1 && /versions +bad/.test(test.out), test.out)
  await pair.kill(active)
  await until(
    'it is switched off',
    () => pair.fenced.some(({ name, at }) => name === active && performance.now() - at < 20_000),
    30_000,
  ).catch(() => undefined)
  await pause(10_000)
  look('it never serves', pair.serving().length === 0 && pair.holder() === '')
  pair.in(standby, 'sed', '-i', 's/"version": "0.9"/"version": "1.0"/', '/usr/lib/pbxd/current/package.json')
  const took = await pair.ready(60_000)
  look('with the right version it does', pair.holder() === standby, seconds(took))
}

/** Laid out on the machine that stands by, a switch, laid out on the other: the version is what the package says, the program the same. */
async function upgrades(): Promise<void> {
  const active = await whole()
  const standby = other(active)
  const version = (name: Name): string | undefined =>
    new RegExp(`<node name="${name}">[^]*?pbxd-version" value="([^"]*)"`).exec(
      /<node_attributes>[^]*/.exec(pair.in(name, 'crm_mon', '-1', '-A', '--output-as=xml').out)?.[0] ?? '',
    )?.[1]
  const refused = await pair.pbx(active, 'upgrade', '/tmp/pbxd.deb')
  look(
    'an upgrade of the machine that serves is refused',
    refused.code !== 0 && refused.out.includes(`pbx upgrade on ${standby}`),
    refused.out,
  )
  const first = await pair.later(standby, 'sh', '-c', upgrade('1.1'))
  look('the machine that stands by takes the new version', first.code === 0, first.out)
  await until('its version is known', () => version(standby) === '1.1', 30_000)
  look('nothing was started or stopped by it', pair.holder() === active && pair.serving().length === 1)
  const moved = await pair.pbx(active, 'pair', 'switch', '--wait', '20s')
  look('a switch leads to it', moved.code === 0 && pair.holder() === standby, moved.out)
  const unfit = async (): Promise<boolean> => {
    const { code, out } = await pair.pbx(standby, 'pair', 'status')
    return code === 1 && out.includes(`${active} cannot take over`)
  }
  await until('the older one cannot take over', unfit, 30_000)
  const second = await pair.later(active, 'sh', '-c', upgrade('1.1'))
  look('the other machine takes it, too', second.code === 0, second.out)
  await until('both could serve', bothOnline, 30_000)
  const test = await pair.pbx(standby, 'pair', 'test')
  look('pbx pair test is good', test.code === 0, test.out)
}

async function withoutMajority(): Promise<void> {
  const active = await whole()
  await pair.kill('witness')
  await pause(8000)
  look('the witness dies: the pair serves', pair.holder() === active)
  await pair.kill(active)
  await pause(12_000)
  look('then a machine dies: the other stops, for it has no majority', pair.serving().length === 0)
  const status = await pair.pbx(other(active), 'pair', 'status')
  look('pbx pair status says why', status.code === 1 && /majority/.test(status.out), status.out)
  const alone = await pair.pbx(other(active), 'pair', 'start', '--alone', '--yes')
  look('pbx pair start --alone serves', alone.code === 0 && pair.holder() === other(active), alone.out)
  const made = await talk()
  look('and takes calls', made.status === 200)
  await pair.boot('witness')
  const policy = (): string =>
    pair.in(other(active), 'crm_attribute', '--type', 'crm_config', '--name', 'no-quorum-policy', '--query', '--quiet').out
  const usual = await until('a majority counts again', () => policy() === 'stop', 60_000).catch(() => 0)
  look('the witness is back: a majority counts again, and it serves on', usual > 0 && pair.holder() === other(active), policy())
}

async function fullDisk(): Promise<void> {
  const active = await whole()
  writeFileSync(join(dir, 'disk/full'), '')
  pair.in(active, 'sh', '-c', 'dd if=/dev/zero of=/var/lib/pbxd/full bs=1M 2>/dev/null')
  await pause(20_000)
  look('a full disk moves nothing: the other machine has the same', pair.holder() === active && pair.serving().length === 1, pair.holder())
  pair.in(active, 'rm', '-f', '/var/lib/pbxd/full')
  await pair.ready()
  const made = await talk()
  look('with room again it takes calls', made.status === 200)
}

const scenes = { starts, machineDies, cut, standsStill, startsThreeTimes, bothFail, switches, older, fullDisk, upgrades, withoutMajority }
const chosen = process.argv.slice(3)
for (const [name, scene] of Object.entries(scenes)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  console.log(`== ${name}`)
  try {
    await scene()
  } catch (error) {
    look(name, false, (error as Error).stack)
    const on = (['a', 'b'] as const).find((one) => pair.isOn(one))
    if (on !== undefined) console.log(pair.in(on, 'crm_mon', '-1', '-A', '--inactive').out)
  }
}
const kept = bad === 0 ? '' : mkdtempSync(join(tmpdir(), 'pbxd-pair-logs-'))
if (bad > 0) pair.keep(kept)
console.log(bad === 0 ? 'all good' : `${bad} are not as they should be; logs are in ${kept}`)
process.exit(bad === 0 ? 0 : 1)
