/** pbx token create, list, revoke. */
import { type Command, InvalidArgumentError } from 'commander'
import type { TokenView } from '../../../daemon/schema/tokens.ts'
import { CommandError, exitCode } from '../client.ts'
import { type Context, finish, group } from '../command.ts'
import { bold, dim, localTime, print, printJson, printRaw, red, table } from '../output.ts'

export function tokenCommand(): Command {
  const token = group('token', 'access tokens of the HTTP interface')
  token.addCommand(
    finish(
      group('create', 'make a token and print it once')
        .requiredOption('--name <name>', 'name of the application or person')
        .option('--scope <scope...>', 'what it allows: send, inbox, voice, crm, admin (default: all, or what fits the restriction)')
        .option('--endpoint <id...>', 'allow only calls of these voice endpoints')
        .option('--mailbox <ext...>', 'allow only voicemail of these mailboxes')
        .option('--expires <time>', 'when it expires: 90d, 12h', spanInDays),
      create,
      [
        'pbx token create --name booking-system',
        'pbx token create --name dashboard --scope voice inbox --expires 90d',
        'pbx token create --name desk --endpoint reception --mailbox 101',
      ],
    ),
  )
  token.addCommand(
    finish(group('list', 'list names, scopes, restrictions, last use and expiry; the tokens themselves are not stored'), list, [
      'pbx token list',
    ]),
  )
  token.addCommand(finish(group('revoke', 'revoke a token').argument('<name>'), revoke, ['pbx token revoke booking-system']))
  return token
}

function spanInDays(text: string): number {
  const parts = /^(\d{1,5})([dh])$/.exec(text)
  const days = Number(parts?.[1]) / (parts?.[2] === 'h' ? 24 : 1)
  if (parts === null || !(days > 0 && days <= 3660)) throw new InvalidArgumentError('Give a time such as 90d or 12h, at most 10 years.')
  return days
}

const scopes = ['send', 'inbox', 'voice', 'crm', 'admin']

interface NewTokenOptions {
  name: string
  scope?: string[]
  endpoint?: string[]
  mailbox?: string[]
  /** Days. */
  expires?: number
}

/** What a restricted token is for. */
function fitting({ endpoint, mailbox }: NewTokenOptions): string[] {
  if (endpoint === undefined && mailbox === undefined) return scopes
  return [...(mailbox === undefined ? [] : ['inbox']), ...(endpoint === undefined ? [] : ['voice'])]
}

const split = (words: readonly string[]): string[] => [...new Set(words.flatMap((word) => word.split(',')))]

async function create({ json, client }: Context, options: NewTokenOptions): Promise<void> {
  const wanted = split(options.scope ?? fitting(options))
  const strange = wanted.filter((scope) => !scopes.includes(scope))
  if (strange.length > 0) {
    throw new CommandError(`no such scope: ${strange.join(', ')}; scopes are ${scopes.join(', ')}`, { exit: exitCode.usage, code: 'usage' })
  }
  const made = await (
    await client()
  ).post<{ token: string; view: TokenView }>('/api/tokens', {
    name: options.name,
    scopes: wanted,
    ...(options.endpoint === undefined ? {} : { endpoints: split(options.endpoint) }),
    ...(options.mailbox === undefined ? {} : { mailboxes: split(options.mailbox) }),
    ...(options.expires === undefined ? {} : { expiresInDays: options.expires }),
  })
  if (json) return printJson({ token: made.token, ...made.view })
  if (!process.stdout.isTTY) return printRaw(made.token)
  printRaw(bold(made.token))
  print(dim(`It is shown only this once. Send it in requests as "Authorization: Bearer ${made.token.slice(0, 6)}...".`))
}

async function list({ json, client }: Context): Promise<void> {
  const view = await (await client()).get<TokenView[]>('/api/tokens')
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('none: pbx token create --name NAME'))
  print(
    table(
      ['NAME', 'SCOPES', 'ONLY', 'MADE', 'LAST USE', 'EXPIRES', 'FROM'],
      view.map((row) => [
        row.name,
        row.scopes.join(' '),
        restriction(row),
        localTime(row.createdAt),
        row.lastUsedAt === null ? '-' : `${localTime(row.lastUsedAt)} ${row.lastAddress}`,
        row.expiresAt !== null && Date.parse(row.expiresAt) < Date.now() ? red('expired') : localTime(row.expiresAt),
        row.source === 'config' ? 'configuration' : 'pbx token create',
      ]),
    ),
  )
}

function restriction({ endpoints, mailboxes }: TokenView): string {
  if (endpoints === null && mailboxes === null) return '-'
  return [...(endpoints ?? []), ...(mailboxes ?? []).map((ext) => `mailbox ${ext}`)].join(', ')
}

async function revoke({ json, client }: Context, name: string): Promise<void> {
  const answer = await (await client()).delete<unknown>(`/api/tokens/${encodeURIComponent(name)}`)
  if (json) printJson(answer)
  else print(`${name} is revoked: the daemon refuses requests with it from now on`)
}
