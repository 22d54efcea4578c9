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
    answer === undefined ? 'Of the answer nothing is read.' : 'What is read of a 2xx:',
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
    '# What the box asks and tells the CRM',
    '',
    '<!-- Written by `npm run generate` from daemon/schema/crm-requests.ts. -->',
    '',
    'For whoever writes the side of the CRM. The box is the client here: it sends these to `crm.baseUrl`, signed ([webhooks.md](webhooks.md) says how',
    'that is verified; of a request without a body `<timestamp>.` is signed), with `X-Service-Event-Id` and `X-Service-Attempt`. [crm.md](crm.md) says',
    'when, and what follows where the CRM does not answer. A CRM serves the requests it wants: 404 without a `code` that ends in `_unknown`, 405 and 501',
    'say that it does not have one. `pbx crm check URL` tries all of them. `openapi.json` has the same for programs, under `webhooks` as `crm.*`.',
    '',
    'Members may be added by later versions: leave those alone that you do not know. The box leaves alone what it does not know of an answer. What is not',
    'as described here is left out, counted and shown by `pbx crm status`; an answer of which nothing can be used is a failure.',
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
