/** docs/frames.md: every frame of a media stream, from the schemas by which they are made and read. */
import { boxFrames, serverFrames, type FrameSpec } from '../../daemon/schema/stream-frames.ts'
import { code, json, kindOf, table, type Shape } from './markdown.ts'

const head = ['Member', 'Type', 'Present', 'Meaning']

/** Members of members have their way to them as name. */
function rows(shape: Shape, before = ''): string[][] {
  const required = new Set(shape.required ?? [])
  return Object.entries(shape.properties ?? {}).flatMap(([name, member]) => {
    const row = [code(before + name), kindOf(member), required.has(name) ? 'always' : 'not always', member.description ?? '']
    return [row, ...rows(member, `${before}${name}.`)]
  })
}

function section(name: string, { schema, when }: FrameSpec): string {
  const shape = schema as unknown as Shape
  return [`### ${name}`, '', when, '', table(head, rows(shape)), '', json((shape.examples as unknown[])[0]), ''].join('\n')
}

export function framesPage(): string {
  return [
    '# Frames of media streams',
    '',
    '<!-- Written by `npm run generate` from daemon/schema/stream-frames.ts. -->',
    '',
    'What goes over the WebSocket of the verb [stream](verbs/stream.md), either way; [stream.md](stream.md) says in what order, how fast, and how it',
    'ends. All are JSON in text frames. The box makes and reads them by these descriptions; `openapi.json` has the same for programs, as',
    '`StreamFrame` and `StreamServerFrame` among its components.',
    '',
    '## The box sends',
    '',
    ...Object.entries(boxFrames).map(([name, spec]) => section(name, spec)),
    '## The server sends',
    '',
    'Members beside these are passed over, as are frames that are none of these.',
    '',
    ...Object.entries(serverFrames).map(([name, spec]) => section(`${name}, from the server`, spec)),
  ].join('\n')
}
