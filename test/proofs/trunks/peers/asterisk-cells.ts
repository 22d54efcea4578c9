/** The cells with Asterisk: the box registers an account for each, calls numbers of its dial plan, and is called by its manager interface. */
import { writeFileSync } from 'node:fs'
import { Box, pause, trunk } from '../box.ts'
import { check, keeping, Skipped, type Cell, type Feature } from '../cell.ts'
import { givenUpByThem, givenUpByUs, tally } from '../given-up.ts'
import { judge, levelOf } from '../sound.ts'
import { Asterisk, host, whyNot } from './asterisk.ts'
import { directMedia, heldByThem, runsOut, timerRefreshed } from './asterisk-calls.ts'
import type { AccountName } from './asterisk-settings.ts'
import { count, Stage } from './asterisk-stage.ts'
import { silent } from './sipp-setup.ts'

type Settings = Record<string, unknown>

async function registers(on: Stage): Promise<string> {
  const box = await on.box('plain')
  const wrong = on.kept.keep(await Box.open())
  await wrong.engine.configure({ trunks: [trunk(on.server, { username: 'plain', password: 'not this one', register: true })] })
  const refused = await wrong.engine.next('trunk', { state: 'refused' }, 15_000)
  return `digest; a wrong password: ${refused['code']}; ${await on.bothWays(box, 'plain')}`
}

const over =
  (id: AccountName, codec: string, more: Settings = {}) =>
  async (on: Stage): Promise<string> =>
    `${codec}; ${await on.bothWays(await on.box(id, more), id, { codec })}`

const overTls =
  (id: AccountName, secure: boolean) =>
  async (on: Stage): Promise<string> => {
    const nameservers = [await on.names([`host-record=asterisk.clinic.test,${host}`])]
    const { cert, key } = await on.asterisk.authority.issue(`box${id}`, 'IP:127.0.0.1')
    const server = `asterisk.clinic.test:${on.asterisk.places.tls}`
    const settings = { server, transport: 'tls', caFile: on.asterisk.caFile, srtp: secure ? 'required' : 'off' }
    const box = await on.box(id, settings, { nameservers, tls: { listen: '127.0.0.1:0', cert, key } })
    return `${secure ? 'SRTP; ' : ''}${await on.bothWays(box, id, { secure })}`
  }

async function deadFirst(on: Stage): Promise<string> {
  const dead = await silent(on.kept, '127.0.0.61')
  const nameservers = [
    await on.names([
      `srv-host=_sip._udp.sip.clinic.test,dead.clinic.test,${dead},10,1`,
      `srv-host=_sip._udp.sip.clinic.test,asterisk.clinic.test,${on.asterisk.places.udp},20,1`,
      'host-record=dead.clinic.test,127.0.0.61',
      `host-record=asterisk.clinic.test,${host}`,
    ]),
  ]
  const began = performance.now()
  const box = await on.box('srv', { server: 'sip.clinic.test' }, { nameservers })
  return `registered after ${((performance.now() - began) / 1000).toFixed(1)} s; ${await on.bothWays(box, 'srv')}`
}

async function byAddressRecord(on: Stage): Promise<string> {
  const nameservers = [await on.names([`host-record=a.clinic.test,${host}`])]
  return on.bothWays(await on.box('address', { server: `a.clinic.test:${on.asterisk.places.udp}` }, { nameservers }), 'address')
}

const throughProxy = async (on: Stage): Promise<string> =>
  on.bothWays(await on.box('proxy', { server: 'provider.clinic.test', outboundProxy: on.server }), 'proxy')

async function twoAccounts(on: Stage): Promise<string> {
  const box = await on.box(['first', 'second'])
  const told: string[] = []
  for (const id of ['first', 'second', 'first'] as const) {
    const name = on.next()
    // To the contact that the account registered.
    await on.asterisk.call(id, `talk${name}`, '')
    const { leg, invite } = await box.answer()
    check(invite['trunk'] === id, `a call to the contact of ${id} belongs to ${invite['trunk']}`)
    told.push(`${id}: ${await box.bothWays(leg, on.asterisk.ear(name))}`)
  }
  return `by the contact called; ${told.join('; ')}`
}

async function overIPv6(on: Stage): Promise<string> {
  const box = await on.box('six', { server: `[::1]:${on.asterisk.places.udp}` }, { udp: '[::1]:0', tcp: null })
  return on.bothWays(box, 'six')
}

async function early(on: Stage): Promise<string> {
  const box = await on.box('early')
  const name = on.next()
  const leg = box.engine.dial({ trunk: 'early', to: `early${name}` })
  await box.engine.next('ringing', { leg, early: true })
  box.engine.send('tap', { leg, on: true })
  await pause(1600)
  check(box.engine.of('answered', { leg }).length === 0, 'it was answered before')
  const before = judge('before the answer we hear', box.engine.heard(leg), 1000, levelOf(8000), 800)
  await box.answered(leg)
  return `${before}, then ${await box.bothWays(leg, on.asterisk.ear(name))}`
}

async function reliable(on: Stage): Promise<string> {
  const box = await on.box('prack')
  const from = on.asterisk.log().length
  const out = on.next()
  const placed = await box.call({ trunk: 'prack', to: `rprack${out}` })
  const first = await box.bothWays(placed.leg, on.asterisk.ear(out))
  const ours = count(on.asterisk.log().slice(from), /\nPRACK sip:/)
  check(ours > 0, 'we sent no PRACK')
  const inwards = on.next()
  const again = on.asterisk.log().length
  await on.asterisk.call('prack', `talk${inwards}`)
  const invite = await box.engine.next('invite')
  const leg = invite['leg'] as number
  box.engine.send('progress', { leg, code: 180 })
  await pause(500)
  box.engine.send('answer', { leg })
  await box.answered(leg)
  const second = await box.bothWays(leg, on.asterisk.ear(inwards))
  check(count(on.asterisk.log().slice(again), /\nPRACK sip:/) > 0, 'Asterisk sent no PRACK')
  return `100rel required on both sides; out: ${ours} PRACK, ${first}; in: ${second}`
}

async function updated(on: Stage): Promise<string> {
  const box = await on.box('update')
  const from = on.asterisk.log().length
  const name = on.next()
  const { leg } = await box.call({ trunk: 'update', to: `update${name}` })
  await pause(1500)
  const levels = await box.bothWays(leg, on.asterisk.ear(name))
  const log = on.asterisk.log().slice(from)
  const updates = count(log, /\nUPDATE sip:/)
  check(updates > 0, 'Asterisk sent no UPDATE')
  check(/SIP\/2\.0 200 OK[\s\S]{0,600}CSeq: \d+ UPDATE/.test(log), 'UPDATE was not answered 200')
  return `${updates} UPDATE with another name answered 200; ${levels}`
}

async function ourHold(on: Stage): Promise<string> {
  const box = await on.box('held')
  const name = on.next()
  const { leg } = await box.call({ trunk: 'held', to: `talk${name}` })
  await box.play(leg, 500)
  for (const hold of [true, false]) {
    box.engine.send('hold', { leg, on: hold })
    await pause(800)
  }
  return `held and taken back, then ${await box.bothWays(leg, on.asterisk.ear(name))}`
}

async function causes(on: Stage): Promise<string> {
  const box = await on.box('causes')
  const told: string[] = []
  for (const cause of [1, 16, 17, 18, 19, 21, 22, 27, 28, 34, 38, 42, 58]) {
    const end = await box.engine.next('ended', { leg: box.engine.dial({ trunk: 'causes', to: `cause${cause}` }) }, 10_000)
    check(end['by'] === 'remote', `cause ${cause}: ended by ${end['by']} ${end['text']}`)
    check(end['cause'] === cause || cause === 16, `cause ${cause} was told as ${end['cause']} (${end['code']})`)
    told.push(`${cause}: ${end['code']} ${end['reason']}`)
  }
  const heard: string[] = []
  for (const [code, cause] of Object.entries({ 404: 1, 480: 19, 486: 17, 503: 34, 603: 21 })) {
    const before = on.asterisk.events.length
    await on.asterisk.call('causes', 'talk0')
    const { leg } = await box.engine.next('invite')
    box.engine.send('reject', { leg, code: Number(code) })
    await box.engine.next('ended', { leg })
    const fits = (event: Readonly<Record<string, string>>) =>
      on.asterisk.events.indexOf(event) >= before && event['Event'] === 'Hangup' && event['Channel']!.startsWith('PJSIP/causes')
    const hangup = await on.asterisk.event('hang-up', fits)
    heard.push(`${code}: ${hangup['Cause']}${Number(hangup['Cause']) === cause ? '' : ` (usual is ${cause})`}`)
  }
  return `Hangup(n) told as code: ${told.join(', ')}; our refusals are its causes ${heard.join(', ')}`
}

const moments = [0, 5, 15, 30, 60, 120, 180, 215, 240, 300]

async function cancels(on: Stage): Promise<string> {
  const box = await on.box('cancel')
  const ours: string[] = []
  for (const moment of moments) {
    const leg = box.engine.dial({ trunk: 'cancel', to: 'ring' })
    ours.push(await givenUpByUs(box, leg, moment))
  }
  const theirs: string[] = []
  for (const moment of moments) {
    await on.asterisk.call('cancel', 'talk0')
    const giveUp = () => on.asterisk.action({ Action: 'Hangup', Channel: '/^PJSIP/cancel-.*$/' })
    theirs.push((await givenUpByThem(box, moment, 200, giveUp)).reason)
  }
  await pause(200)
  check(box.engine.of('ended').length === 0, 'a call ended twice')
  return `at ${moments.join(', ')} ms; in: ${tally(theirs)}; out: ${tally(ours)}; each ended once`
}

/** The cells, and what ends the Asterisk that they share; its log with all SIP messages goes into a file first. */
export function asteriskCells(logFile?: string): { cells: Cell[]; close(): Promise<void> } {
  let started: Promise<Asterisk> | null = null
  const cell = (feature: Feature, play: (on: Stage) => Promise<string>): Cell => ({
    feature,
    peer: 'Asterisk',
    run: () =>
      keeping(async (kept) => {
        const reason = whyNot()
        if (reason !== false) throw new Skipped(reason)
        return play(new Stage(await (started ??= Asterisk.start()), kept))
      }),
  })
  const cells = [
    cell('registration', registers),
    cell('tcp', over('tcp', 'PCMU', { transport: 'tcp' })),
    cell('tls', overTls('tls', false)),
    cell('srtp', overTls('srtp', true)),
    cell('srv', deadFirst),
    cell('address', byAddressRecord),
    cell('proxy', throughProxy),
    cell('accounts', twoAccounts),
    cell('ipv6', overIPv6),
    cell('pcma', over('pcma', 'PCMA')),
    cell('g722', over('g722', 'G722')),
    cell('early', early),
    cell('prack', reliable),
    cell('update', updated),
    cell('hold-sendonly', heldByThem),
    cell('our-hold', ourHold),
    cell('direct', directMedia),
    cell('timer-refreshed', timerRefreshed),
    cell('timer-out', runsOut),
    cell('causes', causes),
    cell('cancel', cancels),
  ]
  const close = async (): Promise<void> => {
    const asterisk = await started?.catch(() => null)
    if (logFile !== undefined && asterisk) writeFileSync(logFile, asterisk.log())
    await asterisk?.close()
  }
  return { cells, close }
}
