/** pbx token create, list, revoke. */
import type { TokenView } from '../../../daemon/control/services.ts'
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../context.ts'
import { bold, dim, localTime, print, printJson, table } from '../output.ts'

const scopes = ['send', 'inbox', 'voice', 'crm', 'admin']

export async function create({ json, client }: Context, options: { name: string; scope?: string[] }): Promise<void> {
  const wanted = [...new Set((options.scope ?? scopes).flatMap((scope) => scope.split(',')))]
  const strange = wanted.filter((scope) => !scopes.includes(scope))
  if (strange.length > 0) {
    throw new CommandError(`no such scope: ${strange.join(', ')}; scopes are ${scopes.join(', ')}`, { exit: exitCode.usage, code: 'usage' })
  }
  const made = await (await client()).post<{ token: string; view: TokenView }>('/tokens', { name: options.name, scopes: wanted })
  if (json) return printJson({ token: made.token, ...made.view })
  if (!process.stdout.isTTY) return print(made.token)
  print(bold(made.token))
  print(dim(`This is the only time it is shown. Requests carry it as "Authorization: Bearer ${made.token.slice(0, 6)}...".`))
}

export async function list({ json, client }: Context): Promise<void> {
  const view = await (await client()).get<TokenView[]>('/tokens')
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('none: pbx token create --name NAME'))
  print(
    table(
      ['NAME', 'SCOPES', 'MADE', 'FROM'],
      view.map((row) => [
        row.name,
        row.scopes.join(' '),
        localTime(row.createdAt),
        row.source === 'config' ? 'configuration' : 'pbx token create',
      ]),
    ),
  )
}

export async function revoke({ json, client }: Context, name: string): Promise<void> {
  const answer = await (await client()).delete<unknown>(`/tokens/${encodeURIComponent(name)}`)
  if (json) printJson(answer)
  else print(`${name} is revoked: requests with it are refused from now on`)
}
