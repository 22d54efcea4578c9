/** Other sites: whose numbers are whose, and what the lines to them need. */
import { isIP } from 'node:net'
import { normaliseNumber } from '../../numbers/numbers.ts'
import { callLines } from '../../schema/call-lines.ts'
import { isInRange, rangesOf, type SiteLink } from '../../schema/config/sites.ts'
import type { Config } from '../../schema/config.ts'
import { duplicates, type MeaningContext, type SectionCheck } from './context.ts'
import { authoritiesFault } from './trust.ts'

function checkSites(config: Config, context: MeaningContext): void {
  const { fault, warning } = context
  duplicates(['sites'], 'id', config.sites, context)
  duplicates(['sites'], 'server', config.sites, context)
  config.sites.forEach((site, index) => {
    const path = ['sites', index]
    checkRanges(config, site, index, context)
    if (site.password === '') fault([...path, 'password'], 'the boxes need a password to prove to each other who calls')
    if (site.transport !== 'tls') {
      if (site.caFile !== undefined && site.api?.startsWith('https:') !== true)
        fault([...path, 'caFile'], 'a caFile needs transport: tls, or an api of https')
    } else {
      if (config.sip.tls === undefined)
        fault([...path, 'transport'], 'a site over TLS needs the TLS listener: sip.tls with a certificate and key')
      const wrong = site.caFile === undefined ? '' : authoritiesFault(site.caFile)
      if (wrong !== '') fault([...path, 'caFile'], wrong)
      if (site.caFile === undefined && isIP(hostOf(site)) !== 0)
        warning(
          [...path, 'server'],
          'public authorities rarely sign certificates for addresses: write a name, or caFile with the certificate of that box',
        )
    }
    const twin = config.sites.slice(0, index).find((other) => hostOf(other) === hostOf(site))
    if (twin !== undefined && (twin.transport !== 'udp' || site.transport !== 'udp'))
      fault([...path, 'server'], `the site "${twin.id}" has the same address: over TCP and TLS nobody would know which of them calls`)
    checkNumber(config, site, index, context)
    if (site.directory && (site.api === undefined || site.token === ''))
      fault([...path, 'directory'], 'its box is asked by its web port: api and token are needed')
    if (site.directory && config.crm.baseUrl !== undefined)
      warning([...path, 'directory'], 'it is never asked: crm.baseUrl names a CRM, which knows the callers')
  })
  const [, second] = config.sites.flatMap(({ directory }, index) => (directory ? [index] : []))
  if (second !== undefined) fault(['sites', second, 'directory'], 'one directory has one owner: another site has it already')
}

const hostOf = ({ server }: SiteLink): string =>
  server
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()

function checkRanges(config: Config, site: SiteLink, index: number, { fault }: MeaningContext): void {
  const path = ['sites', index, 'extensions']
  const ranges = rangesOf(site.extensions)
  ranges.forEach((range, at) => {
    if (ranges.slice(0, at).some((other) => overlap(range, other))) fault(path, `"${range}" overlaps another range of this site`)
    for (const other of config.sites.slice(0, index))
      for (const theirs of rangesOf(other.extensions))
        if (overlap(range, theirs))
          fault(path, `"${range}" overlaps "${theirs}" of the site "${other.id}"; each number belongs to one site`)
  })
  for (const { number } of config.extensions)
    if (isInRange(number, site.extensions)) fault(path, `"${site.extensions}" holds ${number}, which is an extension of this house`)
  for (const { to, extension } of config.inbound)
    if (extension !== undefined && isInRange(to, site.extensions))
      fault(path, `"${site.extensions}" holds ${to}, which a rule of inbound has for phones of this house`)
  // In a wider range such a number is one for help all the same.
  const help = ['911', '112', '999', ...config.emergency.numbers].find((number) => ranges.includes(number))
  if (help !== undefined) fault(path, `"${help}" is an emergency number, which is called by the lines of this house`)
}

/** Whether there is a number that fits both. */
function overlap(one: string, other: string): boolean {
  return one.length === other.length && [...one].every((digit, at) => digit === other[at] || digit === 'x' || other[at] === 'x')
}

/** The way to the site when its box is not reached. */
function checkNumber(config: Config, { number }: SiteLink, index: number, { fault, warning }: MeaningContext): void {
  if (number === undefined) return
  const { e164 } = normaliseNumber(number, config.site.country)
  const path = ['sites', index, 'number']
  if (e164 === null) return fault(path, `"${number}" is not a telephone number; write it as +15550001000`)
  if (callLines(config).length === 0) return warning(path, 'it is never called: there is no trunk')
  const own = callLines(config).some(({ numbers }) => numbers.some((each) => normaliseNumber(each, config.site.country).e164 === e164))
  if (own) fault(path, `"${number}" is a number of this box`)
}

export const checks: readonly SectionCheck[] = [
  [['site', 'sip', 'extensions', 'trunks', 'lines', 'inbound', 'emergency', 'sites', 'crm'], checkSites],
]
