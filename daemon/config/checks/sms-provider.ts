/** Providers of texts with an HTTP interface: what their schema cannot say. */
import type { SmsTrunkConfigOf } from '../../schema/config/sms.ts'
import type { MeaningContext } from '../meaning.ts'
import type { Path } from '../source.ts'

export function checkProvider(trunk: SmsTrunkConfigOf<'http'>, path: Path, { fault, warning }: MeaningContext): void {
  const { provider, url, account, secret, template, webhook } = trunk
  if (provider === 'generic' && url === undefined) fault(path, 'a generic provider needs url, the address of its interface')
  if (provider === 'generic' && template === undefined) fault(path, 'a generic provider needs template, which says how it is asked')
  if (provider !== 'generic' && template !== undefined)
    fault([...path, 'template'], `${provider} is known: only a generic provider has a template`)
  if (provider === 'twilio' && account === '') fault(path, 'Twilio needs account, the account SID (AC...)')
  if (provider !== 'generic' && secret === '')
    fault(path, `${provider} needs secret, the ${provider === 'twilio' ? 'auth token' : 'API key'} of the account`)
  if (template?.send.form !== undefined && template.send.json !== undefined) {
    fault([...path, 'template', 'send'], 'a request has form or json as its body, not both')
  }
  if (url !== undefined && /^http:\/\/(?!127\.|localhost[:/]|\[::1\])/.test(url)) {
    warning([...path, 'url'], 'texts and the secret travel readable for everybody on the way; use https')
  }
  const signature = template?.webhook?.signature
  if (signature !== undefined) checkSigned(signature, [...path, 'template', 'webhook', 'signature'], fault)
  const signs = provider === 'twilio' ? secret : webhook.secret
  if (webhook.publicUrl !== undefined && (signs === undefined || signs === '')) {
    warning([...path, 'webhook'], 'without webhook.secret nothing that the provider sends can be checked, and all of it is refused')
  }
}

function checkSigned(
  { signs, timestampHeader }: { signs: string; timestampHeader: string },
  path: Path,
  fault: MeaningContext['fault'],
): void {
  if (!/\{\{(body|query)\}\}/.test(signs)) {
    fault([...path, 'signs'], 'neither {{body}} nor {{query}} is signed: whoever has one signature could say anything with it')
  }
  if (signs.includes('{{timestamp}}') !== (timestampHeader !== '')) {
    fault(
      [...path, 'timestampHeader'],
      'a time counts only when it is signed: write timestampHeader, and {{timestamp}} in signs, or neither',
    )
  }
}
