/** Phones for the technician who looks after them, and the files for the phones themselves. */
import { networkInterfaces } from 'node:os'
import { isIP } from 'node:net'
import { isoTime, type Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { NewPhone, PhoneAwaited, PhoneSettings, PhonesView, PhoneView } from '../schema/phones.ts'
import { fileOf, kindOf, kinds, macIn, type KindFile } from './kinds.ts'
import { Phones, type Phone, type PhonesOptions, type Way } from './phones.ts'
import { settingsFile, type SipPorts } from './settings.ts'

/** Phones that asked for settings and are not known: so that the person who plugged them in need not read MAC addresses off their backs. */
type One = PhonesView['asked'][number]

const most = 50

class Asked {
  readonly #clock: Clock
  readonly #byMac = new Map<string, One>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  note(one: Omit<One, 'at'>): void {
    this.#byMac.delete(one.mac)
    this.#byMac.set(one.mac, { ...one, at: isoTime(this.#clock.now()) })
    const [oldest] = this.#byMac.keys()
    if (this.#byMac.size > most && oldest !== undefined) this.#byMac.delete(oldest)
  }

  /** The last first. */
  list(): One[] {
    return [...this.#byMac.values()].toReversed()
  }
}

export interface PhoneDeskOptions extends PhonesOptions {
  /** In the transaction: a phone of that extension has fetched its settings. */
  readonly provisioned: (fetch: { readonly extension: string; readonly address: string; readonly id: string }) => void
  readonly log: Log
  /** Where SIP listens, `host:port`; null for not at all. */
  readonly sip: () => Readonly<Record<keyof SipPorts, string | null>>
  /** Of the web port, such as https://0.0.0.0:8443; null where it is not open yet. */
  readonly httpAddress: () => string | null
}

/** A phone's request for a file. */
export interface Fetch {
  /** A token, a code, or a name with a MAC address in it. */
  readonly key: string
  /** Below that; '' for nothing. */
  readonly file: string
  readonly address: string
  /** A program of this machine. */
  readonly local: boolean
  /** Whether nobody can read on the way what it is given. */
  readonly secure: boolean
  /** Only what would be given is looked at (HEAD): nobody has got anything. */
  readonly looks: boolean
  readonly userAgent: string
  /** The header Host. */
  readonly host: string
  /** It came through a proxy, whose name and port Host has. */
  readonly proxied: boolean
}

export class PhoneDesk {
  readonly #options: PhoneDeskOptions
  readonly #phones: Phones
  readonly #asked: Asked
  /** Addresses of phones that are awaited, by id: of their codes the disk has no more than hashes. */
  readonly #urls = new Map<string, string>()

  constructor(options: PhoneDeskOptions) {
    this.#options = options
    this.#phones = new Phones(options)
    this.#asked = new Asked(options.clock)
  }

  list(): PhonesView {
    const known = new Set(this.#phones.list().map(({ mac }) => mac))
    return { phones: this.#phones.list().map((phone) => this.#view(phone)), asked: this.#asked.list().filter(({ mac }) => !known.has(mac)) }
  }

  async add(wanted: NewPhone, alongside: (id: string) => void): Promise<PhoneAwaited> {
    const { extension, kind = null, mac, keys = null, minutes = 30 } = wanted
    if (kind !== null && !kinds().has(kind))
      throw new ApiError('not_supported', `There is no kind "${kind}"; known are ${[...kinds().keys()].join(', ')}.`)
    const row = { extension, kind, mac: mac?.replaceAll(/[:-]/g, '').toLowerCase() ?? null, keys: keys === null ? null : [...keys] }
    return this.#awaited(await this.#phones.add(row, minutes, alongside))
  }

  async reopen(which: string, minutes: number, alongside: (id: string) => void): Promise<PhoneAwaited> {
    return this.#awaited(await this.#phones.reopen(which, minutes, alongside))
  }

  async remove(which: string, alongside: (id: string) => void): Promise<PhoneView> {
    const view = this.#view(this.#phones.find(which))
    await this.#phones.remove(which, alongside)
    return view
  }

  /** What an awaited phone scans. Throws ApiError not_found: it is not awaited, or was before the daemon was started. */
  urlOf(which: string): string {
    const phone = this.#phones.find(which)
    const url = this.#urls.get(phone.id)
    if (this.#phones.openUntil(phone) !== null && url !== undefined) return url
    this.#urls.delete(phone.id)
    throw new ApiError('not_found', `The phone ${phone.id} is not awaited; await it again.`)
  }

  settings(which: string): PhoneSettings {
    const phone = this.#phones.find(which)
    const kind = kinds().get(phone.kind ?? byHand)!
    const file = { kind, ...kind.files.at(-1)! }
    return { id: phone.id, kind: kind.id, text: this.#text(file, phone, this.#server(), phone.mac) }
  }

  /** Null for a key that opens nothing. Throws ApiError address_not_allowed, not_found, not_supported. */
  async fetch(asked: Fetch): Promise<{ type: string; content: string } | null> {
    const { config, log } = this.#options
    const { key, address, userAgent } = asked
    if (!asked.secure && !asked.local)
      throw new ApiError('address_not_allowed', 'Settings of phones contain passwords: they are only given over TLS (http.tls).')
    const name = asked.file === '' && macIn(key) !== null ? key : asked.file
    const mac = macIn(name) ?? macIn(userAgent)
    const admitted = this.#admitted(asked, mac)
    if (admitted === undefined) return null
    const { phone, way } = admitted
    const kind = kinds().get(phone.kind ?? '') ?? kindOf(userAgent, mac) ?? kinds().get(byHand)!
    const file = fileOf(kind, name)
    if (file === undefined || (phone.mac !== null && mac !== null && mac !== phone.mac)) throw nothing()
    const server = config.provisioning.server ?? (serverOf(asked.host) || this.#server())
    const content = this.#text(file, phone, server, phone.mac ?? mac, asked.proxied ? asked.host : undefined)
    const given = { type: `${file.type}; charset=utf-8`, content }
    if (asked.looks) return given
    const part = { file: kind.files.findIndex(({ template }) => template === file.template), of: kind.files.length }
    await this.#phones.taken(
      phone,
      { address, userAgent: userAgent.slice(0, 200), kind: kind.id === byHand ? null : kind.id, mac, way, part },
      () => {
        this.#options.provisioned({ extension: phone.extension, address, id: phone.id })
        log.info({ phone: phone.id, extension: phone.extension, kind: kind.id, mac, address, way }, 'a phone has fetched its settings')
      },
    )
    return given
  }

  #admitted({ key, file, address, userAgent }: Fetch, mac: string | null): { phone: Phone; way: Way } | undefined {
    const shown = macIn(key)
    if (shown === null) return this.#phones.byKey(key, address)
    const found = this.#phones.byMac(shown, address)
    if (found !== undefined) return found
    if (file === '' && mac !== null)
      this.#asked.note({ mac, kind: kindOf(userAgent, mac)?.id ?? null, address, userAgent: userAgent.slice(0, 200) })
    throw nothing()
  }

  /** `proxy`: name and port of the one by which the phone comes. */
  #text(file: KindFile, phone: Phone, server: string, mac: string | null, proxy?: string): string {
    const { config, clock } = this.#options
    const token = this.#phones.token(phone.id)
    const url = proxy === undefined ? this.#url(server, token) : `https://${proxy.replace(notOfHost, '')}/provision/${token}/`
    const around = { config, ports: this.#ports(), server, url, adminPassword: this.#phones.adminPassword(phone.id), mac, now: clock.now() }
    return settingsFile(file, phone, around)
  }

  #ports(): SipPorts {
    const { udp, tcp, tls } = this.#options.sip()
    const port = (listen: string | null): number | null => (listen === null ? null : Number(listen.slice(listen.lastIndexOf(':') + 1)))
    return { udp: port(udp), tcp: port(tcp), tls: port(tls) }
  }

  #url(server: string, key: string): string {
    const { config } = this.#options
    const listen = this.#web()
    return `${config.http.tls === undefined ? 'http' : 'https'}://${isIP(server) === 6 ? `[${server}]` : server}:${listen.slice(listen.lastIndexOf(':') + 1)}/provision/${key}/`
  }

  /** Where nobody has come yet: what the configuration says, or an address of this machine. */
  #server(): string {
    const { config } = this.#options
    const listen = serverOf(this.#web())
    const any = listen === '0.0.0.0' || listen === '::' || listen === ''
    return config.provisioning.server ?? (any ? (ownAddress() ?? '127.0.0.1') : listen)
  }

  /** `host:port` of the web port. */
  #web(): string {
    const { config, httpAddress } = this.#options
    return httpAddress()?.replace(/^\w+:\/\//, '') ?? config.http.listen
  }

  #awaited({ phone, code }: { phone: Phone; code: string }): PhoneAwaited {
    const url = this.#url(this.#server(), code)
    this.#urls.set(phone.id, url)
    return {
      phone: this.#view(phone),
      code,
      url,
      until: isoTime(phone.open!.until),
      notes: [...this.#notes()],
    }
  }

  *#notes(): Iterable<string> {
    const { config, sip } = this.#options
    if (config.http.tls === undefined) yield 'http.tls is not set: settings are given only to this machine and through http.trustedProxies.'
    const listens = Object.values(sip()).filter((listen) => listen !== null)
    if (listens.every((listen) => /^(127\.|\[?::1)/.test(listen)))
      yield 'SIP listens on this machine only (sip.udp, sip.tls): phones cannot register.'
  }

  #view({ id, extension, kind, mac, keys, createdAt, open, fetchedAt, address, userAgent }: Phone): PhoneView {
    const until = this.#phones.openUntil({ open } as Phone)
    return {
      id,
      extension,
      kind,
      mac,
      keys,
      createdAt: isoTime(createdAt),
      openUntil: until === null ? null : isoTime(until),
      fetchedAt: fetchedAt === null ? null : isoTime(fetchedAt),
      address,
      userAgent,
      adminPassword: this.#phones.adminPassword(id),
    }
  }
}

/** Of somebody who looks, which says nothing of the phone. */
const byHand = 'manual'
const noneAwaited = 'No phone is expected at this address: see "pbx phones".'
const nothing = (): ApiError => new ApiError('not_found', noneAwaited)

const notOfHost = /[^A-Za-z0-9:.[\]-]/g

/** Without the port, and without the brackets of IPv6. */
function serverOf(host: string): string {
  return host
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(notOfHost, '')
}

function ownAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address
}
