/** Calls to the outside and for help: trunks that must exist, numbers that may be reached, and that help can be called at all. */
import { emergencyNumbers, isEmergencyNumber } from '../../numbers/numbers.ts'
import type { Config } from '../../schema/config.ts'
import { checkNetwork, type MeaningContext, type SectionCheck } from './context.ts'
import { checkNotify } from './notify.ts'
import { unknownName } from '../routing.ts'
import type { Path } from '../source.ts'
import { siteLines } from '../../schema/config/sites.ts'
import { callLines } from '../../schema/call-lines.ts'

function checkOutside(config: Config, context: MeaningContext): void {
  const known = [...callLines(config), ...siteLines(config)].map(({ id }) => id)
  const { numbers } = config.emergency
  const checkTrunks = (path: Path, trunks: readonly string[]): void =>
    trunks.forEach((id, at) => {
      if (!known.includes(id)) context.fault([...path, at], unknownName('trunk', id, known))
    })
  config.outbound.forEach(({ trunks }, index) => {
    // Left out, which is a fault of its own.
    if (Array.isArray(trunks)) checkTrunks(['outbound', index, 'trunks'], trunks)
  })
  checkTrunks(['emergency', 'trunks'], config.emergency.trunks)
  config.extensions.forEach(({ number }, index) => {
    if (numbers.includes(number)) context.fault(['extensions', index, 'number'], `${number} is an emergency number (emergency.numbers)`)
  })
  config.numbers.allow.forEach((text, index) => {
    if (numbers.includes(text)) context.fault(['numbers', 'allow', index], `${text} is an emergency number: programs must not call it`)
  })
  checkHelp(config, context)
  checkNotices(config, context)
}

/** Those to be notified can be reached, and places are networks. */
function checkNotices(config: Config, context: MeaningContext): void {
  const { emergency, extensions, site } = config
  const { notify, locations, testNumber } = emergency
  const path = ['emergency', 'notify'] as const
  const known = extensions.map(({ number }) => number)
  notify.extensions.forEach((number, at) => {
    if (!known.includes(number)) context.fault([...path, 'extensions', at], unknownName('extension', number, known))
  })
  checkNotify(path, notify, config, context)
  locations.forEach(({ networks }, index) =>
    networks.forEach((network, at) => checkNetwork(['emergency', 'locations', index, 'networks', at], network, context)),
  )
  if (isEmergencyNumber(testNumber, site.country) || emergency.numbers.includes(testNumber))
    context.fault(['emergency', 'testNumber'], `${testNumber} is an emergency number: it cannot be used for tests`)
}

function checkHelp(config: Config, { warning }: MeaningContext): void {
  const { extensions, emergency, site } = config
  const trunks = callLines(config)
  if (extensions.length === 0) return
  if (trunks.length === 0) {
    const numbers = emergencyNumbers(site.country).join(', ')
    warning(
      ['extensions'],
      `EMERGENCY NUMBERS CANNOT BE DIALLED: without a trunk the phones of this system reach neither ${numbers} nor any other outside number; keep another telephone for emergency calls, and put up a note at every phone`,
    )
  } else if (emergency.location === '') {
    warning(
      ['extensions'],
      'an emergency call would not carry your location; write emergency: { location: "Riverside Clinic, 2nd floor", callerId: "+15550001000" }',
    )
  }
}

export const checks: readonly SectionCheck[] = [
  [['site', 'extensions', 'trunks', 'lines', 'sites', 'outbound', 'emergency', 'numbers'], checkOutside],
]
