/** pbx phones: phones that fetch their settings. */
import { renderUnicodeCompact } from 'uqr'
import type { NewPhone, PhoneAwaited, PhoneSettings, PhonesView, PhoneView } from '../../../daemon/schema/phones.ts'
import type { Context } from '../context.ts'
import { dim, localTime, print, printJson, printRaw, table } from '../output.ts'

interface AwaitedOptions {
  readonly minutes: string
  readonly qr?: true
}

interface AddOptions extends AwaitedOptions {
  readonly mac?: string
  readonly kind?: string
  readonly keys?: string
}

export async function list({ json, client }: Context): Promise<void> {
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

export async function add({ json, client }: Context, extension: string, { mac, kind, keys, ...options }: AddOptions): Promise<void> {
  const body: NewPhone = {
    extension,
    minutes: Number(options.minutes),
    ...(mac === undefined ? {} : { mac }),
    ...(kind === undefined ? {} : { kind }),
    ...(keys === undefined ? {} : { keys: keys.split(',') }),
  }
  show(json, await (await client()).post<PhoneAwaited>('/api/phones', body), options)
}

export async function code({ json, client }: Context, phone: string, options: AwaitedOptions): Promise<void> {
  const body = { minutes: Number(options.minutes) }
  show(json, await (await client()).post<PhoneAwaited>(`/api/phones/${encodeURIComponent(phone)}/code`, body), options)
}

function show(json: boolean, awaited: PhoneAwaited, { qr }: AwaitedOptions): void {
  if (json) return printJson(awaited)
  const { phone, url, until, notes } = awaited
  print(`Phone ${phone.id} of extension ${phone.extension} is awaited until ${localTime(until)}. Its provisioning server:`)
  print(`\n  ${url}\n`)
  if (qr === true) print(renderUnicodeCompact(url))
  if (phone.mac !== null)
    print(
      `Or the same address without the code, ${url.slice(0, url.slice(0, -1).lastIndexOf('/') + 1)}: it is known by its MAC ${phone.mac}.`,
    )
  print(`Its own web page and menu then: user admin, password ${phone.adminPassword}`)
  for (const note of notes) print(`! ${note}`)
}

export async function settings({ json, client }: Context, phone: string): Promise<void> {
  const view = await (await client()).get<PhoneSettings>(`/api/phones/${encodeURIComponent(phone)}/settings`)
  if (json) return printJson(view)
  printRaw(view.text)
}

export async function remove({ json, client }: Context, phone: string): Promise<void> {
  const gone = await (await client()).delete<PhoneView>(`/api/phones/${encodeURIComponent(phone)}`)
  if (json) return printJson(gone)
  print(
    `Phone ${gone.id} of extension ${gone.extension} gets no more settings. It keeps its password until that is changed in the configuration.`,
  )
}
