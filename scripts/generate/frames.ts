/** docs/frames.md: every frame of a media stream, from the schemas by which they are made and read. */
import { boxFrames, serverFrames, type FrameSpec } from '../../daemon/schema/stream-frames.ts'
import { json, memberHead, memberRows, table, type Shape } from './markdown.ts'

function section(name: string, { schema, when }: FrameSpec): string {
  const shape = schema as unknown as Shape
  return [`### ${name}`, '', when, '', table(memberHead, memberRows(shape)), '', json((shape.examples as unknown[])[0]), ''].join('\n')
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
