/** pbx phones: phones that fetch their settings. */
import type { Command } from 'commander'
import type { NewPhone, PhoneAwaited, PhoneSettings, PhonesView, PhoneView } from '../../../daemon/schema/phones.ts'
import { type Context, finish, group } from '../command.ts'
import { dim, localTime, print, printJson, printRaw, table } from '../output.ts'

const awaited = (command: Command): Command =>
  command
    .option('--minutes <n>', 'how long the code holds, at most 10080 (a week)', '30')
    .option('--qr', 'the address as a QR code, for the camera of a softphone')

export function phonesCommand(): Command {
  const phones = group('phones', 'phones that fetch their settings from the box: which there are, new ones, codes').addHelpText(
    'after',
    '\nKinds: yealink, grandstream, snom, polycom, fanvil, linphone, baresip, manual.\nSee docs/provisioning.md.',
  )
  phones.addCommand(
    finish(group('list', 'each phone, whether it is awaited, and strangers that asked (what "pbx phones" alone shows)'), list, [
      'pbx phones',
    ]),
    { isDefault: true },
  )
  phones.addCommand(
    finish(
      awaited(group('add', 'await a new phone of an extension: prints the address to enter into it').argument('<extension>', 'number'))
        .option('--mac <address>', 'then a phone that already knows the address of the box needs no code')
        .option('--kind <kind>', 'by default what it shows itself to be')
        .option('--keys <numbers>', 'numbers of its keys with lamps, with commas; by default all colleagues'),
      add,
      ['pbx phones add 101', 'pbx phones add 101 --mac 00:15:65:12:34:56 --keys 102,103,701', 'pbx phones add 101 --kind linphone --qr'],
    ),
  )
  phones.addCommand(
    finish(awaited(group('code', 'await a phone again, with a new code').argument('<phone>', 'id, MAC address or extension')), code, [
      'pbx phones code 101',
    ]),
  )
  phones.addCommand(
    finish(group('settings', 'what a phone is told, with its passwords').argument('<phone>', 'id, MAC address or extension'), settings, [
      'pbx phones settings 101',
    ]),
  )
  phones.addCommand(
    finish(group('remove', 'give a phone no more settings').argument('<phone>', 'id, MAC address or extension'), remove, [
      'pbx phones remove k7m2qx',
    ]),
  )
  return phones
}

interface AwaitedOptions {
  readonly minutes: string
  readonly qr?: true
}

interface AddOptions extends AwaitedOptions {
  readonly mac?: string
  readonly kind?: string
  readonly keys?: string
}

async function list({ json, client }: Context): Promise<void> {
  const view = await (await client()).get<PhonesView>('/api/phones')
  if (json) return printJson(view)
  if (view.phones.length === 0) print(dim('none yet: pbx phones add EXTENSION'))
  else print(table(['ID', 'EXT', 'KIND', 'MAC', 'SETTINGS FETCHED', 'FROM', 'AWAITED UNTIL'], view.phones.map(rowOf)))
  if (view.asked.length === 0) return
  print('\nNot known, and asked for settings:')
  print(
    table(
      ['MAC', 'KIND', 'FROM', 'AT'],
      view.asked.map(({ mac, kind, address, at }) => [mac, kind ?? '', address, localTime(at)]),
    ),
  )
  print(dim(`To take one: pbx phones add EXTENSION --mac ${view.asked[0]!.mac}`))
}

function rowOf({ id, extension, kind, mac, fetchedAt, address, openUntil }: PhoneView): string[] {
  return [
    id,
    extension,
    kind ?? '',
    mac ?? '',
    fetchedAt === null ? 'never' : localTime(fetchedAt),
    address ?? '',
    openUntil === null ? '' : localTime(openUntil),
  ]
}

async function add({ json, client }: Context, extension: string, { mac, kind, keys, ...options }: AddOptions): Promise<void> {
  const body: NewPhone = {
    extension,
    minutes: Number(options.minutes),
    ...(mac === undefined ? {} : { mac }),
    ...(kind === undefined ? {} : { kind }),
    ...(keys === undefined ? {} : { keys: keys.split(',') }),
  }
  await show(json, await (await client()).post<PhoneAwaited>('/api/phones', body), options)
}

async function code({ json, client }: Context, phone: string, options: AwaitedOptions): Promise<void> {
  const body = { minutes: Number(options.minutes) }
  await show(json, await (await client()).post<PhoneAwaited>(`/api/phones/${encodeURIComponent(phone)}/code`, body), options)
}

async function show(json: boolean, awaited: PhoneAwaited, { qr }: AwaitedOptions): Promise<void> {
  if (json) return printJson(awaited)
  const { phone, url, until, notes } = awaited
  print(`Phone ${phone.id} of extension ${phone.extension} is awaited until ${localTime(until)}. Its provisioning server:`)
  print(`\n  ${url}\n`)
  if (qr === true) print((await import('uqr')).renderUnicodeCompact(url))
  if (phone.mac !== null)
    print(
      `Or the same address without the code, ${url.slice(0, url.slice(0, -1).lastIndexOf('/') + 1)}: it is known by its MAC ${phone.mac}.`,
    )
  print(`Its own web page and menu then: user admin, password ${phone.adminPassword}`)
  for (const note of notes) print(`! ${note}`)
}

async function settings({ json, client }: Context, phone: string): Promise<void> {
  const view = await (await client()).get<PhoneSettings>(`/api/phones/${encodeURIComponent(phone)}/settings`)
  if (json) return printJson(view)
  printRaw(view.text)
}

async function remove({ json, client }: Context, phone: string): Promise<void> {
  const gone = await (await client()).delete<PhoneView>(`/api/phones/${encodeURIComponent(phone)}`)
  if (json) return printJson(gone)
  print(
    `Phone ${gone.id} of extension ${gone.extension} gets no more settings. It keeps its password until that is changed in the configuration.`,
  )
}
