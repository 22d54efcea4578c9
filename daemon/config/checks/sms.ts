/** Trunks for texts: what their schema cannot say. */
import { normaliseNumber } from '../../numbers/numbers.ts'
import type { Config } from '../../schema/config.ts'
import { nearest } from '../../base/spelling.ts'
import type { MeaningContext, SectionCheck } from './context.ts'
import type { NotifyCheck } from './notify.ts'
import type { SmsTrunkConfigOf } from '../../schema/config/sms.ts'
import type { Path } from '../source.ts'

/** Providers of texts with an HTTP interface: what their schema cannot say. */
function checkProvider(trunk: SmsTrunkConfigOf<'http'>, path: Path, { fault, warning }: MeaningContext): void {
  const { provider, url, account, secret, template, webhook } = trunk
  if (provider === 'generic' && url === undefined) fault(path, 'a generic provider needs url, the address of its interface')
  if (provider === 'generic' && template === undefined) fault(path, 'a generic provider needs template, which describes its requests')
  if (provider !== 'generic' && template !== undefined)
    fault([...path, 'template'], `${provider} is built in: only a generic provider has a template`)
  if (provider === 'twilio' && account === '') fault(path, 'Twilio needs account, the account SID (AC...)')
  if (provider !== 'generic' && secret === '')
    fault(path, `${provider} needs secret, the ${provider === 'twilio' ? 'auth token' : 'API key'} of the account`)
  if (template?.send.form !== undefined && template.send.json !== undefined) {
    fault([...path, 'template', 'send'], 'a request has form or json as its body, not both')
  }
  if (url !== undefined && /^http:\/\/(?!127\.|localhost[:/]|\[::1\])/.test(url)) {
    warning([...path, 'url'], 'texts and the secret are sent unencrypted; use https')
  }
  const signature = template?.webhook?.signature
  if (signature !== undefined) checkSigned(signature, [...path, 'template', 'webhook', 'signature'], fault)
  const signs = provider === 'twilio' ? secret : webhook.secret
  if (webhook.publicUrl !== undefined && (signs === undefined || signs === '')) {
    warning([...path, 'webhook'], 'without webhook.secret the box cannot check what the provider sends, and refuses all of it')
  }
}

function checkSigned(
  { signs, timestampHeader }: { signs: string; timestampHeader: string },
  path: Path,
  fault: MeaningContext['fault'],
): void {
  if (!/\{\{(body|query)\}\}/.test(signs)) {
    fault([...path, 'signs'], 'neither {{body}} nor {{query}} is signed: anyone with one signature could send any content')
  }
  if (signs.includes('{{timestamp}}') !== (timestampHeader !== '')) {
    fault(
      [...path, 'timestampHeader'],
      'a time counts only when it is signed: write timestampHeader, and {{timestamp}} in signs, or neither',
    )
  }
}

function checkSms({ sms, trunks, site }: Config, context: MeaningContext): void {
  const { fault, warning } = context
  const ids = new Set<string>()
  const devices = new Set<string>()
  const preferred = sms.trunks.find((trunk) => trunk.default)
  sms.trunks.forEach((trunk, index) => {
    const path = ['sms', 'trunks', index]
    if (ids.has(trunk.id)) fault([...path, 'id'], `"${trunk.id}" is given twice`)
    ids.add(trunk.id)
    if (trunk.default && trunk !== preferred) {
      fault([...path, 'default'], `only one trunk can be the default, and "${preferred?.id}" is already the default`)
    }
    if (trunk.number !== undefined && !['e164', 'short'].includes(normaliseNumber(trunk.number, site.country).kind)) {
      fault([...path, 'number'], `"${trunk.number}" is not a telephone number; write it as +15550002000`)
    }
    if (trunk.kind === 'modem') {
      if (devices.has(trunk.device)) fault([...path, 'device'], `"${trunk.device}" is given twice`)
      devices.add(trunk.device)
      if (/\/tty(USB|ACM)\d+$/.test(trunk.device)) {
        const text = 'another device may get this name after a restart; write a name under /dev/serial/by-id, or one from a udev rule'
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
  lacks: ({ sms }) => (sms.trunks.length === 0 ? 'texts need a trunk in sms.trunks' : undefined),
}

export const checks: readonly SectionCheck[] = [[['sms', 'trunks', 'site'], checkSms]]
