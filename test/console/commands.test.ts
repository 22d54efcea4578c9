/**
 * What the commands of `pbx` can do, and a person of a clinic would look for, is on a page, or the page says who can do it: each command has its
 * place here. A new one fails until somebody has thought of it.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../harness/daemon.ts'
import { allCommands, helpOf } from '../harness/help.ts'

const inConsole = (file: string): string => join(root, 'daemon/console', file)
const { atTheBox } = (await import(inConsole('pieces/at-the-box.ts'))) as {
  readonly atTheBox: Readonly<Record<string, readonly string[]>>
}

/** The page with the same deed, and the route that it asks. */
const onPages: Readonly<Record<string, readonly [page: string, route: string]>> = {
  'alarms list': ['alarms', '/api/alarms'],
  'alarms test': ['alarms', '/api/alarms/test'],
  'alarms ack': ['alarms', '/api/alarms/acknowledge'],
  'audit list': ['audit', '/api/audit'],
  'audit verify': ['audit', '/api/audit/verdict'],
  'backup make': ['backup', '/api/backup/run'],
  'backup list': ['backup', '/api/backup'],
  'support-bundle': ['backup', '/api/support-bundle'],
  'callbacks list': ['applications', '/api/callbacks'],
  'callbacks retry': ['applications', '/retry'],
  calls: ['calls', '/api/pbx/calls'],
  trace: ['trace', '/trace'],
  'config check': ['config', '/api/config/check'],
  'config apply': ['config', '/api/config/apply'],
  'config confirm': ['config', '/api/config/confirm'],
  'config revert': ['config', '/api/config/revert'],
  'config edit': ['config', '/api/config/text'],
  'config diff': ['config', '/api/config/diff'],
  'config history': ['config', '/api/config/revisions'],
  'config init': ['setup', '/api/setup'],
  'console invite': ['people', '/invite'],
  'console people': ['people', '/api/people'],
  'console remove': ['people', 'DELETE'],
  'console reset': ['people', 'password: null, secondStep: false'],
  'crm import': ['directory', '/api/pbx/import/pbx-export'],
  'crm lookup': ['directory', '/api/crm/parties'],
  'crm name': ['directory', '/api/crm/names'],
  'crm retry': ['applications', '/api/crm/queue/retry'],
  'crm status': ['applications', '/api/pbx/sync/status'],
  'crm sync': ['applications', '/api/pbx/sync/full'],
  doctor: ['health', '/api/test'],
  'emergency test': ['health', '/api/emergency/test'],
  events: ['alarms', '/api/box/events'],
  extensions: ['me', '/api/extensions/'],
  'fax send': ['faxes', '/api/fax'],
  'fax list': ['faxes', '/api/fax'],
  'fax show': ['faxes', '/api/fax'],
  'fax retry': ['faxes', '/retry'],
  'fax cancel': ['faxes', '/cancel'],
  'fax delete': ['faxes', 'DELETE'],
  'history list': ['calls', '/api/pbx/calls/history'],
  'history show': ['calls', '/api/pbx/calls/history'],
  hours: ['hours', '/api/hours'],
  'inbox list': ['faxes', '/api/inbox/newest/faxes'],
  'inbox save': ['voicemail', 'download'],
  'inbox delete': ['voicemail', '/api/inbox/voicemails/'],
  limits: ['tokens', '/api/limits'],
  'limits reset': ['tokens', '/api/limits/reset'],
  'lines list': ['lines', '/api/lines'],
  'lines bans': ['lines', '/api/bans'],
  'lines unban': ['lines', '/api/bans/'],
  'mail test': ['health', '/api/email/test'],
  'mailbox list': ['voicemail', '/api/mailboxes'],
  'mailbox heard': ['voicemail', 'heard'],
  'mailbox new': ['voicemail', 'heard'],
  'mailbox delete': ['voicemail', 'DELETE'],
  'mailbox unlock': ['voicemail', '/lock'],
  'modem list': ['lines', '/api/lines'],
  'modem test': ['lines', '/api/lines/'],
  'phones list': ['lines', '/api/phones'],
  'phones add': ['lines', '/api/phones'],
  'phones code': ['lines', '/code'],
  'phones remove': ['lines', 'DELETE'],
  queue: ['queues', '/api/queues/'],
  'recordings list': ['calls', '/api/pbx/calls/history'],
  'recordings delete': ['calls', 'DELETE'],
  'reminders list': ['reminders', '/api/reminders'],
  'reminders show': ['reminders', '/api/reminders'],
  'reminders call-now': ['reminders', '/call'],
  'reminders cancel': ['reminders', '/cancel'],
  'reminders delete': ['reminders', 'DELETE'],
  'reminders opt-outs': ['reminders', '/api/reminders/opt-outs'],
  'reminders allow': ['reminders', '/api/reminders/opt-outs/'],
  say: ['speech', '/api/speech/say'],
  setup: ['setup', '/api/setup'],
  'simulate inbound': ['applications', '/api/simulate'],
  'sms send': ['texts', '/api/sms'],
  'sms list': ['texts', '/api/texts/conversations'],
  'sms show': ['texts', '/api/texts/conversations'],
  'sms delete': ['texts', 'DELETE'],
  'sms trunks': ['lines', '/api/sms/trunks'],
  'sms stop-list list': ['texts', "'/api/sms/stop-list'"],
  'sms stop-list add': ['texts', '/api/sms/stop-list/'],
  'sms stop-list remove': ['texts', '/api/sms/stop-list/'],
  speech: ['speech', '/api/speech'],
  'speech reload': ['speech', '/api/speech/reload'],
  status: ['health', '/api/health'],
  'token create': ['tokens', '/api/tokens'],
  'token list': ['tokens', '/api/tokens'],
  'token revoke': ['tokens', '/api/tokens/'],
  where: ['lines', '/api/where'],
}

/** Said where it belongs, with the command itself. */
const inSentences: Readonly<Record<string, string>> = {
  restore: 'backup',
  rollback: 'backup',
  upgrade: 'backup',
  drain: 'backup',
}

/** What nobody in a clinic looks for. */
const ofPrograms: Readonly<Record<string, string>> = {
  'upgrade-gate': 'scripts/upgrade asks it',
}

const sourceOf = (page: string): string =>
  globSync(`pages/${page}/*.{ts,tsx}`, { cwd: inConsole('.') })
    .map((file) => readFileSync(inConsole(file), 'utf8'))
    .join('\n')
const pieces = globSync('pieces/*.{ts,tsx}', { cwd: inConsole('.') })
  .map((file) => readFileSync(inConsole(file), 'utf8'))
  .join('\n')

const foots = Object.entries(atTheBox).flatMap(([page, commands]) =>
  commands.map((command) => [command.replace(/^sudo /, ''), page] as const),
)

t.test('each command is on a page, or a page says who can do it', async (t) => {
  const all = allCommands()
  const known = new Set([...Object.keys(onPages), ...Object.keys(inSentences), ...Object.keys(ofPrograms), ...foots.map(([name]) => name)])
  t.same(
    all.filter((name) => !known.has(name)),
    [],
    'give it a place: a page, or pieces/at-the-box.ts',
  )
  t.same(
    [...known].filter((name) => helpOf(name.split(' ')) === ''),
    [],
    'it is a command still',
  )
})

t.test('the pages are as it is written here', async (t) => {
  for (const [command, [page, route]] of Object.entries(onPages))
    t.ok(`${sourceOf(page)}${pieces}`.includes(route), `${command}: ${page} ${route}`)
  for (const [command, page] of Object.entries(inSentences)) t.ok(sourceOf(page).includes(`pbx ${command}`), `${command}: ${page}`)
  for (const page of Object.keys(atTheBox)) t.ok(sourceOf(page).includes(`<AtTheBox page="${page}" />`), page)
})
