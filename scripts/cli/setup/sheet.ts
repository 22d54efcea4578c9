/** The sheet for the cabinet: every phone with what is entered into it, and the codes. One page of HTML, to be printed. */
import { renderSVG } from 'uqr'
import type { Answers } from './answers.ts'
import type { Made } from './document.ts'

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const row = (cells: readonly string[], tag = 'td'): string =>
  `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`

export interface Besides {
  readonly fingerprint: string | null
  /** Where a softphone fetches its settings, by extension. */
  readonly softphones: ReadonlyMap<string, string>
}

export function sheetOf({ site, extensions, provider, lines = [] }: Answers, made: Made, { fingerprint, softphones }: Besides): string {
  const server = made.address ?? '127.0.0.1'
  const phones = extensions.map(({ number, name }) => row([number, name, server, made.passwords.get(number)!]))
  const facts: [string, string][] = [
    ['Provider', provider === undefined ? '-' : `${provider.server ?? provider.kind}, ${provider.numbers.join(' ')}`],
    ...lines.map(({ device, number, roles }, at): [string, string] => [`Line ${at + 1}`, `${number}, ${roles.join(' and ')}, ${device}`]),
    ['Web port', made.certificate === null ? 'http://127.0.0.1:8080 (from this machine only)' : `https://${server}:8443`],
    ...(fingerprint === null ? [] : [['Certificate fingerprint (SHA-256)', fingerprint] as [string, string]]),
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
${codes(softphones)}<p>Dial *97 on a phone to hear messages. All codes: docs/phones.md.</p>
</body></html>
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
