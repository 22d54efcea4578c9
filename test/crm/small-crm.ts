/** The CRM that somebody writes in an afternoon from docs/crm-requests.md: it verifies signatures, and answers what is read and no more. */
import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'

const customers = [
  { id: 4711, name: 'Ana Ruiz', version: 1, updatedAt: '2026-03-02T13:59:10Z', phones: [{ number: '+15551234567' }] },
  { id: 'c_2', name: 'Bo Li', version: 'a', updatedAt: '2026-03-01T13:59:10Z', phones: [{ number: '+15551234568' }] },
]
const logged = new Map<string, number>()

export function smallCrm(secret: string): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      const time = String(request.headers['x-service-timestamp'])
      const right = `sha256=${createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')}`
      const answer = (status: number, value: unknown): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(typeof value === 'string' ? value : JSON.stringify(value))
      }
      if (request.headers['x-service-signature'] !== right || Math.abs(Date.now() / 1000 - Number(time)) > 300) return answer(401, {})
      const path = decodeURIComponent(request.url!.split('?')[0]!).replace('/api/pbx/', '')
      const [what = '', , third = ''] = path.split('/')
      const asked = (body.length === 0 ? {} : JSON.parse(body.toString())) as { cursor?: string | null; callId?: string; limit?: number }
      const byNumber = customers.find(({ phones }) => phones[0]?.number === third || phones[0]?.number === path.split('/')[1]) ?? null
      if (what === 'lookup' || what === 'screen-pop')
        return answer(200, byNumber === null ? { found: false } : { found: true, customer: byNumber })
      const from = Number(asked.cursor ?? 0)
      const next = from + (asked.limit ?? 500)
      if (what === 'sync')
        return answer(200, { customers: customers.slice(from, next), nextCursor: next < customers.length ? String(next) : null })
      if (what === 'customers')
        return answer(200, { customer: customers.find(({ id }) => String(id) === path.split('/')[1]) ?? customers[0] })
      if (what === 'users') return answer(200, { userId: 7, name: 'Maria Ruiz' })
      if (path === 'calls/log') return answer(200, (logged.set(asked.callId!, 1), 'OK'))
      return answer(200, '')
    })
  })
}
