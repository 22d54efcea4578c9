/** Holds the requests that the box really sends to a CRM against their schemas: nothing may be missing, and nothing more may be there. */
import type { TSchema } from '@sinclair/typebox'
import { checker, type Check } from '../../daemon/http/validate.ts'
import { crmRequests, type CrmRequestSpec } from '../../daemon/schema/crm-requests.ts'

interface Sent {
  readonly method: string
  /** Behind /api/pbx/, without its query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
  readonly key: string | undefined
}

const specs = Object.entries(crmRequests as Readonly<Record<string, CrmRequestSpec>>).map(([name, spec]) => ({
  name,
  spec,
  path: new RegExp(`^${spec.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  body: spec.body && checker(closed(spec.body), false),
}))
const nobody: Check = (body) => (body === undefined ? undefined : [{ path: '', message: 'has no body' }])

/** Without room for members that are not described. */
export function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)])) as TSchema
  const open = inner['properties'] !== undefined && inner.type === 'object' && inner.additionalProperties === undefined
  return (open ? { ...inner, additionalProperties: false } : inner) as T
}

/** In words; nothing where it is one of the requests that are described. */
export function requestMisfitsOf({ method, path, query, body, key }: Sent): string[] {
  const these = specs.filter((one) => one.spec.method === method && one.path.test(path))
  if (these.length === 0) return [`there is no request ${method} ${path}`]
  // Look-ups and reports of a customer go to the same address.
  const faults = these.map(({ name, spec, body: check = nobody }) => [
    ...(check(structuredClone(body)) ?? []).map((fault) => `${name}${fault.path} ${fault.message}`),
    ...[...query.keys()]
      .filter((member) => spec.query?.properties[member] === undefined)
      .map((member) => `${name}?${member} is not described`),
    ...((spec.key === undefined) === (key === undefined) ? [] : [`${name}: its Idempotency-Key is ${key ?? 'missing'}`]),
  ])
  return faults.some((some) => some.length === 0) ? [] : faults[0]!
}
