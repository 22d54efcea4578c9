/** The requests of the box to the CRM, for the OpenAPI document: each as a webhook, with its headers and what is read of the answer. */
import type { TSchema } from '@sinclair/typebox'
import type { Json, Plain } from '../http/route.ts'
import { crmRequests, type CrmRequestSpec } from '../schema/crm-requests.ts'

/** `shared`: the headers that everything sent has. */
export function crmWebhooks(plain: Plain, shared: readonly Json[]): Json {
  return Object.fromEntries(
    Object.entries(crmRequests as Readonly<Record<string, CrmRequestSpec>>).map(([name, spec]) => [
      `crm.${name}`,
      { [spec.method.toLowerCase()]: operation(name, spec, plain, shared) },
    ]),
  )
}

function operation(name: string, spec: CrmRequestSpec, plain: Plain, shared: readonly Json[]): Json {
  const { method, path, when, query, body, example } = spec
  const [summary = ''] = when.split(/(?<=[.:;?]) /)
  const told = { ...(example.body === undefined ? {} : { example: example.body }) }
  return {
    operationId: `onCrm${name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: summary.replace(/[.:;]$/, ''),
    description: `${when}\n\n\`${method} {crm.baseUrl}/api/pbx/${path}\``,
    tags: ['Requests to the CRM'],
    security: [],
    parameters: [...queryOf(query, plain), ...shared, ...(spec.key === undefined ? [] : [idempotencyKey(spec.key)])],
    ...(body === undefined ? {} : { requestBody: { required: true, content: { 'application/json': { schema: plain(body), ...told } } } }),
    responses: { 200: answered(spec, plain), ...others },
  }
}

function queryOf(query: TSchema | undefined, plain: Plain): Json[] {
  return Object.entries((query?.properties ?? {}) as Record<string, TSchema>).map(([name, schema]) => {
    return { name, in: 'query', required: false, description: schema.description, schema: plain(schema) }
  })
}

const idempotencyKey = (key: string): Json => ({
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description: `${key}: what comes again under it is to have no second effect.`,
  schema: { type: 'string', maxLength: 255 },
})

function answered({ answer, example }: CrmRequestSpec, plain: Plain): Json {
  if (answer === undefined) return { description: 'Taken; nothing of the body is read.' }
  const shown = example.answer === undefined ? {} : { example: example.answer }
  return {
    description: 'The members of the answer that the box reads. It ignores all others.',
    content: { 'application/json': { schema: plain(answer, true), ...shown } },
  }
}

const others: Json = {
  404: {
    description:
      'Without a `code` that ends in `_unknown`: the CRM has no such route, and is not asked for an hour. 405 and 501 mean the same.',
  },
  default: { description: 'A failure: docs/crm.md says what follows.' },
}
