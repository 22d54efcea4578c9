/** pbx phones: phones that fetch their settings. */
import type { Command } from 'commander'
import type { NewPhone, PhoneAwaited, PhoneSettings, PhonesView, PhoneView } from '../../../daemon/schema/phones.ts'
import { type Context, finish, group } from '../command.ts'
import { dim, localTime, print, printJson, printRaw, table } from '../output.ts'

const awaited = (command: Command): Command =>
  command
    .option('--minutes <n>', 'validity of the code in minutes, at most 10080 (a week)', '30')
    .option('--qr', 'also show the address as a QR code for a softphone')

export function phonesCommand(): Command {
  const phones = group('phones', 'phones that fetch their settings from the box: list, add, remove, new codes').addHelpText(
    'after',
    '\nKinds: yealink, grandstream, snom, polycom, fanvil, linphone, baresip, manual.\nSee docs/provisioning.md.',
  )
  phones.addCommand(
    finish(group('list', 'list the phones, and unknown phones that asked for settings (same as "pbx phones")'), list, ['pbx phones']),
    { isDefault: true },
  )
  phones.addCommand(
    finish(
      awaited(
        group('add', 'add a phone to an extension: prints the address that you enter into the phone').argument('<extension>', 'number'),
      )
        .option('--mac <address>', 'MAC address: a phone that already knows the address of the box then needs no code')
        .option('--kind <kind>', 'kind of phone (default: as the phone identifies itself)')
        .option('--keys <numbers>', 'extensions for the keys with lamps, separated by commas (default: all other extensions)'),
      add,
      ['pbx phones add 101', 'pbx phones add 101 --mac 00:15:65:12:34:56 --keys 102,103,701', 'pbx phones add 101 --kind linphone --qr'],
    ),
  )
  phones.addCommand(
    finish(awaited(group('code', 'make a new code for a phone').argument('<phone>', 'id, MAC address or extension')), code, [
      'pbx phones code 101',
    ]),
  )
  phones.addCommand(
    finish(
      group('settings', 'show the settings of a phone, with its passwords').argument('<phone>', 'id, MAC address or extension'),
      settings,
      ['pbx phones settings 101'],
    ),
  )
  phones.addCommand(
    finish(group('remove', 'remove a phone: it gets no more settings').argument('<phone>', 'id, MAC address or extension'), remove, [
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
  print('\nUnknown phones that asked for settings:')
  print(
    table(
      ['MAC', 'KIND', 'FROM', 'AT'],
      view.asked.map(({ mac, kind, address, at }) => [mac, kind ?? '', address, localTime(at)]),
    ),
  )
  print(dim(`To add one: pbx phones add EXTENSION --mac ${view.asked[0]!.mac}`))
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
  print(
    `Phone ${phone.id} of extension ${phone.extension} can fetch its settings until ${localTime(until)}. Enter this provisioning server:`,
  )
  print(`\n  ${url}\n`)
  if (qr === true) print((await import('uqr')).renderUnicodeCompact(url))
  if (phone.mac !== null)
    print(
      `Or the same address without the code, ${url.slice(0, url.slice(0, -1).lastIndexOf('/') + 1)}: the box knows the phone by its MAC address ${phone.mac}.`,
    )
  print(`Login for the phone's own web page and menu: user admin, password ${phone.adminPassword}`)
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
    `Phone ${gone.id} of extension ${gone.extension} gets no more settings. Its password stays valid until you change it in the configuration.`,
  )
}
