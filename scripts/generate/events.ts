/** docs/events.md: every event and callback that leaves the box, from the schemas that hold what is sent. */
import { eventSpecs, type EventName } from '../../daemon/schema/events.ts'
import { envelope, type EventRoute, type EventSpec } from '../../daemon/schema/events/form.ts'
import { anchor, code, json, kindOf, table, type Shape } from './markdown.ts'

export const goesTo: Readonly<Record<EventRoute, string>> = {
  control: 'the application',
  partial: '`partialUrl` of the verb',
  later: 'where `record.completed` went',
  stream: '`statusCallbackUrl` of the verb',
  status: '`statusCallbackUrl` of the call',
  callback: '`statusCallbackUrl` of the request',
  alarm: 'each `webhook` of the rule in `alarms`',
}

const answers: Readonly<Record<EventRoute, string>> = {
  control: 'a control document',
  partial: '2xx, once',
  later: '2xx, repeated until then',
  stream: '2xx, repeated until then',
  status: '2xx, repeated until then',
  callback: '2xx, repeated until then',
  alarm: '2xx, repeated until then',
}

/** Names that share a form share a section. */
const groups = new Map<EventSpec, EventName[]>()
for (const [name, spec] of Object.entries(eventSpecs) as [EventName, EventSpec][]) groups.set(spec, [...(groups.get(spec) ?? []), name])

/** The heading under which an event is found. */
export function headingOf(name: EventName): string {
  if (name.startsWith('alarm.')) return 'alarm.<news>'
  return name.startsWith('reminder.') ? 'reminder.<outcome>' : name
}

export function exampleOf(name: EventName): unknown {
  return (eventSpecs[name].schema.examples as unknown[])[0]
}

function memberRows(shape: Shape, leftOut: ReadonlySet<string>): string[][] {
  const required = new Set(shape.required ?? [])
  return Object.entries(shape.properties ?? {})
    .filter(([name]) => !leftOut.has(name))
    .map(([name, member]) => [code(name), kindOf(member), required.has(name) ? 'always' : 'not always', member.description ?? ''])
}

const head = ['Member', 'Type', 'Present', 'Meaning']

function section(spec: EventSpec, names: readonly EventName[]): string {
  const schema = spec.schema as unknown as Shape
  const ofCall = schema.properties?.['callId'] !== undefined
  const rows = memberRows(schema, new Set(ofCall ? ['event', ...Object.keys(envelope)] : ['event']))
  const [first] = names as [EventName]
  return [
    `## ${headingOf(first)}`,
    '',
    schema.description ?? '',
    '',
    ...(names.length > 1 ? [`Names: ${names.map(code).join(', ')}.`, ''] : []),
    `Goes to ${goesTo[spec.route]}; expected answer: ${answers[spec.route]}.` +
      (spec.verb === undefined ? '' : ` See [${spec.verb}](verbs/${spec.verb}.md).`),
    '',
    ...(rows.length === 0 ? ['It has only the common members.'] : [table(head, rows)]),
    '',
    json(exampleOf(first)),
    '',
  ].join('\n')
}

export function eventsPage(): string {
  const overview = Array.from(groups, ([spec, names]) => {
    const heading = headingOf(names[0]!)
    const [summary = ''] = (spec.schema.description ?? '').split(/(?<=[.;]) /)
    return [`[${code(heading)}](#${anchor(heading)})`, summary.replace(/[.;]$/, ''), goesTo[spec.route], answers[spec.route]]
  })
  return [
    '# Events and callbacks',
    '',
    '<!-- Written by `npm run generate` from daemon/schema/events. -->',
    '',
    'All events that the box sends to your program. Each is a POST with a JSON body; the member `event` names the kind. The tests check every',
    'event that is sent against these descriptions, so the descriptions are complete.',
    '',
    'Later versions may add events, members and list values. Treat an unknown value as an ordinary one (an unknown `reason` like `timeout`).',
    '[webhooks.md](webhooks.md) says how to verify a request, when it is repeated, and in which order events arrive. `openapi.json` has the same',
    'schemas for programs, under `webhooks` and as components.',
    '',
    'Two more kinds of messages have their own pages: the [frames of media streams](frames.md) and',
    '[the requests to a CRM](crm-requests.md).',
    '',
    'The box does not send received texts, faxes and voicemail: poll `GET /api/inbox/...`. `GET /api/sms/{messageId}` and',
    '`GET /api/email/{mailId}` answer what became of a text or a mail that you sent.',
    '',
    table(['Event', 'When', 'Goes to', 'Expected answer'], overview),
    '',
    '## Common members of the events of a call',
    '',
    'Callbacks of faxes, reminders and alarms do not have them.',
    '',
    table(head, [
      [code('event'), 'text', 'always', 'Name of the event.'],
      ...memberRows({ properties: envelope as unknown as Record<string, Shape>, required: requiredOfEnvelope() }, new Set()),
    ]),
    '',
    'An application usually needs `event`, `callId` and the members of the event. Store what you know about a call under its `callId`, or pass',
    '`params` to POST /api/voice/originate: each event returns them.',
    '',
    ...Array.from(groups, ([spec, names]) => section(spec, names)),
  ].join('\n')
}

function requiredOfEnvelope(): string[] {
  return (eventSpecs['call.status'].schema as unknown as Shape).required!.filter((name) => name in envelope)
}
