/** `sites`: the boxes of other sites, whose phones are dialled from here, and the lines to them. */
import { Type, type Static } from '@sinclair/typebox'
import type { CallLine } from '../call-lines.ts'
import type { Config } from '../config.ts'
import { Choice, Id, NumberText, Secret, strict } from './forms.ts'
import { classesOfService } from './pbx-outbound.ts'

/** `2xx`, or several of them; x is any digit. */
export const rangePattern = '^[0-9][0-9x]{1,5}(?:,[0-9][0-9x]{1,5})*$'

const SiteLinkSchema = strict(
  {
    id: { ...Id('Name of the site. Rules call the line to it site:ID.'), examples: ['north'] },
    server: Type.String({ minLength: 1, examples: ['10.20.0.10:5061'], description: 'host or host:port of SIP at its box.' }),
    transport: Choice(['udp', 'tcp', 'tls'], { default: 'tls', description: 'Transport to it; with tls audio is encrypted too.' }),
    password: {
      ...Secret('Both boxes prove this password to each other for each call. It is the same in the configuration of both.'),
      examples: [{ file: '/etc/pbxd/between.secret' }],
    },
    extensions: Type.String({
      pattern: rangePattern,
      examples: ['2xx'],
      description: 'Its numbers, x for any digit, such as 2xx or 20x,310. Who dials one is connected there.',
    }),
    number: Type.Optional({
      ...NumberText('The number of the site in the telephone network. Calls go there by own lines while the site is not reached.'),
      examples: ['+15550002000'],
    }),
    api: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s/?#@]+/?$',
        examples: ['https://10.20.0.10:8443'],
        description: 'Web port of its box, for collect.from, directory and lamps of its extensions, which stay unknown without it.',
      }),
    ),
    token: Secret('A token of its box with the scope inbox, for api: pbx token create --name site --scope inbox.', ''),
    directory: Type.Boolean({
      default: false,
      description:
        'Whether its box knows who calls: it is asked before phones ring, 800 ms at most, with a token of the scopes inbox and crm. Of one site; not where a CRM is configured.',
    }),
    caFile: Type.Optional(
      Type.String({
        minLength: 1,
        examples: ['/etc/pbxd/north.pem'],
        description:
          'For transport tls and an api of https: PEM file with the accepted authorities, or with the certificate of its box. Default: authorities of the system.',
      }),
    ),
    class: Choice(classesOfService, {
      default: 'internal',
      description:
        'Which outside numbers its calls may reach through the lines of this box. internal: none. Where outbound of that site names this one, it needs more.',
    }),
  },
  'Another site with a box of its own.',
)

export const SitesSchema = Type.Array(SiteLinkSchema, {
  default: [],
  description: 'Other sites, each with a box of its own. Their numbers are dialled like those of this house.',
})

export type SiteLink = Static<typeof SiteLinkSchema>

const mark = 'site:'
/** Calls to one site at once. */
export const channelsOfSite = 100

/** How rules, rows of calls and the engine name the line to a site; no trunk has such a name. */
export const siteTrunk = (id: string): string => mark + id

export const isSiteTrunk = (trunkId: string): boolean => trunkId.startsWith(mark)

export const siteIdOf = (trunkId: string): string => trunkId.slice(mark.length)

/** As people read it. */
export const nameOfTrunk = (trunkId: string): string => (isSiteTrunk(trunkId) ? `site ${siteIdOf(trunkId)}` : `trunk ${trunkId}`)

export function siteOfTrunk({ sites }: Pick<Config, 'sites'>, trunkId: string): SiteLink | undefined {
  return isSiteTrunk(trunkId) ? sites.find(({ id }) => siteTrunk(id) === trunkId) : undefined
}

/** Names to the next box the numbers at which the call has been, so that it ends where it comes to one of them again (RFC 3261, 16.3). */
export const passedHeader = 'X-Pbx-Passed'
/** Nobody means a call to be passed on by more. */
const mostPassed = 4

/** For the box that the call goes to now. `passed`: as `Call` has it. */
export function onwardHeaders(passed: readonly string[], number: string): Readonly<Record<string, string>> {
  const before = (passed.at(-1) === number ? passed.slice(0, -1) : passed).filter((one) => /^[+*#\d]{1,32}$/.test(one))
  return before.length === 0 ? {} : { [passedHeader]: before.join(',') }
}

/** What a box says of a call that comes from it. */
export function passedIn(headers: Readonly<Record<string, string>>): readonly string[] {
  return (headers[passedHeader.toLowerCase()] ?? '').split(',').filter((number) => number !== '')
}

export function inCircles(passed: readonly string[], number: string): boolean {
  return passed.includes(number) || passed.length >= mostPassed
}

/** Of a list of ranges. */
export const rangesOf = (extensions: string): readonly string[] => extensions.split(',')

export function isInRange(number: string, extensions: string): boolean {
  return rangesOf(extensions).some(
    (range) => range.length === number.length && [...range].every((one, at) => one === 'x' || one === number[at]),
  )
}

/** The site that has this number; what this house has itself comes first. */
export function siteOf({ sites, extensions }: Pick<Config, 'sites' | 'extensions'>, number: string): SiteLink | undefined {
  if (sites.length === 0 || extensions.some((own) => own.number === number)) return undefined
  return sites.find((site) => isInRange(number, site.extensions))
}

/** By which a phone of one site takes a call that rings at another, whatever the code is called at either. */
export const pickupAtSite = '*8'

/** A number of another site, or the code for a pickup there; '' for neither. */
export function numberAtSite(config: Pick<Config, 'sites' | 'extensions'>, dialled: readonly string[]): string {
  const isThere = (text: string): boolean =>
    siteOf(config, text.startsWith(pickupAtSite) ? text.slice(pickupAtSite.length) : text) !== undefined
  return dialled.find(isThere) ?? ''
}

/** The lines to other sites: after all others for help, and for nothing else unless a rule names them. */
export function siteLines({ sites }: Pick<Config, 'sites'>): readonly CallLine[] {
  return sites.map(({ id }) => ({ id: siteTrunk(id), numbers: [], channels: channelsOfSite, default: false }))
}
