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
    'The frames on the WebSocket of the verb [stream](verbs/stream.md), in both directions. [stream.md](stream.md) describes their order, rate and',
    'end. Each frame is JSON in a text frame. The box writes and reads frames by these descriptions. `openapi.json` has the same for programs, as',
    'the components `StreamFrame` and `StreamServerFrame`.',
    '',
    '## The box sends',
    '',
    ...Object.entries(boxFrames).map(([name, spec]) => section(name, spec)),
    '## The server sends',
    '',
    'The box ignores other members and other frames.',
    '',
    ...Object.entries(serverFrames).map(([name, spec]) => section(`${name}, from the server`, spec)),
  ].join('\n')
}
