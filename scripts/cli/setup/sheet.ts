/** The sheet for the cabinet: every phone with what is entered into it, and the codes. One page of HTML, to be printed. */
import { renderSVG } from 'uqr'
import type { Answers } from '../../../daemon/setup/answers.ts'
import type { Made } from '../../../daemon/setup/document.ts'
import type { Invited } from '../commands/console.ts'

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const row = (cells: readonly string[], tag = 'td'): string =>
  `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`

/** What people compare before they trust the box: the fingerprint of its authority, or of a certificate that it has without one. */
export interface Trust {
  readonly fingerprint: string
  readonly isAuthority: boolean
}

export interface Besides {
  /** Where people reach the web port. */
  readonly web: string
  readonly trust: Trust | null
  /** For the first technician. */
  readonly invitation: Invited['invitation'] | null
  /** Where a softphone fetches its settings, by extension. */
  readonly softphones: ReadonlyMap<string, string>
}

export function sheetOf(
  { site, extensions, provider, lines = [] }: Answers,
  made: Made,
  { web, trust, softphones, invitation }: Besides,
): string {
  const server = made.address ?? '127.0.0.1'
  const phones = extensions.map(({ number, name }) => row([number, name, server, made.passwords.get(number)!]))
  const facts: [string, string][] = [
    ['Provider', provider === undefined ? '-' : `${provider.server ?? provider.kind}, ${provider.numbers.join(' ')}`],
    ...lines.map(({ device, number, roles }, at): [string, string] => [`Line ${at + 1}`, `${number}, ${roles.join(' and ')}, ${device}`]),
    ['Pages of the box', made.certificate === null ? `${web} (from this machine only)` : web],
    ...(trust === null
      ? []
      : [[`Fingerprint of the ${trust.isAuthority ? "box's authority" : 'certificate'} (SHA-256)`, trust.fingerprint] as [string, string]]),
    ['Recovery key of the backups', 'with the papers of the clinic, not in this cabinet'],
    ['When nothing works', 'pbx doctor, then docs/troubleshooting.md'],
  ]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(site.name)}</title>
<style>body{font:14px/1.4 sans-serif;margin:2em}table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #888;padding:.3em .6em;text-align:left}
td:last-child{font-family:monospace}figure{display:inline-block;width:10em;margin:1em;text-align:center}figure svg{width:100%}</style></head><body>
<h1>${escaped(site.name)}: the telephones</h1>
<p>Confidential: anyone with this sheet can register phones. The user name and authentication name of a phone are its number.</p>
<table>${row(['Number', 'Name', 'Server', 'Password'], 'th')}${phones.join('')}</table>
<table>${facts.map((fact) => row(fact)).join('')}</table>
${invitation === null ? '' : first(invitation)}${trust?.isAuthority === true ? trusting(web) : ''}${codes(softphones)}<p>Dial *97 on a phone to hear messages. All codes: docs/phones.md.</p>
</body></html>
`
}

function first({ url, until }: Invited['invitation']): string {
  return `<h2>First sign-in</h2>
<p>Open this address before ${escaped(until.slice(0, 16).replace('T', ' '))} UTC and set a password; it works once. Later: pbx console invite</p>
<p><code>${escaped(url)}</code></p>
`
}

/** How each kind of device comes to trust the authority, which can vouch for this box alone. */
const devices: readonly (readonly [string, string])[] = [
  ['Windows', 'open the file; Install Certificate; Local Machine; place it into Trusted Root Certification Authorities'],
  ['macOS', 'open the file in Keychain Access, keychain System; open the certificate there; Trust: Always Trust'],
  [
    'iPhone, iPad',
    'open it in Safari; Settings, Profile Downloaded, Install; then General, About, Certificate Trust Settings: switch it on',
  ],
  ['Android', 'Settings, Security, Encryption and credentials, Install a certificate, CA certificate: choose the file'],
]

function trusting(web: string): string {
  return `<h2>So that browsers do not warn</h2>
<p>Once on each device: fetch <code>${escaped(new URL('/authority.crt', web).href)}</code>, compare its fingerprint (SHA-256) with the one above, and</p>
<table>${devices.map((device) => row(device)).join('')}</table>
`
}

/** SVG of our own making, so it is not escaped. */
function codes(softphones: ReadonlyMap<string, string>): string {
  if (softphones.size === 0) return ''
  const figures = [...softphones].map(
    ([number, url]) => `<figure>${renderSVG(url, { pixelSize: 3 })}<figcaption>${escaped(number)}</figcaption></figure>`,
  )
  return `<h2>Softphones</h2>
<p>Linphone: Assistant, Fetch remote configuration, scan. Each code is valid for one device and one day. For another one: pbx phones add NUMBER --qr</p>
<div>${figures.join('')}</div>
`
}
