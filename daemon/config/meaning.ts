/** What a schema cannot say: names that must exist, addresses, numbers, files. */
import { accessSync, constants } from 'node:fs'
import { isIP } from 'node:net'
import { isSupportedCountry } from 'libphonenumber-js/max'
import { isEmergencyNumber, normaliseNumber } from '../numbers/numbers.ts'
import { parseListen } from '../schema/config/forms.ts'
import type { Config } from '../schema/config.ts'
import { checks as found } from './checks.ts'
import { checkLoops } from './loops.ts'
import { checkPair } from './checks/network.ts'
import { mailCleartext, webCleartext, type Cleartext } from './checks/notify.ts'
import { checkRoom } from './room.ts'
import { checkFax, checkRouting } from './routing.ts'
import { checkNetwork, duplicates, type MeaningContext, type SectionCheck } from './checks/context.ts'
import type { Path } from './source.ts'

const checks: readonly SectionCheck[] = [
  ...found,
  [['site'], checkSite],
  [['http'], checkHttp],
  [['sip'], checkSip],
  [['http', 'sip'], checkPorts],
  [['control'], checkSocket],
  [['trunks', 'site'], checkTrunks],
  [['trunks', 'sip'], checkRoom],
  [['extensions', 'site'], checkExtensions],
  [['voice', 'callbacks'], checkEndpoints],
  [['lines', 'trunks', 'site'], checkLines],
  [['inbound', 'trunks', 'lines', 'extensions', 'voice', 'hours', 'menus', 'ringGroups'], checkRouting],
  [['hours', 'menus'], checkLoops],
  [['fax', 'trunks', 'lines'], checkFax],
  [['crm'], checkCrm],
  [['http', 'mail', 'crm'], checkCleartext],
]

export function checkMeaning(config: Config, context: MeaningContext): void {
  for (const [needs, check] of checks) {
    if (needs.every((name) => !context.broken.has(name))) check(config, context)
  }
}

function checkSite({ site }: Config, { fault }: MeaningContext): void {
  if (!isSupportedCountry(site.country))
    fault(['site', 'country'], `"${site.country}" is not a country; write its two letters, such as US or GB`)
  try {
    new Intl.DateTimeFormat('en', { timeZone: site.timeZone })
  } catch {
    fault(['site', 'timeZone'], `"${site.timeZone}" is not a time zone; write a name such as America/New_York`)
  }
}

function checkListen(path: Path, text: string | null, { fault }: MeaningContext): void {
  if (text === null || text === 'off') return
  const listen = parseListen(text)
  if (listen === undefined)
    fault(path, `"${text}" is not an address and port; write for example 127.0.0.1:${path[0] === 'http' ? 8080 : 5060}`)
  else if (isIP(listen.host) === 0 && listen.host !== 'localhost') fault(path, `"${listen.host}" is not an IP address of this machine`)
}

function checkFiles(path: Path, tls: { cert: string; key: string } | undefined, context: MeaningContext): void {
  for (const key of ['cert', 'key'] as const) {
    const file = tls?.[key]
    if (file !== undefined) checkReadable([...path, key], file, context)
  }
  if (tls !== undefined) checkPair(path, tls, context)
}

function checkReadable(path: Path, file: string, { fault }: MeaningContext): void {
  try {
    accessSync(file, constants.R_OK)
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    fault(path, missing ? `the file ${file} does not exist` : `the file ${file} cannot be read by this user`)
  }
}

function checkHttp({ http }: Config, context: MeaningContext): void {
  checkListen(['http', 'listen'], http.listen, context)
  checkFiles(['http', 'tls'], http.tls, context)
  const { redirect } = http
  if (redirect !== undefined && redirect !== 'off') {
    checkListen(['http', 'redirect'], redirect, context)
    if (http.tls === undefined) context.warning(['http', 'redirect'], 'without http.tls there is no https to lead to; write http.tls')
  }
  http.trustedProxies.forEach((network, index) => checkNetwork(['http', 'trustedProxies', index], network, context))
}

/** What goes over the network without TLS: reported by the check of the configuration, at the start, by the health and by the doctor. */
export function cleartextOf(config: Pick<Config, 'http' | 'mail' | 'crm'>): Cleartext[] {
  return [...webCleartext(config), ...mailCleartext(config)]
}

function checkCleartext(config: Config, { warning }: MeaningContext): void {
  for (const { path, text, fix } of cleartextOf(config)) warning(path, `${text}; write ${fix}`)
}

function checkSip({ sip }: Config, context: MeaningContext): void {
  checkListen(['sip', 'udp'], sip.udp, context)
  // One that was not named is the other one's, and so is its fault.
  if (sip.tcp !== sip.udp) checkListen(['sip', 'tcp'], sip.tcp, context)
  if (sip.tls !== undefined) checkListen(['sip', 'tls', 'listen'], sip.tls.listen, context)
  checkFiles(['sip', 'tls'], sip.tls, context)
  const [low = 0, high = 0] = String(sip.rtpPorts).split('-').map(Number)
  if (low < 1024 || high > 65535 || high - low < 3) {
    context.fault(['sip', 'rtpPorts'], 'write a range of UDP ports between 1024 and 65535, such as 10000-19999; a call needs two')
  }
  sip.nameservers?.forEach((server, index) => {
    if (isIP(server) === 0 && !isIP(parseListen(server)?.host ?? ''))
      context.fault(['sip', 'nameservers', index], `"${server}" is not an IP address`)
  })
  sip.phoneNetworks?.forEach((network, index) => checkNetwork(['sip', 'phoneNetworks', index], network, context))
  sip.localNetworks.forEach((network, index) => checkNetwork(['sip', 'localNetworks', index], network, context))
}

function checkCrm({ crm: { baseUrl, token, tls, secret, auth, allow } }: Config, context: MeaningContext): void {
  if (baseUrl !== undefined) checkCrmUrl(baseUrl, context)
  if (baseUrl !== undefined && secret === '' && token === '')
    context.warning(['crm', 'baseUrl'], 'requests to the CRM have neither a signature nor a token; write crm.secret or crm.token')
  if (tls.ca !== undefined) checkReadable(['crm', 'tls', 'ca'], tls.ca, context)
  if (tls.insecure) context.warning(['crm', 'tls', 'insecure'], 'anyone on the network could impersonate the CRM; write crm.tls.ca instead')
  allow.forEach((network, index) => checkNetwork(['crm', 'allow', index], network, context))
  if (auth === 'signed+bearer' && secret === '') context.fault(['crm', 'auth'], 'signed+bearer needs crm.secret')
}

function checkCrmUrl(text: string, { fault }: MeaningContext): void {
  const url = URL.parse(text)
  const path = ['crm', 'baseUrl']
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return fault(path, `"${text}" is not an address such as https://crm.lan`)
  if (url.username !== '' || url.search !== '' || url.hash !== '') fault(path, 'write only the address, without user, query or fragment')
}

function checkPorts({ http, sip }: Config, { fault }: MeaningContext): void {
  const web = parseListen(http.listen)
  if (web === undefined || web.port === 0) return
  for (const [path, text] of [
    [['http', 'redirect'], http.redirect],
    [['sip', 'tcp'], sip.tcp],
    [['sip', 'tls', 'listen'], sip.tls?.listen],
  ] as const) {
    const other = text ? parseListen(text) : undefined
    if (
      other?.port === web.port &&
      (other.host === web.host || [other.host, web.host].some((host) => host === '0.0.0.0' || host === '::'))
    ) {
      fault([...path], `port ${web.port} is already the web port (http.listen)`)
    }
  }
}

/** sockaddr_un holds 108 bytes with the closing zero. */
const longestSocketPath = 107

function checkSocket({ control }: Config, { fault }: MeaningContext): void {
  const length = Buffer.byteLength(control.socket)
  if (length > longestSocketPath)
    fault(['control', 'socket'], `the path of the socket has ${length} bytes; the system allows ${longestSocketPath}: choose a shorter one`)
}

const hostPort = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?)(:\d{1,5})?$/

function checkTrunks({ trunks, site }: Config, context: MeaningContext): void {
  duplicates(['trunks'], 'id', trunks, context)
  const defaults = trunks.flatMap((trunk, index) => (trunk.default ? [index] : []))
  for (const index of defaults.slice(1))
    context.fault(
      ['trunks', index, 'default'],
      `only one trunk can be the default, and "${trunks[defaults[0]!]!.id}" is already the default`,
    )
  trunks.forEach((trunk, index) => {
    const path = ['trunks', index]
    if (!hostPort.test(trunk.server)) context.fault([...path, 'server'], `"${trunk.server}" is not a host or host:port`)
    if (trunk.outboundProxy !== undefined && !hostPort.test(trunk.outboundProxy))
      context.fault([...path, 'outboundProxy'], `"${trunk.outboundProxy}" is not a host or host:port`)
    if (trunk.register && trunk.username === '')
      context.fault(
        path,
        'a trunk that registers needs a username; if the provider recognises this system by its address, write register: false',
      )
    trunk.allow.forEach((network, at) => checkNetwork([...path, 'allow', at], network, context))
    trunk.numbers.forEach((number, at) => {
      if (normaliseNumber(number, site.country).kind === 'invalid')
        context.fault([...path, 'numbers', at], `"${number}" is not a telephone number; write it as +15550001000`)
    })
  })
}

function checkLines({ lines, trunks, site }: Config, context: MeaningContext): void {
  duplicates(['lines'], 'id', lines, context)
  duplicates(['lines'], 'device', lines, context)
  lines.forEach(({ id, number, kind, device, rings }, index) => {
    const path = ['lines', index]
    if (kind === 'modem' && device === undefined) context.fault(path, 'a modem needs its device; write device: /dev/pbx-modem0')
    if (kind === 'sim' && device !== undefined) context.fault([...path, 'device'], 'a simulated line has no device')
    if (kind === 'sim' && number === undefined) context.fault(path, 'a simulated line needs its number; write number: "+15551230001"')
    if (trunks.some((trunk) => trunk.id === id)) context.fault([...path, 'id'], `a trunk already has the name "${id}"`)
    if (number !== undefined && normaliseNumber(number, site.country).kind === 'invalid')
      context.fault([...path, 'number'], `"${number}" is not a telephone number; write it as +15550001999`)
    rings.forEach((ring, at) => {
      if (normaliseNumber(ring.number, site.country).kind === 'invalid')
        context.fault([...path, 'rings', at, 'number'], `"${ring.number}" is not a telephone number; write it as +15550001999`)
    })
  })
}

/** A single guesser gets a handful of tries an hour, but a whole botnet may guess, and off-line after one recorded registration. */
const shortestPassword = 12

function checkExtensions({ extensions, site }: Config, context: MeaningContext): void {
  duplicates(['extensions'], 'number', extensions, context)
  extensions.forEach((extension, index) => {
    const path = ['extensions', index]
    if (isEmergencyNumber(extension.number, site.country))
      context.fault([...path, 'number'], `${extension.number} is an emergency number in ${site.country}`)
    if (typeof extension.password === 'string' && extension.password.length < shortestPassword)
      context.fault(
        [...path, 'password'],
        `a password of fewer than ${shortestPassword} characters is easy to guess; write a longer one, for example from: openssl rand -base64 12`,
      )
  })
}

function checkEndpoints({ voice, callbacks }: Config, context: MeaningContext): void {
  duplicates(['voice', 'endpoints'], 'id', voice.endpoints, context)
  voice.endpoints.forEach((endpoint, index) => {
    for (const key of ['controlUrl', 'fallbackUrl', 'statusCallbackUrl'] as const) {
      const text = endpoint[key]
      if (text === undefined) continue
      const path = ['voice', 'endpoints', index, key]
      const url = URL.parse(text)
      if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
        context.fault(path, `"${text}" is not a URL; write for example http://192.168.1.10:3000/voice`)
      else if (url.username !== '' || url.password !== '') context.fault(path, 'the URL must not contain a user name or password')
      else if (key === 'statusCallbackUrl' && !callbacks.allowLoopback && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname)) {
        context.warning(
          path,
          'status callbacks to this machine itself are refused; write callbacks: { allowLoopback: true } to permit them',
        )
      }
    }
  })
}
