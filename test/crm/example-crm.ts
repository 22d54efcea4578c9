/** The small CRM of the examples as a peer of tests, and requests to it as pbxd signs them. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { signedHeaders } from '../../daemon/base/signing.ts'
import { serve, type Crm } from '../../scripts/examples/crm/crm.ts'
import { faults, type Faults } from '../../scripts/examples/crm/faults.ts'

/** Listens until the test has ended. */
export async function openCrm(t: Pick<Test, 'teardown'>, crm: Crm, misbehaviour: Faults = {}) {
  const hook = faults(misbehaviour)
  const server = serve(crm, hook).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { crm, hook, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

export interface Asking {
  readonly secret?: string
  readonly token?: string
  /** Of the signature, in milliseconds; now where it is left out. */
  readonly at?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** `body`: a text is sent as it is. */
export async function ask(url: string, method: string, path: string, body?: object | string, asking: Asking = {}) {
  const { secret = '', token = '', at = Date.now(), headers = {} } = asking
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...signedHeaders(secret, at, text),
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: text }),
  })
  const given = await answer.text()
  const json = answer.headers.get('content-type')?.includes('json') === true && given !== ''
  return { status: answer.status, headers: answer.headers, body: (json ? JSON.parse(given) : given) as any }
}
