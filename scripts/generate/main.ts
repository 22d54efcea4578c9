/**
 * Writes what is generated from the schemas: openapi.json, the pages of the verbs, the events, the frames, the requests to
 * the CRM and the configuration, the rules of imports in docs/architecture.md, the lists of commands, checks and
 * numbers of the house, and the types, verbs and routes of the helper packages in scripts/sdk.
 * `--check` only compares, and names what differs.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openApiDocument, socketDocument } from '../../daemon/description/openapi.ts'
import { root } from '../../daemon/base/root.ts'
import { verbs } from '../../daemon/voice/verbs/index.ts'
import { configurationPage } from './configuration.ts'
import { describedRoutes } from './described.ts'
import { eventsPage } from './events.ts'
import { crmRequestsPage } from './crm-requests.ts'
import { lists } from './lists.ts'
import { withRooms } from './rooms.ts'
import { sdk } from './sdk-shape.ts'
import { pythonFiles } from './sdk-python.ts'
import { typescriptFiles } from './sdk-typescript.ts'
import { verbPage, verbsIndex } from './verbs.ts'
import { boxFrames, serverFrames, type FrameSpec } from '../../daemon/schema/stream-frames.ts'
import { json, memberHead, memberRows, table, type Shape } from './markdown.ts'

/** docs/frames.md: every frame of a media stream, from the schemas by which they are made and read. */
function section(name: string, { schema, when }: FrameSpec): string {
  const shape = schema as unknown as Shape
  return [`### ${name}`, '', when, '', table(memberHead, memberRows(shape)), '', json((shape.examples as unknown[])[0]), ''].join('\n')
}

function framesPage(): string {
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

/** Text by file, from the root. */
export function generated(): Map<string, string> {
  const helpers = sdk()
  return new Map([
    ['openapi.json', `${JSON.stringify(openApiDocument(describedRoutes()), null, 2)}\n`],
    ['docs/configuration.md', configurationPage()],
    ['docs/events.md', eventsPage()],
    ['docs/frames.md', framesPage()],
    ['docs/crm-requests.md', crmRequestsPage()],
    ['docs/architecture.md', withRooms(readFileSync(join(root, 'docs/architecture.md'), 'utf8'))],
    ...lists(),
    ...typescriptFiles(helpers),
    ...pythonFiles(helpers),
    ['docs/verbs/README.md', verbsIndex()],
    ...Array.from(verbs.values(), (verb): [string, string] => [`docs/verbs/${verb.name}.md`, verbPage(verb)]),
  ])
}

/** Files that are not what the schemas say, and pages of verbs that are no more. */
export function stale(): string[] {
  const texts = generated()
  const differing = Array.from(texts).filter(
    ([file, text]) => !existsSync(join(root, file)) || readFileSync(join(root, file), 'utf8') !== text,
  )
  const pages = existsSync(join(root, 'docs/verbs')) ? readdirSync(join(root, 'docs/verbs')).map((name) => `docs/verbs/${name}`) : []
  return [...differing.map(([file]) => file), ...pages.filter((file) => !texts.has(file))]
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    const files = stale()
    if (files.length > 0) process.stderr.write(`not what the schemas say: ${files.join(', ')}; write them again with: npm run generate\n`)
    process.exitCode = files.length > 0 ? 1 : 0
  } else {
    for (const [file, text] of generated()) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
  }
}
