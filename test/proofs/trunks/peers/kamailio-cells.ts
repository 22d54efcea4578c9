/** Kamailio as the provider: an account of the box, a telephone of somebody (baresip) on the other side of it, calls both ways through it. */
import { Baresip, type BaresipOptions } from '../../../harness/baresip.ts'
import { NameServer, noDnsmasq } from '../../../harness/dns.ts'
import { freePort } from '../../../harness/daemon.ts'
import { Box, pause, trunk } from '../box.ts'
import { check, keeping, Skipped, type Cell, type Feature, type Kept } from '../cell.ts'
import { givenUpByThem, givenUpByUs, tally } from '../given-up.ts'
import { ear, fromHereOn, wideband } from './baresip.ts'
import { accountPassword, host, Kamailio, noKamailio, numbers } from './kamailio.ts'
import { silent } from './sipp-setup.ts'

type Settings = Record<string, unknown>

/** Telephones of the provider's network share an address; each has a user of its own. */
let users = 2000

const pcmu = 'PCMU/8000/1'

class Stage {
  readonly kamailio: Kamailio
  readonly #kept: Kept

  constructor(kamailio: Kamailio, kept: Kept) {
    this.kamailio = kamailio
    this.#kept = kept
  }

  get server(): string {
    return `${host}:${this.kamailio.port}`
  }

  /** A telephone that Kamailio knows, which answers. */
  async person(options: Partial<BaresipOptions> = {}): Promise<{ phone: Baresip; user: string }> {
    const user = String(users++)
    const line = { registrar: this.server, user, password: accountPassword, autoAnswer: true, codecs: pcmu }
    const phone = this.#kept.keep(await Baresip.start({ ...line, ...options }))
    await phone.until('REGISTER_OK', 15_000)
    return { phone, user }
  }

  /** A box with its accounts registered. */
  async box(accounts: readonly Settings[], configuration: object = {}): Promise<Box> {
    const box = this.#kept.keep(await Box.open({ ...configuration }))
    const trunks = accounts.map((more) => {
      const { id = 'clinic', server = this.server } = more as { id?: string; server?: string }
      const number = numbers[id as keyof typeof numbers]
      return trunk(server, {
        id,
        username: id,
        password: accountPassword,
        register: true,
        fromDomain: 'clinic.test',
        numbers: [number],
        ...more,
      })
    })
    await box.engine.configure({ trunks })
    for (const { id } of trunks) await box.trunk(id, 'registered', 20_000)
    return box
  }

  /** Calls both ways through Kamailio; gives the levels of both. */
  async bothWays(
    box: Box,
    { phone, user }: { phone: Baresip; user: string },
    id: keyof typeof numbers = 'clinic',
    secure = false,
  ): Promise<string> {
    const closed = (nth: number) => async () => {
      await phone.until('CALL_CLOSED', 8000, nth)
      await pause(200)
    }
    const before = phone.events.filter(({ type }) => type === 'CALL_CLOSED').length
    const { leg, answered } = await box.call({ trunk: id, to: user })
    check(answered['secure'] === secure, `out: secure is ${answered['secure']}`)
    const out = await box.bothWays(leg, ear(phone), { ended: closed(before + 1) })
    await phone.command('dial', `sip:${numbers[id]}@${this.server}`)
    const inbound = await box.answer()
    check(inbound.invite['trunk'] === id, `the call belongs to ${inbound.invite['trunk']}`)
    check(inbound.invite['to'] === numbers[id], `the number is told as ${inbound.invite['to']}`)
    check(inbound.answered['secure'] === secure, `in: secure is ${inbound.answered['secure']}`)
    return `out: ${out}; in: ${await box.bothWays(inbound.leg, ear(phone), { ended: closed(before + 2) })}`
  }

  async names(records: readonly string[]): Promise<string> {
    if (noDnsmasq !== false) throw new Skipped(noDnsmasq)
    const server = await NameServer.open(records)
    this.#kept.keep({ close: () => server.stop() })
    return server.address
  }

  /** Certificates for the box's own TLS listener, which Kamailio calls. */
  async tls(): Promise<object> {
    const { cert, key } = await this.kamailio.authority.issue(`box${users++}`, 'IP:127.0.0.1')
    return { tls: { listen: '127.0.0.1:0', cert, key } }
  }

  keep<T extends { close(): unknown }>(thing: T): T {
    return this.#kept.keep(thing)
  }

  get kept(): Kept {
    return this.#kept
  }
}

async function registers(on: Stage): Promise<string> {
  const box = await on.box([{}])
  const wrong = on.keep(await Box.open())
  await wrong.engine.configure({
    trunks: [trunk(on.server, { username: 'clinic', password: 'not this one', register: true, fromDomain: 'clinic.test' })],
  })
  const refused = await wrong.engine.next('trunk', { state: 'refused' }, 15_000)
  return `digest; a wrong password: ${refused['code']}; INVITE challenged; ${await on.bothWays(box, await on.person())}`
}

const over =
  (settings: Settings, options: Partial<BaresipOptions> = {}) =>
  async (on: Stage): Promise<string> =>
    on.bothWays(await on.box([settings]), await on.person(options))

/** Where TLS leads is known by its name. */
async function overTls(on: Stage, settings: Settings = {}, options: Partial<BaresipOptions> = {}, secure = false): Promise<string> {
  const nameservers = [await on.names([`host-record=sip.clinic.test,${host}`])]
  const tls = { transport: 'tls', caFile: on.kamailio.caFile, server: `sip.clinic.test:${on.kamailio.tlsPort}`, ...settings }
  const box = await on.box([tls], { nameservers, ...(await on.tls()) })
  const levels = await on.bothWays(box, await on.person(options), 'clinic', secure)
  const stranger = on.keep(await Box.open({ nameservers, ...(await on.tls()) }))
  await stranger.engine.configure({ trunks: [trunk(tls.server, { transport: 'tls', username: 'clinic', password: 'x', register: true })] })
  await stranger.engine.next('trunk', { state: 'untrusted' }, 15_000)
  return `${secure ? 'SRTP; ' : ''}${levels}; without its authority: untrusted`
}

async function failsOver(on: Stage, transport: 'udp' | 'tls'): Promise<string> {
  const port = transport === 'tls' ? on.kamailio.tlsPort : on.kamailio.port
  // Over UDP the first says nothing; over TLS nobody listens at its port.
  const dead = transport === 'udp' ? await silent(on.kept, '127.0.0.61') : await freePort('127.0.0.61')
  const service = transport === 'tls' ? '_sips._tcp' : '_sip._udp'
  const nameservers = [
    await on.names([
      `srv-host=${service}.sip.clinic.test,dead.clinic.test,${dead},10,1`,
      `srv-host=${service}.sip.clinic.test,kamailio.clinic.test,${port},20,1`,
      'host-record=dead.clinic.test,127.0.0.61',
      `host-record=kamailio.clinic.test,${host}`,
    ]),
  ]
  const tls = transport === 'tls' ? { transport, caFile: on.kamailio.caFile } : {}
  const began = performance.now()
  const box = on.keep(await Box.open({ nameservers, ...(transport === 'tls' ? await on.tls() : {}) }))
  const account = { id: 'clinic', username: 'clinic', password: accountPassword, register: true, numbers: [numbers.clinic], ...tls }
  await box.engine.configure({ trunks: [trunk('sip.clinic.test', account)] })
  await box.engine.next('trunk', { state: 'registered' }, 60_000)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  return `registered after ${seconds} s; ${await on.bothWays(box, await on.person())}`
}

async function byAddressRecord(on: Stage): Promise<string> {
  const nameservers = [await on.names([`host-record=a.clinic.test,${host}`])]
  return on.bothWays(await on.box([{ server: `a.clinic.test:${on.kamailio.port}` }], { nameservers }), await on.person())
}

/** The provider's name is nowhere; all goes through its proxy. */
async function throughProxy(on: Stage): Promise<string> {
  const box = await on.box([{ server: 'clinic.test:5060', outboundProxy: on.server }])
  return `server clinic.test is in no DNS; ${await on.bothWays(box, await on.person())}`
}

async function twoAccounts(on: Stage): Promise<string> {
  const box = await on.box([{ id: 'clinic' }, { id: 'fax' }])
  const person = await on.person()
  return `clinic: ${await on.bothWays(box, person)}; fax: ${await on.bothWays(box, person, 'fax')}`
}

async function numberInTo(on: Stage): Promise<string> {
  const box = await on.box([{}])
  const { phone } = await on.person()
  await phone.command('dial', `sip:${numbers.clinic}@${on.server}`)
  const { leg, invite } = await box.answer()
  check(invite['to'] === numbers.clinic, `the number is told as ${invite['to']}`)
  return `sent to the registered contact, told as ${invite['to']}; ${await box.bothWays(leg, ear(phone), { ended: async () => (await phone.until('CALL_CLOSED'), await pause(200)) })}`
}

/** Its telephones are on IPv4, so that there is no audio to be heard: registration, a challenge, and an answer. */
async function overIPv6(on: Stage): Promise<string> {
  const box = await on.box([{ server: `[::1]:${on.kamailio.port}` }], { udp: '[::1]:0', tcp: null })
  const leg = box.engine.dial({ trunk: 'clinic', to: 'code486' })
  const end = await box.engine.next('ended', { leg })
  check(end['code'] === 486, `ended with ${end['code']}`)
  return 'registered, a call challenged and refused with 486 as asked for; no audio: its telephones have IPv4'
}

async function holds(on: Stage): Promise<string> {
  const box = await on.box([{}])
  const { phone } = await on.person()
  await phone.command('dial', `sip:${numbers.clinic}@${on.server}`)
  const { leg } = await box.answer()
  await box.play(leg, 500)
  await phone.command('hold')
  await box.engine.next('held', { leg })
  await pause(500)
  await phone.command('resume')
  await box.engine.next('resumed', { leg })
  return `held and resumed through the proxy, then ${await fromHereOn(box, leg, phone)}`
}

async function causes(on: Stage): Promise<string> {
  const box = await on.box([{}])
  const told: string[] = []
  for (const code of [302, 403, 404, 408, 410, 480, 484, 486, 487, 488, 500, 502, 503, 600, 603]) {
    const end = await box.engine.next('ended', { leg: box.engine.dial({ trunk: 'clinic', to: `code${code}` }) }, 10_000)
    check(end['code'] === code, `${code}: ended with ${end['code']} ${end['text']}`)
    told.push(`${code} ${end['reason']} ${end['cause']}`)
  }
  const { phone } = await on.person()
  const heard: string[] = []
  for (const [at, code] of [404, 480, 486, 503, 603].entries()) {
    await phone.command('dial', `sip:${numbers.clinic}@${on.server}`)
    const { leg } = await box.engine.next('invite')
    box.engine.send('reject', { leg, code })
    heard.push(String((await phone.until('CALL_CLOSED', 8000, at + 1)).param).slice(0, 3))
  }
  // A proxy passes no 503 on: 500 instead (RFC 3261, 16.7).
  check(
    heard.join(' ') === '404 480 486 500 603' || heard.join(' ') === '404 480 486 503 603',
    `calls in were refused with ${heard.join(' ')}`,
  )
  return `${told.join(', ')}; calls in refused with 404, 480, 486, 503, 603: the caller has ${heard.join(', ')}`
}

const moments = [0, 5, 15, 30, 50, 90, 130, 170, 210, 260]

async function cancels(on: Stage): Promise<string> {
  const box = await on.box([{}])
  const { phone, user } = await on.person({ autoAnswer: false })
  const ours: string[] = []
  for (const moment of moments) {
    const leg = box.engine.dial({ trunk: 'clinic', to: user })
    ours.push(await givenUpByUs(box, leg, moment))
  }
  const theirs: string[] = []
  for (const moment of moments) {
    await phone.command('dial', `sip:${numbers.clinic}@${on.server}`)
    theirs.push((await givenUpByThem(box, moment, 150, () => phone.command('hangup'))).reason)
    await pause(150)
  }
  check(box.engine.of('ended').length === 0, 'a call ended twice')
  return `at ${moments.join(', ')} ms; in: ${tally(theirs)}; out: ${tally(ours)}; each ended once`
}

/** Each has a Kamailio of its own: a registrar sends a call to all contacts of an account. */
export function kamailioCells(): Cell[] {
  const cell = (feature: Feature, play: (on: Stage) => Promise<string>): Cell => ({
    feature,
    peer: 'Kamailio',
    run: () =>
      keeping(async (kept) => {
        if (noKamailio !== false) throw new Skipped(noKamailio)
        return play(new Stage(kept.keep(await Kamailio.start()), kept))
      }),
  })
  const secure = { srtp: 'required' }
  return [
    cell('registration', registers),
    cell('tcp', over({ transport: 'tcp' })),
    cell('tls', (on) => overTls(on)),
    cell('srtp', (on) => overTls(on, secure, { mediaEncryption: 'srtp-mand' }, true)),
    cell('srv', (on) => failsOver(on, 'udp')),
    cell('tls-failover', (on) => failsOver(on, 'tls')),
    cell('address', byAddressRecord),
    cell('proxy', throughProxy),
    cell('accounts', twoAccounts),
    cell('did', numberInTo),
    cell('ipv6', overIPv6),
    cell('pcma', over({}, { codecs: 'PCMA/8000/1' })),
    cell('g722', over({}, wideband)),
    cell('hold-sendonly', holds),
    cell('causes', causes),
    cell('cancel', cancels),
  ]
}
