/** docs/verbs: a page for each verb of a control document, and one that lists them, from the table that documents are checked against. */
import type { VerbDefinition } from '../../daemon/voice/verb.ts'
import { maxDocumentBytes, maxDocumentVerbs } from '../../daemon/voice/document.ts'
import { verbs } from '../../daemon/voice/verbs/index.ts'
import { exampleOf, headingOf } from './events.ts'
import { anchor, code, document, json, kindOf, literal, table, type Shape } from './markdown.ts'

const note = '<!-- Written by `npm run generate` from daemon/voice/verbs. -->'

function parameters({ parameters: schema, name }: VerbDefinition): string {
  const { properties = {}, required = [] } = schema as unknown as Shape
  if (Object.keys(properties).length === 0) return `\`${name}\` takes no parameters.`
  return table(
    ['Parameter', 'Type', 'Default', 'Meaning'],
    Object.entries(properties).map(([key, shape]) => {
      // Dependencies on other parameters are described in words, at the end.
      const [, meaning = '', inWords = 'none'] = /^([^]*?)(?:\s*Default: ([^]*?)\.?)?$/.exec(shape.description ?? '') ?? []
      const fallback = shape.default === undefined ? inWords : literal(shape.default)
      return [code(key), kindOf(shape), required.includes(key) ? 'required' : fallback, meaning]
    }),
  )
}

export function verbPage(verb: VerbDefinition): string {
  return [
    `# ${verb.name}`,
    '',
    note,
    '',
    verb.summary,
    '',
    verb.details,
    '',
    '## Parameters',
    '',
    parameters(verb),
    '',
    '## Example',
    '',
    document(verb.example),
    '',
    '## Events',
    '',
    ...(verb.gives.length === 0 ? ['None.', ''] : []),
    ...verb.gives.flatMap((name) => [`[${code(name)}](../events.md#${anchor(headingOf(name))}):`, '', json(exampleOf(name)), '']),
    'All verbs: [README.md](README.md).',
    '',
  ].join('\n')
}

export function verbsIndex(): string {
  const rows = Array.from(verbs.values(), (verb) => [
    `[${code(verb.name)}](${verb.name}.md)`,
    verb.summary,
    verb.ends ? 'ends the document' : 'continues',
    verb.needs === 'answered' ? 'answers the call' : 'leaves it ringing',
    verb.gives.map((name) => `[${code(name)}](../events.md#${anchor(headingOf(name))})`).join(', '),
  ])
  return [
    '# Control documents and their verbs',
    '',
    note,
    '',
    'An application answers an event with a control document: a JSON array of verbs. The box runs them in order. A verb is an object with one key,',
    'the name of the verb; its value holds the parameters:',
    '',
    document([{ say: { text: 'Press 1 for our opening hours.' } }, { gather: { numDigits: 1, actionUrl: 'https://app.example/menu' } }]),
    '',
    table(['Verb', 'What it does', 'In a document', 'A ringing call', 'Events'], rows),
    '',
    `- **The box checks the whole document before the first word.** The limits are ${maxDocumentVerbs} verbs and ${maxDocumentBytes / 1024} KiB. The trace of the call`,
    '  (`pbx trace CALLID`) shows each error with a JSON pointer. `POST /api/voice/validate` reports errors without a call.',
    '- **The check is lenient where it does no harm.** The box leaves out unknown parameters, moves numbers to the limit of their range and accepts',
    '  numbers written as text; each gives a warning in the trace. An unknown verb, a missing parameter or a relative URL is an error.',
    '- **Nothing may follow** a verb that ends the document. The box leaves it out with a warning.',
    '- **A document that ends** without `gather`, `record` or `redirect` hangs up after its last word. `[]` hangs up at once; it is the right answer',
    '  to `reason: "hangup"`.',
    '- **An inbound call rings** until a verb needs it answered. `hangup` as the first verb refuses the call, and nothing is billed.',
    '- **URLs are absolute.** `actionUrl` defaults to the URL that returned the document. On the machine of the box, URLs reach only hosts and ports',
    '  of configured endpoints; elsewhere they reach private networks by http and everything by https.',
    '- **When an application fails** (no connection, no answer within `voice.endpoints[].timeoutSeconds`, an error, a document that cannot run), the box',
    '  tries once more where that may help. Then it uses `fallbackUrl`, then `fallbackDestination`, then an apology.',
    '',
    'Events: [../events.md](../events.md). Signatures: [../webhooks.md](../webhooks.md). An application in 20 lines: `scripts/examples/app.ts`.',
    '',
  ].join('\n')
}
