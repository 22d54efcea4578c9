/** pbx console: who may sign in at the pages of the box, and help for those who are locked out. */
import { type Command, Option } from 'commander'
import { roles, type InvitationView, type PersonView, type Role } from '../../../daemon/schema/people.ts'
import { CommandError, exitCode, type Client } from '../client.ts'
import { type Context, finish, group } from '../command.ts'
import { bold, dim, green, localTime, print, printJson, table, yellow } from '../output.ts'

export function consoleCommand(): Command {
  const console = group('console', 'people who sign in at the pages of the box')
  console.addCommand(
    finish(
      group('invite', 'print an address at which a person sets a password; valid for 30 minutes and once')
        .option('--login <login>', 'who; a person of that login is added if there is none', 'technician')
        .addOption(new Option('--role <role...>', 'what a new person may do (default: technician)').choices(roles))
        .option('--name <name>', 'the name of a new person'),
      invite,
      ['pbx console invite', 'pbx console invite --login maria --role desk --name "Maria Lopez"'],
    ),
  )
  console.addCommand(finish(group('people', 'list who there is'), list, ['pbx console people']))
  console.addCommand(
    finish(
      group(
        'reset',
        'help a person who is locked out: ends all sessions, forgets password, second step and failed tries, and invites again',
      ).argument('<login>'),
      reset,
      ['pbx console reset maria'],
    ),
  )
  console.addCommand(
    finish(group('remove', 'remove a person and end all sessions of the person').argument('<login>'), remove, ['pbx console remove maria']),
  )
  return console
}

interface Wanted {
  readonly login: string
  readonly role?: Role[]
  readonly name?: string
}

export interface Invited {
  readonly person: PersonView
  readonly invitation: InvitationView
}

/** Invites a person, who is added first where there is none of that login. */
export async function invited(box: Client, { login, role, name = login }: Wanted): Promise<Invited> {
  const known = (await people(box)).find((person) => person.login === login)
  if (known !== undefined && role !== undefined && role.toSorted().join() !== known.roles.toSorted().join())
    throw new CommandError(`${login} has the role ${known.roles.join(', ')}`, { fix: `pbx console invite --login ${login}` })
  const person = known ?? (await box.post<PersonView>('/api/people', { login, name, roles: role ?? ['technician'] }))
  return { person, invitation: await box.post<InvitationView>(`/api/people/${person.personId}/invite`) }
}

async function invite({ json, client }: Context, wanted: Wanted): Promise<void> {
  const { person, invitation } = await invited(await client(), wanted)
  if (json) return printJson({ login: person.login, roles: person.roles, ...invitation })
  printWayIn(person, invitation)
}

function printWayIn({ login, roles: what }: PersonView, { url, until }: InvitationView): void {
  print(bold(url))
  print(dim(`${login} (${what.join(', ')}) sets a password there: once, until ${localTime(until)}. Five wrong codes end it.`))
}

async function list({ json, client }: Context): Promise<void> {
  const all = await people(await client())
  if (json) return printJson(all)
  if (all.length === 0) return print(dim('nobody: pbx console invite'))
  print(
    table(
      ['LOGIN', 'NAME', 'ROLES', 'STATE', 'SECOND STEP', 'SINCE'],
      all.map((person) => [
        ...[person.login, person.name, person.roles.join(' ')],
        ...[person.state === 'active' ? person.state : yellow(person.state), person.secondStep ? 'yes' : '-', localTime(person.createdAt)],
      ]),
    ),
  )
}

async function reset({ json, client }: Context, login: string): Promise<void> {
  const box = await client()
  const { personId } = await personOf(box, login)
  const person = await box.patch<PersonView>(`/api/people/${personId}`, { disabled: false, password: null, secondStep: false })
  const invitation = await box.post<InvitationView>(`/api/people/${personId}/invite`)
  if (json) return printJson({ login, ...invitation })
  print(`${green('✓')} the password, the second step and the sessions of ${login} are gone`)
  printWayIn(person, invitation)
}

async function remove({ json, client }: Context, login: string): Promise<void> {
  const box = await client()
  const { personId } = await personOf(box, login)
  await box.delete(`/api/people/${personId}`)
  if (json) return printJson({ login, removed: true })
  print(`${green('✓')} ${login} is removed`)
}

async function personOf(box: Client, login: string): Promise<PersonView> {
  const person = (await people(box)).find((one) => one.login === login)
  if (person === undefined) throw new CommandError(`there is no person with the login ${login}`, { fix: 'pbx console people' })
  return person
}

/** @throws CommandError where the console is off */
async function people(box: Client): Promise<PersonView[]> {
  try {
    return await box.get<PersonView[]>('/api/people')
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== 'not_found') throw error
    throw new CommandError('the console is off: nobody can sign in', { exit: exitCode.failed, fix: 'pbx config edit: console: {}' })
  }
}
