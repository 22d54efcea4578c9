/** Where calls may go: every destination that the file names must exist. */
import { createReach } from '../numbers/reach.ts'
import type { Config } from '../schema/config.ts'
import { checkExists, receivesFaxes } from '../routing/destinations.ts'
import { destinationForms, parseDestination } from '../schema/destination.ts'
import type { MeaningContext } from './checks/context.ts'
import type { Path } from './source.ts'
import { nearest } from '../base/spelling.ts'

export function checkRouting(config: Config, context: MeaningContext): void {
  config.voice.endpoints.forEach((endpoint, index) => {
    const path = ['voice', 'endpoints', index]
    endpoint.destinations.forEach((text, at) => checkDestination([...path, 'destinations', at], text, config, context))
    if (endpoint.fallbackDestination !== undefined)
      checkDestination([...path, 'fallbackDestination'], endpoint.fallbackDestination, config, context)
    if (endpoint.fallbackDestination === `endpoint:${endpoint.id}`) {
      context.fault([...path, 'fallbackDestination'], 'an endpoint cannot be its own fallback')
    }
  })
  config.inbound.forEach((rule, index) => {
    const path = ['inbound', index]
    const faxesOnly = receivesFaxes(rule.destination, false)
    checkDestination([...path, 'destination'], rule.destination, config, context)
    if (rule.trunk !== undefined && rule.extension !== undefined) {
      context.fault([...path, 'extension'], 'a rule is either for calls from a trunk or for calls from an extension; write two rules')
    }
    if (rule.trunk !== undefined && rule.trunk !== '*') {
      const known = [...config.trunks, ...config.lines].map(({ id }) => id)
      if (!known.includes(rule.trunk)) context.fault([...path, 'trunk'], unknownName('trunk', rule.trunk, known))
      const faxLine = config.lines.some(({ id, roles }) => id === rule.trunk && !roles.includes('voice'))
      const unheard = faxLine && !faxesOnly && rule.destination !== 'hangup'
      if (unheard) {
        context.warning(
          [...path, 'destination'],
          `the line ${rule.trunk} is for faxes only; write roles: [fax, voice] there, or fax here, or hangup to let its calls ring`,
        )
      }
    }
    if (faxesOnly && rule.fax === 'off') {
      context.warning(
        [...path, 'fax'],
        'fax: off has no effect here: all calls of this rule are faxes; leave it out, or write another destination',
      )
    }
    if (faxesOnly && config.fax.line === 'off') {
      context.warning([...path, 'destination'], 'faxes can be received here, but not sent: fax.line is off')
    }
    if (rule.extension !== undefined && rule.extension !== '*') {
      const known = config.extensions.map(({ number }) => number)
      if (!known.includes(rule.extension)) context.fault([...path, 'extension'], unknownName('extension', rule.extension, known))
    }
    if (!/^(\*|\+?[0-9][0-9 ().\-/]*\*?|[*#][0-9*#]+)$/.test(rule.to)) {
      context.fault([...path, 'to'], `"${rule.to}" is not a number; write it as +15550001000, a beginning as +1555*, or * for any`)
    }
  })
}

/** Which line or trunk faxes take. */
export function checkFax(config: Config, context: MeaningContext): void {
  const { line } = config.fax
  if (line === 'auto' || line === 'off') return
  const known = [...config.lines, ...config.trunks].map(({ id }) => id)
  if (!known.includes(line)) context.fault(['fax', 'line'], unknownName('line or trunk', line, known))
  const chosen = config.lines.find(({ id }) => id === line)
  if (chosen !== undefined && !chosen.roles.includes('fax')) {
    context.fault(['fax', 'line'], `the line ${line} is not for faxes; write roles: [fax] there, or another line or trunk here`)
  }
}

export function checkDestination(path: Path, text: string, config: Config, context: MeaningContext): void {
  const destination = parseDestination(text)
  if (destination === undefined) {
    context.fault(path, `"${text}" is not a destination; write ${destinationForms}`)
    return
  }
  if (destination.kind === 'external') {
    const { allowed, reason } = createReach(config).mayDial(destination.number, 'call')
    if (!allowed) context.fault(path, `${text}: ${reason}`)
  }
  const missing = checkExists(destination, config)
  if (missing !== null) context.fault(path, unknownName(missing.what, missing.name, missing.known))
}

export function unknownName(what: string, id: string, known: readonly string[]): string {
  const near = nearest(id, known)
  if (near !== undefined) return `${noSuch(what)} "${id}"; did you mean "${near}"?`
  return `${noSuch(what)} "${id}"; ${known.length === 0 ? 'none is configured' : `known are ${known.join(', ')}`}`
}

const noSuch = (what: string): string => (what === 'hours' ? 'there are no hours' : `there is no ${what}`)
