/** Which room of the daemon may import which: the structure test enforces it, and docs/architecture.md shows it. */

/** What every capability stands on, lowest first. `contract` is `drivers/*.ts`, what the daemon and its drivers agree on. */
const foundation: Readonly<Record<string, readonly string[]>> = {
  base: [],
  words: [],
  numbers: ['base'],
  contract: [],
  schema: ['base'],
  store: ['base', 'contract', 'schema'],
  jobs: ['base', 'store'],
  audit: ['base', 'schema', 'store'],
  http: ['base', 'contract', 'schema', 'store', 'audit'],
  outbox: ['base', 'contract', 'schema', 'store', 'http'],
  ceilings: ['base', 'schema', 'store', 'http'],
  erasure: ['base', 'schema', 'store', 'audit', 'http'],
  tokens: ['base', 'schema', 'store', 'audit', 'http'],
  calls: ['base', 'numbers', 'contract', 'schema', 'store', 'jobs', 'outbox', 'ceilings'],
  routing: ['base', 'numbers', 'contract', 'schema', 'store', 'calls'],
  config: ['base', 'numbers', 'contract', 'schema', 'http', 'routing'],
}

const capabilities: Readonly<Record<string, readonly string[]>> = {
  alarms: ['base', 'words', 'numbers', 'schema', 'store', 'jobs', 'outbox', 'http', 'calls', 'routing', 'voice', 'box-events'],
  backup: ['base', 'schema', 'config', 'store', 'http'],
  box: ['base', 'contract', 'schema', 'store'],
  'box-events': ['base', 'contract', 'schema', 'store', 'jobs', 'http'],
  certificate: ['base', 'schema', 'http'],
  console: ['base', 'schema', 'http'],
  crm: ['base', 'numbers', 'contract', 'schema', 'store', 'outbox', 'http', 'history'],
  desk: [
    ...['base', 'contract', 'schema', 'store', 'http', 'live', 'calls'],
    ...['box-events', 'fax', 'history', 'inbox', 'messaging', 'reminders', 'work'],
  ],
  doctor: ['base', 'contract', 'drivers/sip', 'schema', 'store', 'http', 'calls', 'routing', 'speech'],
  drain: ['base', 'schema', 'store', 'http', 'calls'],
  pair: ['base', 'schema'],
  fax: [
    'base',
    'words',
    'numbers',
    'contract',
    'schema',
    'store',
    'jobs',
    'outbox',
    'ceilings',
    'http',
    'calls',
    'routing',
    'erasure',
    'inbox',
  ],
  figures: ['base', 'schema', 'store', 'http', 'inbox'],
  health: ['base', 'contract', 'schema', 'store', 'http', 'doctor', 'box-events'],
  history: ['base', 'numbers', 'schema', 'store', 'http', 'calls', 'inbox'],
  inbox: ['base', 'schema', 'store', 'http', 'erasure'],
  live: ['base', 'schema', 'store', 'http'],
  mail: ['base', 'schema', 'store', 'jobs', 'http', 'erasure'],
  messaging: ['base', 'words', 'numbers', 'contract', 'schema', 'store', 'jobs', 'outbox', 'ceilings', 'http', 'erasure', 'inbox'],
  modems: ['base', 'contract', 'drivers/modem', 'schema', 'http', 'routing', 'fax'],
  notices: ['base', 'words', 'numbers', 'schema', 'store', 'jobs', 'routing', 'inbox'],
  pbx: ['base', 'words', 'numbers', 'contract', 'schema', 'store', 'jobs', 'http', 'calls', 'routing', 'speech', 'voice'],
  people: ['base', 'schema', 'store', 'http'],
  provisioning: ['base', 'words', 'schema', 'store', 'http'],
  reminders: ['base', 'words', 'numbers', 'schema', 'store', 'jobs', 'outbox', 'http', 'calls', 'routing', 'erasure', 'voice'],
  setup: ['base', 'schema', 'store', 'http', 'config'],
  simulate: ['base', 'contract', 'drivers/sim', 'schema', 'http', 'routing', 'speech'],
  sip: ['base', 'drivers/sip', 'schema', 'store', 'config', 'doctor', 'pbx'],
  speech: ['base', 'words', 'contract', 'schema', 'store', 'http'],
  voice: ['base', 'numbers', 'contract', 'schema', 'store', 'jobs', 'outbox', 'http', 'calls', 'routing', 'erasure', 'speech'],
  voicemail: ['base', 'words', 'contract', 'schema', 'store', 'audit', 'http', 'calls', 'routing', 'erasure', 'speech', 'voice', 'inbox'],
  wall: ['base', 'schema', 'store', 'http', 'people'],
  work: ['base', 'schema', 'store', 'http', 'history', 'inbox', 'pbx'],
}

/** A room may import itself and these. A room that is not named here is a driver. */
export const mayImport: Readonly<Record<string, readonly string[]>> = { ...foundation, ...capabilities }
export const capabilityNames = Object.keys(capabilities)
/**
 * What puts the rooms together: it may import any. `part` is a `part.ts`, wherever it lies: it makes one part of the daemon, out of its room
 * and what it is given, and knows no other part.
 */
export const composers: readonly string[] = ['main', 'part', 'description', 'programs']
/** The files of `daemon/` that a part knows. */
export const partMayKnow: readonly string[] = ['daemon/core.ts', 'daemon/part.ts', 'daemon/assembly.ts', 'daemon/failed-starts.ts']

const begin = '<!-- Written by npm run generate from scripts/generate/rooms.ts -->'
const end = '<!-- End of what is generated -->'

/** The page with the sentences about imports as the rules have them. Throws where the page has no place for them. */
export function withRooms(page: string): string {
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error('docs/architecture.md has no place for the rules of imports')
  return `${before}${begin}\n\n${sentences()}\n\n${end}${after}`
}

function sentences(): string {
  const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')
  const others = Object.entries(capabilities)
    .map(([name, allowed]) => ({ name, allowed: allowed.filter((other) => Object.hasOwn(capabilities, other)) }))
    .filter(({ allowed }) => allowed.length > 0)
  return [
    `Imports point down. The foundation is, lowest first: ${list(Object.keys(foundation))} (\`contract\`: the files of \`drivers/\` itself).`,
    `On it stand the capabilities: ${list(capabilityNames)}.`,
    `${list(composers)} put the rooms together and may import any of them (\`main\`: the files of \`daemon/\` itself; \`part\`: each \`part.ts\`, which only \`daemon/daemon.ts\` imports).`,
    '',
    'A capability imports rooms of the foundation, and of the other capabilities only these:',
    '',
    ...others.map(({ name, allowed }) => `- \`${name}\` imports ${list(allowed)}`),
  ].join('\n')
}
