/** Trunks for texts: what their schema cannot say. */
import { normaliseNumber } from '../../numbers/numbers.ts'
import type { Config } from '../../schema/config.ts'
import { nearest } from '../../base/spelling.ts'
import type { MeaningContext } from '../meaning.ts'
import type { NotifyCheck } from './notify.ts'
import { checkProvider } from './sms-provider.ts'

export function checkSms({ sms, trunks, site }: Config, context: MeaningContext): void {
  const { fault, warning } = context
  const ids = new Set<string>()
  const devices = new Set<string>()
  const preferred = sms.trunks.find((trunk) => trunk.default)
  sms.trunks.forEach((trunk, index) => {
    const path = ['sms', 'trunks', index]
    if (ids.has(trunk.id)) fault([...path, 'id'], `"${trunk.id}" is there twice`)
    ids.add(trunk.id)
    if (trunk.default && trunk !== preferred) {
      fault([...path, 'default'], `only one trunk can be the default, and "${preferred?.id}" is it already`)
    }
    if (trunk.number !== undefined && !['e164', 'short'].includes(normaliseNumber(trunk.number, site.country).kind)) {
      fault([...path, 'number'], `"${trunk.number}" is not a telephone number; write it as +15550002000`)
    }
    if (trunk.kind === 'modem') {
      if (devices.has(trunk.device)) fault([...path, 'device'], `"${trunk.device}" is there twice`)
      devices.add(trunk.device)
      if (/\/tty(USB|ACM)\d+$/.test(trunk.device)) {
        const text = 'another device may have this name after a restart; write a name below /dev/serial/by-id, or one of a udev rule'
        warning([...path, 'device'], text)
      }
    }
    if (trunk.kind === 'http') checkProvider(trunk, path, context)
    if (trunk.kind === 'sip') {
      const known = trunks.map(({ id }) => id)
      if (!known.includes(trunk.trunk)) fault([...path, 'trunk'], `there is no SIP trunk "${trunk.trunk}"${hint(trunk.trunk, known)}`)
    }
  })
}

function hint(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  if (near !== undefined) return `; did you mean "${near}"?`
  return known.length === 0 ? '; none is configured' : `; known are ${known.join(', ')}`
}

export const notifyByText: NotifyCheck = {
  fault: (to, { site }) =>
    normaliseNumber(to, site.country).kind === 'invalid' ? `"${to}" is not a telephone number; write it as +15550001000` : undefined,
  lacks: ({ sms }) => (sms.trunks.length === 0 ? 'no text is sent without a trunk of sms' : undefined),
}
