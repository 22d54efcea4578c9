/** docs/crm-requests.md: the requests of the box to the CRM, from the schemas that define them. */
import { crmLimits } from '../../daemon/crm/client/routes.ts'
import { crmPath, crmRequests, type CrmAsk, type CrmRequestSpec, type CrmRoute } from '../../daemon/schema/crm-requests.ts'
import { CallRecordSchema, NoteSchema } from '../../daemon/schema/history.ts'
import { PartySchema } from '../../daemon/schema/crm.ts'
import { nameMark } from '../../daemon/schema/named.ts'
import { anchor, code, json, memberHead, memberRows, table, type Shape } from './markdown.ts'

/** They stand in several requests, and once on the page. */
const records = [CallRecordSchema, NoteSchema, PartySchema] as unknown as Shape[]
const nameOf = (shape: Shape): string => String(shape[nameMark] ?? '')

const all = Object.entries(crmRequests) as [CrmRoute, CrmRequestSpec][]

function members(shape: Shape, read = false): string {
  const shared = records.find((one) => nameOf(one) === nameOf(shape))
  if (shared !== undefined) return `A [${nameOf(shared)}](#${anchor(nameOf(shared))}).`
  if (Object.keys(shape.properties ?? {}).length === 0) return shape.description ?? ''
  return table(memberHead, memberRows(shape, read))
}

function section([route, spec]: [CrmRoute, CrmRequestSpec]): string[] {
  const { method, path, when, query, body, answer, key, example } = spec
  const { totalMs } = crmLimits[route]
  const { params, query: asked } = example
  const address = crmPath({ route, params, query: asked } as unknown as CrmAsk)
  return [
    `## ${route}`,
    '',
    `\`${method} {crm.baseUrl}/api/pbx/${path}\``,
    '',
    `${when} It may take ${totalMs / 1000} s.${key === undefined ? '' : ` \`Idempotency-Key\`: ${key.includes('<') ? code(key) : key}.`}`,
    '',
    ...(query === undefined ? [] : ['Its query:', '', table(memberHead, memberRows(query as unknown as Shape)), '']),
    ...(body === undefined ? [] : ['Its body:', '', members(body as unknown as Shape), '']),
    answer === undefined ? 'The box reads nothing of the answer.' : 'Members of a 2xx that the box reads:',
    '',
    ...(answer === undefined ? [] : [members(answer as unknown as Shape, true), '']),
    '```text',
    `${method} /api/pbx/${address}`,
    '```',
    '',
    ...(example.body === undefined ? [] : [json(example.body), '']),
    ...(example.answer === undefined ? [] : ['Answered with:', '', json(example.answer), '']),
  ]
}

export function crmRequestsPage(): string {
  return [
    '# What the box asks and sends a CRM',
    '',
    '<!-- Written by `npm run generate` from daemon/schema/crm-requests.ts. -->',
    '',
    'For the developer of the CRM. The box is the client: it sends these requests to `crm.baseUrl`. Each request is signed and has the headers',
    '`X-Service-Event-Id` and `X-Service-Attempt`. [webhooks.md](webhooks.md) says how you verify the signature; for a request without a body the',
    'box signs `<timestamp>.`. [crm.md](crm.md) says when each request is sent, and what happens when the CRM does not answer.',
    '',
    'A CRM implements the requests it wants. 404 without a `code` that ends in `_unknown`, 405 and 501 mean that it does not have a request.',
    '`pbx crm check URL` tries all requests. `openapi.json` has the same for programs, under `webhooks` as `crm.*`.',
    '',
    'Later versions may add members: ignore members you do not know. The box ignores unknown members of an answer. It leaves out what does not',
    'match this page, counts it and shows it in `pbx crm status`. An answer without any usable member is a failure.',
    '',
    table(
      ['Request', 'When'],
      all.map(([route, { method, path, when }]) => [
        `[\`${method} ${path}\`](#${anchor(route)})`,
        (when.split(/(?<=[.;?]) /)[0] ?? '').replace(/[.;]$/, ''),
      ]),
    ),
    '',
    ...all.flatMap(section),
    ...records.flatMap((record) => [`## ${nameOf(record)}`, '', table(memberHead, memberRows(record)), '']),
  ].join('\n')
}
