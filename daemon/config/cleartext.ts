/** What goes over the network without TLS, and what of the web port does. */
import { parseListen } from '../schema/config/forms.ts'
import type { Config } from '../schema/config.ts'
import type { Path } from './source.ts'

export interface Cleartext {
  /** Of the setting. */
  readonly path: Path
  readonly text: string
  /** What to write instead. */
  readonly fix: string
}

export function webCleartext({ http, crm }: Pick<Config, 'http' | 'crm'>): Cleartext[] {
  const found: Cleartext[] = []
  if (http.tls === undefined && !isLoopback(http.listen)) {
    found.push({
      path: ['http', 'listen'],
      text: `The web port ${http.listen} is open to the network without TLS: access tokens, faxes and recordings can be read on the way`,
      fix: 'http: { tls: { cert: FILE, key: FILE } }, or http.listen on 127.0.0.1 behind a proxy that has TLS',
    })
  }
  if (http.tls === undefined && !isLoopback(http.listen) && crm.secret !== '' && crm.auth === 'signed') {
    found.push({
      path: ['crm', 'auth'],
      text: 'A signature of the CRM alone opens /api/pbx, without TLS: whoever reads a signed GET on the way can ask anything else for five minutes',
      fix: 'http.tls, crm: { auth: signed+bearer }, or crm: { allow: [ADDRESS] }',
    })
  }
  return found
}

/** True as well for what is no address: that has its own fault. */
export function isLoopback(listen: string): boolean {
  const host = parseListen(listen)?.host
  return host === undefined || host === 'localhost' || host.startsWith('127.') || host === '::1'
}
